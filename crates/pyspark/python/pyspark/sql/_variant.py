"""Texts and Python values of VARIANT bytes, read by their encoding."""

import datetime
import decimal
import json
import struct

_EPOCH = datetime.datetime(1970, 1, 1)


def _unsigned(data, at, size):
    return int.from_bytes(data[at : at + size], "little")


def _signed(data, at, size):
    return int.from_bytes(data[at : at + size], "little", signed=True)


def _keys(metadata):
    size = (metadata[0] >> 6) + 1
    count = _unsigned(metadata, 1, size)
    offsets = [_unsigned(metadata, 1 + size + i * size, size) for i in range(count + 1)]
    start = 1 + size + (count + 1) * size
    return [metadata[start + a : start + b].decode() for a, b in zip(offsets, offsets[1:])]


def _decimal(data, at, size):
    return decimal.Decimal(_signed(data, at + 1, size)).scaleb(-data[at])


def _block(data, at):
    return data[at + 4 : at + 4 + _unsigned(data, at, 4)]


_PRIMITIVES = {
    0: lambda data, at: None,
    1: lambda data, at: True,
    2: lambda data, at: False,
    3: lambda data, at: _signed(data, at, 1),
    4: lambda data, at: _signed(data, at, 2),
    5: lambda data, at: _signed(data, at, 4),
    6: lambda data, at: _signed(data, at, 8),
    7: lambda data, at: struct.unpack("<d", data[at : at + 8])[0],
    8: lambda data, at: _decimal(data, at, 4),
    9: lambda data, at: _decimal(data, at, 8),
    10: lambda data, at: _decimal(data, at, 16),
    11: lambda data, at: datetime.date.fromordinal(_EPOCH.toordinal() + _signed(data, at, 4)),
    12: lambda data, at: (_EPOCH + datetime.timedelta(microseconds=_signed(data, at, 8))).replace(
        tzinfo=datetime.timezone.utc
    ),
    13: lambda data, at: _EPOCH + datetime.timedelta(microseconds=_signed(data, at, 8)),
    14: lambda data, at: struct.unpack("<f", data[at : at + 4])[0],
    15: lambda data, at: bytes(_block(data, at)),
    16: lambda data, at: _block(data, at).decode(),
}


def _read(data, at, keys):
    kind, info = data[at] & 3, data[at] >> 2
    at += 1
    if kind == 0:
        return _PRIMITIVES[info](data, at)
    if kind == 1:
        return data[at : at + info].decode()
    offset_size = (info & 3) + 1
    large = info & (16 if kind == 2 else 4)
    count = _unsigned(data, at, 4 if large else 1)
    at += 4 if large else 1
    names = None
    if kind == 2:
        id_size = ((info >> 2) & 3) + 1
        names = [keys[_unsigned(data, at + i * id_size, id_size)] for i in range(count)]
        at += count * id_size
    start = at + (count + 1) * offset_size
    items = [_read(data, start + _unsigned(data, at + i * offset_size, offset_size), keys) for i in range(count)]
    return items if names is None else dict(zip(names, items))


def to_python(value, metadata):
    return _read(bytes(value), 0, _keys(bytes(metadata)))


def _text(value):
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k, ensure_ascii=False)}:{_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_text(item) for item in value) + "]"
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, bytes):
        import base64

        return '"' + base64.b64encode(value).decode() + '"'
    if isinstance(value, (datetime.date, datetime.datetime)):
        return f'"{value}"'
    return json.dumps(value, ensure_ascii=False)


def to_json(value, metadata, zone_id="UTC"):
    return _text(to_python(value, metadata))
