"""How much a streaming source of the script's may take at once, and the sign that it knows Trigger.AvailableNow."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

__all__ = [
    "ReadLimit", "ReadAllAvailable", "ReadMinRows", "ReadMaxRows", "ReadMaxFiles", "ReadMaxBytes",
    "SupportsTriggerAvailableNow",
]  # fmt: skip


class ReadLimit:
    pass


@dataclass
class ReadAllAvailable(ReadLimit):
    pass


@dataclass
class ReadMinRows(ReadLimit):
    min_rows: int


@dataclass
class ReadMaxRows(ReadLimit):
    max_rows: int


@dataclass
class ReadMaxFiles(ReadLimit):
    max_files: int


@dataclass
class ReadMaxBytes(ReadLimit):
    max_bytes: int


class SupportsTriggerAvailableNow(ABC):
    @abstractmethod
    def prepareForTriggerAvailableNow(self): ...
