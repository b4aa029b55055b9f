"""What a session has beside Spark: a Kafka broker (`tidemark.kafka`) and TCP ports (`tidemark.socket`)."""
