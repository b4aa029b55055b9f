"""transformWithState's base classes: there to be derived from; starting such a query is refused."""

from abc import ABC, abstractmethod

__all__ = ["StatefulProcessor", "StatefulProcessorHandle"]


class StatefulProcessorHandle:
    pass


class StatefulProcessor(ABC):
    @abstractmethod
    def init(self, handle):
        ...

    @abstractmethod
    def handleInputRows(self, key, rows, timerValues):
        ...

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        return iter([])

    def close(self):
        pass

    def handleInitialState(self, key, initialState, timerValues):
        pass
