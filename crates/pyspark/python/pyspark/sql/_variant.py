"""Texts and Python values of VARIANT bytes, by way of the engine's to_json."""


def to_json(value, metadata, zone_id="UTC"):
    from pyspark.sql import functions as F
    from pyspark.sql.session import SparkSession
    from pyspark.sql.types import StructField, StructType, VariantType, VariantVal

    schema = StructType([StructField("v", VariantType())])
    frame = SparkSession._active().createDataFrame([(VariantVal(value, metadata),)], schema, verifySchema=False)
    return frame.select(F.to_json("v", {"timeZone": zone_id})).collect()[0][0]


def to_python(value, metadata):
    import json

    return json.loads(to_json(value, metadata))
