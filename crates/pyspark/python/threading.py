"""Threads in a session without threads.

A thread's function runs when it is started, a timer's when the clock gets there. What needs two things to run at once
(a lock that is held, a condition, an endless worker) raises or never comes, as said at each place.
"""

import _tidemark_system

__all__ = [
    "Thread", "Timer", "Lock", "RLock", "Event", "Condition", "Semaphore", "BoundedSemaphore", "Barrier", "local",
    "current_thread", "main_thread", "active_count", "enumerate", "get_ident", "settrace", "excepthook", "ThreadError",
]  # fmt: skip

ThreadError = RuntimeError
TIMEOUT_MAX = 9223372036.0
_timers = []
_names = 0


class Thread:
    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None, context=None):
        global _names
        if name is None:
            _names += 1
            name = f"Thread-{_names}" + (f" ({target.__name__})" if hasattr(target, "__name__") else "")
        self.name = str(name)
        self.daemon = bool(daemon)
        self.ident = None
        self._target = target
        self._args = args
        self._kwargs = kwargs or {}
        self._state = "initial"

    def run(self):
        if self._target is not None:
            result = self._target(*self._args, **self._kwargs)
            if type(result).__name__ == "coroutine":
                result.close()

    def start(self):
        if self._state != "initial":
            raise RuntimeError("threads can only be started once")
        self._state = "running"
        self.ident = id(self)
        self._begin()

    def _begin(self):
        global _current
        outer = _current
        _current = self
        try:
            self.run()
        except SystemExit:
            pass
        except Exception as error:
            excepthook(ExceptHookArgs(type(error), error, error.__traceback__, self))
        finally:
            _current = outer
            self._state = "ended"

    def join(self, timeout=None):
        if self._state == "initial":
            raise RuntimeError("cannot join thread before it is started")
        if self is _current:
            raise RuntimeError("cannot join current thread")

    def is_alive(self):
        return self._state == "running"

    @property
    def native_id(self):
        return self.ident

    def getName(self):
        return self.name

    def setName(self, name):
        self.name = name

    def isDaemon(self):
        return self.daemon

    def setDaemon(self, daemonic):
        self.daemon = daemonic

    def __repr__(self):
        return f"<{type(self).__name__}({self.name}, {self._state})>"


class Timer(Thread):
    """Runs when time.sleep or a wait has brought the clock to its time."""

    def __init__(self, interval, function, args=None, kwargs=None):
        super().__init__(target=function, args=args or (), kwargs=kwargs)
        self.interval = interval
        self.function = function
        self.args = args or ()
        self.kwargs = kwargs or {}
        self.finished = Event()

    def _begin(self):
        self._due = _tidemark_system.now_us() + int(self.interval * 1_000_000)
        _timers.append(self)

    def _fire(self):
        super()._begin()
        self.finished.set()

    def run(self):
        self.function(*self.args, **self.kwargs)

    def cancel(self):
        if self in _timers:
            _timers.remove(self)
            self._state = "ended"
        self.finished.set()

    def join(self, timeout=None):
        if self._state == "initial":
            raise RuntimeError("cannot join thread before it is started")
        if self in _timers:
            import time

            left = max(0, self._due - _tidemark_system.now_us()) / 1e6
            time.sleep(left if timeout is None else min(timeout, left))


def _run_due():
    """Fires the timers whose time has come; called wherever the clock has moved."""
    now = _tidemark_system.now_us()
    for timer in sorted(_timers, key=lambda timer: timer._due):
        if timer._due <= now and timer in _timers:
            _timers.remove(timer)
            timer._fire()


class ExceptHookArgs:
    def __init__(self, exc_type, exc_value, exc_traceback, thread):
        self.exc_type = exc_type
        self.exc_value = exc_value
        self.exc_traceback = exc_traceback
        self.thread = thread


def excepthook(args):
    import sys
    import traceback

    print(f"Exception in thread {args.thread.name}:", file=sys.stderr)
    traceback.print_exception(args.exc_type, args.exc_value, args.exc_traceback)


class Lock:
    def __init__(self):
        self._held = False

    def acquire(self, blocking=True, timeout=-1):
        if self._held:
            if not blocking or timeout >= 0:
                return False
            raise RuntimeError("this lock is held, and there is no other thread that could release it")
        self._held = True
        return True

    def release(self):
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False

    def locked(self):
        return self._held

    def __enter__(self):
        self.acquire()
        return True

    def __exit__(self, *_):
        self.release()


class RLock(Lock):
    def __init__(self):
        self._count = 0

    def acquire(self, blocking=True, timeout=-1):
        self._count += 1
        return True

    def release(self):
        if not self._count:
            raise RuntimeError("cannot release un-acquired lock")
        self._count -= 1

    def locked(self):
        return self._count > 0


class Event:
    def __init__(self):
        self._flag = False

    def is_set(self):
        return self._flag

    isSet = is_set

    def set(self):
        self._flag = True

    def clear(self):
        self._flag = False

    def wait(self, timeout=None):
        """Moves the clock until a timer or a listener sets the flag, or the time is over."""
        import time

        end = None if timeout is None else _tidemark_system.now_us() + int(timeout * 1_000_000)
        while not self._flag:
            now = _tidemark_system.now_us()
            if end is not None and now >= end:
                break
            due = min((timer._due for timer in _timers), default=None)
            if end is None and due is None:
                raise RuntimeError("nothing in this session can set the event that is waited for")
            until = min(moment for moment in (end, due) if moment is not None)
            time.sleep(max(until - now, 1000) / 1e6)
        return self._flag


class Condition:
    def __init__(self, lock=None):
        self._lock = lock or RLock()
        self.acquire = self._lock.acquire
        self.release = self._lock.release

    def __enter__(self):
        return self._lock.__enter__()

    def __exit__(self, *args):
        return self._lock.__exit__(*args)

    def wait(self, timeout=None):
        if timeout is None:
            raise RuntimeError("there is no other thread that could notify this condition")
        import time

        time.sleep(timeout)
        return False

    def wait_for(self, predicate, timeout=None):
        result = predicate()
        if not result:
            self.wait(timeout)
            result = predicate()
        return result

    def notify(self, n=1):
        pass

    def notify_all(self):
        pass


class Semaphore:
    def __init__(self, value=1):
        if value < 0:
            raise ValueError("semaphore initial value must be >= 0")
        self._value = value

    def acquire(self, blocking=True, timeout=None):
        if self._value == 0:
            if not blocking or timeout is not None:
                return False
            raise RuntimeError("there is no other thread that could release this semaphore")
        self._value -= 1
        return True

    def release(self, n=1):
        self._value += n

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *_):
        self.release()


class BoundedSemaphore(Semaphore):
    def __init__(self, value=1):
        super().__init__(value)
        self._initial = value

    def release(self, n=1):
        if self._value + n > self._initial:
            raise ValueError("Semaphore released too many times")
        super().release(n)


class Barrier:
    def __init__(self, parties, action=None, timeout=None):
        raise RuntimeError("a barrier needs threads that run at once; this session has one")


class local:
    pass


class _MainThread(Thread):
    def __init__(self):
        super().__init__(name="MainThread")
        self._state = "running"
        self.ident = 1


_main = _MainThread()
_current = _main


def current_thread():
    return _current


currentThread = current_thread


def main_thread():
    return _main


def active_count():
    return len(enumerate())


def enumerate():
    return [_main] + ([_current] if _current is not _main else []) + list(_timers)


def get_ident():
    return _current.ident


get_native_id = get_ident


def settrace(func):
    pass
