"""Accumulators: functions on rows run on the driver here, so a sum is a sum."""

__all__ = ["Accumulator", "AccumulatorParam"]


class AccumulatorParam:
    """How values of a kind are added."""

    def zero(self, value):
        raise NotImplementedError

    def addInPlace(self, value1, value2):
        raise NotImplementedError


class AddingAccumulatorParam(AccumulatorParam):
    def __init__(self, zero_value):
        self.zero_value = zero_value

    def zero(self, value):
        return self.zero_value

    def addInPlace(self, value1, value2):
        value1 += value2
        return value1


class Accumulator:
    def __init__(self, aid, value, accum_param):
        self.aid = aid
        self.accum_param = accum_param
        self._value = value

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, value):
        self._value = value

    def add(self, term):
        self._value = self.accum_param.addInPlace(self._value, term)

    def __iadd__(self, term):
        self.add(term)
        return self

    def __str__(self):
        return str(self._value)

    def __repr__(self):
        return f"Accumulator<id={self.aid}, value={self._value}>"


def param_of(value):
    """The way of adding that a number has by itself."""
    for kind, zero in ((int, 0), (float, 0.0), (complex, 0.0j)):
        if isinstance(value, kind):
            return AddingAccumulatorParam(zero)
    raise TypeError(f"No default accumulator param for type {type(value)}")
