"""The session's Kafka broker, for scripts.

    from tidemark import kafka

    kafka.create_topic("events", partitions=3)
    kafka.produce("events", '{"user": "ann"}', key="ann")

Topics live in the session's files (`.tidemark/kafka`) and outlive the script. `kafka.bootstrap.servers` may name any server:
they all lead here. Time is the session's clock.
"""

import datetime as _datetime
import json as _json
from collections import namedtuple as _namedtuple

import _tidemark_kafka as _broker

__all__ = [
    "KafkaError", "Placed", "Record", "Range", "add_partitions", "configure", "create_topic", "delete_records",
    "delete_topic", "offsets", "produce", "records", "send", "topics",
]  # fmt: skip

#: Where a message went.
Placed = _namedtuple("Placed", "partition offset")
#: Offsets of a partition: of the first record there is, and of the next one to come.
Range = _namedtuple("Range", "earliest latest")
#: A message as it lies in a topic; timestamp in milliseconds, key and value as bytes.
Record = _namedtuple("Record", "topic partition offset timestamp key value headers")


class KafkaError(Exception):
    """What the broker refuses; its class is named after the Kafka client's."""


_classes = {}


def _error(name, message):
    name = name.removesuffix("Exception") + "Error"
    if name not in _classes:
        bases = (KafkaError, ValueError) if name == "IllegalArgumentError" else (KafkaError,)
        _classes[name] = type(name, bases, {"__module__": __name__})
    return _classes[name](message)


def __getattr__(name):
    if name.endswith("Error") and not name.startswith("_"):
        return type(_error(name.removesuffix("Error") + "Exception", ""))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _bytes(data):
    if data is None or isinstance(data, (bytes, bytearray)):
        return data
    if isinstance(data, str):
        return data.encode("utf-8")
    return _json.dumps(data).encode("utf-8")


def _millis(timestamp):
    if isinstance(timestamp, _datetime.datetime):
        return round(timestamp.timestamp() * 1000)
    return timestamp


def _texts(config):
    return {str(key): str(value) for key, value in (config or {}).items()}


def create_topic(name, partitions=1, config=None):
    """Makes a topic. config: "retention.ms" (older records are deleted; -1: never, the default), "message.timestamp.type"
    ("CreateTime" or "LogAppendTime")."""
    _broker.create_topic(name, partitions, _texts(config))


def delete_topic(name):
    _broker.delete_topic(name)


def add_partitions(name, total):
    """Raises the number of partitions to `total`."""
    _broker.add_partitions(name, total)


def configure(name, config):
    """Changes settings of a topic; an empty value takes one away."""
    _broker.configure(name, _texts(config))


def topics():
    """The number of partitions by topic."""
    return dict(_broker.topics())


def produce(topic, value=None, key=None, *, partition=None, headers=None, timestamp=None):
    """Sends one message. value and key: text, bytes or what json.dumps takes; headers: a dict or pairs; timestamp: a datetime
    or milliseconds (default: now). Without a partition the key decides, without a key the partitions take turns. A topic that
    is not there is made with one partition."""
    pairs = headers.items() if isinstance(headers, dict) else headers or ()
    pairs = [(name, _bytes(data)) for name, data in pairs]
    return Placed(*_broker.produce(topic, _bytes(value), _bytes(key), partition, pairs, _millis(timestamp)))


send = produce


def offsets(topic):
    """Earliest and latest offset by partition."""
    return {partition: Range(*pair) for partition, pair in enumerate(_broker.ranges(topic))}


def records(topic, partition=None):
    """The records of a topic, partition by partition."""
    chosen = range(len(_broker.ranges(topic))) if partition is None else [partition]
    return [Record(topic, p, *fields) for p in chosen for fields in _broker.records(topic, p)]


def delete_records(topic, before=None, partition=None):
    """Deletes the records before an offset, or all: of one partition, of every one, or by a dict of partition and offset."""
    if isinstance(before, dict):
        cuts = before
    else:
        chosen = range(len(_broker.ranges(topic))) if partition is None else [partition]
        cuts = {p: -1 if before is None else before for p in chosen}
    for p, offset in cuts.items():
        _broker.delete_records(topic, p, offset)
