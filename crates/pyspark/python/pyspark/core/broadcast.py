"""Broadcast variables: values that are at hand anyway."""

__all__ = ["Broadcast"]


class Broadcast:
    def __init__(self, sc=None, value=None, pickle_registry=None, path=None, sock_file=None):
        self.value = value

    def unpersist(self, blocking=False):
        pass

    def destroy(self, blocking=False):
        pass
