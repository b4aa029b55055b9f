"""`socket`: TCP within the session, enough for a script that serves lines to the socket source.

There is one client of a listening port in here, the source; `accept` gives the connection to it at once, whether or not it is
there yet, and what is sent waits for it. Names other than this machine's cannot be reached.
"""

import _tidemark_socket as _ports

AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6 = 0, 1, 2, 10
SOCK_STREAM, SOCK_DGRAM = 1, 2
SOL_SOCKET, SO_REUSEADDR, SO_KEEPALIVE, SO_REUSEPORT = 1, 2, 9, 15
IPPROTO_TCP, TCP_NODELAY = 6, 1
SHUT_RD, SHUT_WR, SHUT_RDWR = 0, 1, 2
SOMAXCONN = 4096

error = OSError
timeout = TimeoutError
_default_timeout = None


class gaierror(OSError):
    pass


class herror(OSError):
    pass


def _local(host):
    if host not in ("", "localhost", "127.0.0.1", "0.0.0.0", "::1", "::"):
        raise gaierror(-2, "Name or service not known")


class socket:
    def __init__(self, family=AF_INET, type=SOCK_STREAM, proto=0, fileno=None):
        if type != SOCK_STREAM:
            raise OSError(94, "Socket type not supported")
        self.family, self.type, self.proto = family, type, proto
        self._port = None
        self._role = None
        self._timeout = _default_timeout
        self._buffer = b""
        self._closed = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def setsockopt(self, *_):
        pass

    def settimeout(self, value):
        self._timeout = value

    def gettimeout(self):
        return self._timeout

    def setblocking(self, flag):
        self._timeout = None if flag else 0.0

    def fileno(self):
        return -1 if self._closed else 3

    def bind(self, address):
        host, port = address[0], address[1]
        _local(host)
        if not 0 <= port <= 65535:
            raise OverflowError("bind(): port must be 0-65535.")
        reserved = _ports.reserve(port)
        if reserved is None:
            raise OSError(98, "Address already in use")
        self._port = reserved

    def listen(self, backlog=SOMAXCONN):
        if self._port is None:
            self._port = _ports.reserve(0)
        _ports.listen(self._port)
        self._role = "server"

    def accept(self):
        if self._role != "server":
            raise OSError(22, "Invalid argument")
        connection = socket(self.family, self.type)
        connection._port, connection._role = self._port, "accepted"
        return connection, ("127.0.0.1", 50000)

    def connect(self, address):
        _local(address[0])
        if not _ports.is_listening(address[1]):
            raise ConnectionRefusedError(111, "Connection refused")
        self._port, self._role = address[1], "client"

    def connect_ex(self, address):
        try:
            self.connect(address)
        except OSError as problem:
            return problem.errno
        return 0

    def getsockname(self):
        return ("0.0.0.0", 0) if self._port is None else ("127.0.0.1", self._port)

    def getpeername(self):
        if self._role not in ("accepted", "client"):
            raise OSError(107, "Transport endpoint is not connected")
        return ("127.0.0.1", 50000 if self._role == "accepted" else self._port)

    def sendall(self, data, flags=0):
        if self._closed or self._role not in ("accepted", "client"):
            raise BrokenPipeError(32, "Broken pipe")
        if self._role == "accepted":
            _ports.send(self._port, bytes(data))

    def send(self, data, flags=0):
        self.sendall(data, flags)
        return len(data)

    def recv(self, size, flags=0):
        if self._role == "client" and not self._buffer:
            self._buffer = _ports.receive(self._port).encode("utf-8")
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    def makefile(self, mode="r", buffering=None, *, encoding="utf-8", errors=None, newline=None):
        return _File(self, "b" in mode, encoding)

    def shutdown(self, how):
        if self._role == "accepted":
            _ports.end(self._port)

    def close(self):
        if self._closed:
            return
        self._closed = True
        if self._role == "accepted":
            _ports.end(self._port)
        elif self._role == "server":
            _ports.close(self._port)

    def detach(self):
        self._closed = True
        return 3


SocketType = socket


class _File:
    """A connection as a file."""

    def __init__(self, connection, binary, encoding):
        self._connection, self._binary, self._encoding = connection, binary, encoding
        self._pending = b""

    def write(self, data):
        self._connection.sendall(data if self._binary else data.encode(self._encoding))
        return len(data)

    def readline(self):
        while b"\n" not in self._pending:
            more = self._connection.recv(65536)
            if not more:
                break
            self._pending += more
        line, mark, self._pending = self._pending.partition(b"\n")
        line += mark
        return line if self._binary else line.decode(self._encoding)

    def __iter__(self):
        return iter(self.readline, b"" if self._binary else "")

    def flush(self):
        pass

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def create_server(address, *, family=AF_INET, backlog=None, reuse_port=False, dualstack_ipv6=False):
    server = socket(family)
    server.bind(address)
    server.listen()
    return server


def create_connection(address, timeout=None, source_address=None, *, all_errors=False):
    client = socket()
    client.connect(address)
    return client


def getdefaulttimeout():
    return _default_timeout


def setdefaulttimeout(value):
    global _default_timeout
    _default_timeout = value


def gethostname():
    return "localhost"


getfqdn = lambda name="": name or "localhost"  # noqa: E731


def gethostbyname(host):
    _local(host)
    return "127.0.0.1"


def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
    _local(host or "")
    return [(AF_INET, SOCK_STREAM, IPPROTO_TCP, "", ("127.0.0.1", int(port or 0)))]


def inet_aton(text):
    parts = [int(part) for part in text.split(".")]
    if len(parts) != 4 or not all(0 <= part < 256 for part in parts):
        raise OSError("illegal IP address string passed to inet_aton")
    return bytes(parts)


def inet_ntoa(packed):
    return ".".join(str(byte) for byte in packed)


def htons(number):
    return int.from_bytes(number.to_bytes(2, "big"), "little")


def htonl(number):
    return int.from_bytes(number.to_bytes(4, "big"), "little")


ntohs, ntohl = htons, htonl
