"""Ports of the session for the socket source: what `nc -lk PORT` is beside a real Spark.

    from tidemark import socket

    port = socket.listen(9999)
    port.send("hello world")
"""

import _tidemark_socket as _ports

__all__ = ["Listener", "listen", "send"]


class Listener:
    """A port that waits for the source."""

    def __init__(self, port):
        self.port = port

    def send(self, *lines):
        """Sends lines of text."""
        send(self.port, *lines)

    def close(self):
        """Nobody can connect any more."""
        _ports.end(self.port)
        _ports.close(self.port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def listen(port=9999):
    """Opens a port (0: a free one); one that is open already is given again."""
    port = _ports.reserve(port) or port
    _ports.listen(port)
    return Listener(port)


def send(port, *lines):
    """Sends lines to whoever is or will be connected to the port."""
    for line in lines:
        _ports.send(port, f"{line}\n".encode("utf-8"))
