"""Filters that the engine offers to a reader of the script's, and what it says to them."""

import datetime
import json
from decimal import Decimal

from pyspark.errors import PySparkValueError
from pyspark.sql import datasource as api

_KINDS = {
    "decimal": Decimal,
    "date": datetime.date.fromisoformat,
    "timestamp": lambda text: datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc),
    "timestamp_ntz": datetime.datetime.fromisoformat,
}


def _constant(value):
    if isinstance(value, list):
        return [_constant(item) for item in value]
    if isinstance(value, dict):
        ((kind, text),) = value.items()
        return _KINDS[kind](text)
    return value


def _filter(told):
    kind, path = getattr(api, told["name"]), tuple(told["path"])
    made = kind(path) if kind in (api.IsNull, api.IsNotNull) else kind(path, _constant(told["value"]))
    return api.Not(made) if told["negated"] else made


def pushed(reader, filters):
    """Asks the reader; the places of the filters that it takes over."""
    given = [_filter(told) for told in json.loads(filters)]
    left = {id(one): one for one in reader.pushFilters(list(given))}
    known = {id(one) for one in given}
    strangers = [one for one in left.values() if id(one) not in known]
    if strangers:

        def shown(some):
            return "[" + ", ".join(f"FilterRef(filter={one!r}, id={id(one)})" for one in some) + "]"

        raise PySparkValueError(
            errorClass="DATA_SOURCE_EXTRANEOUS_FILTERS",
            messageParameters={"type": type(reader).__name__, "input": shown(given), "extraneous": shown(strangers)},
        )
    return [place for place, one in enumerate(given) if id(one) not in left]
