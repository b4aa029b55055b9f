"""`signal`: handlers are kept and given back; no signal arrives here."""

SIG_DFL, SIG_IGN = 0, 1
SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM, SIGALRM = 1, 2, 3, 9, 15, 14
_handlers = {}


def default_int_handler(signum, frame):
    raise KeyboardInterrupt


def signal(signalnum, handler):
    before = _handlers.get(signalnum, default_int_handler if signalnum == SIGINT else SIG_DFL)
    _handlers[signalnum] = handler
    return before


def getsignal(signalnum):
    return _handlers.get(signalnum, default_int_handler if signalnum == SIGINT else SIG_DFL)


def alarm(seconds):
    raise NotImplementedError("a session has no alarm signal")


def pause():
    raise NotImplementedError("no signal arrives in a session")
