"""What the rewritten waits of a script await; each parks the script until its wait is over."""

import _tidemark_system


class ScriptEnd(KeyboardInterrupt):
    """A wait that nothing can end, where nobody drives: the script ends as if interrupted."""


class _Park:
    def __init__(self, kind, query="", until=0):
        self.request = (kind, query, until)

    def __await__(self):
        yield self.request


def __tidemark_wait__(bound):
    from pyspark.sql.streaming.query import StreamingQuery, StreamingQueryManager

    owner = getattr(bound, "__self__", None)

    async def wait():
        if isinstance(owner, StreamingQuery):
            while owner.isActive:
                await _Park("query", owner.id)
        elif isinstance(owner, StreamingQueryManager):
            while not owner._any_terminated():
                await _Park("any")
        return bound()

    return wait


def __tidemark_sleep__(function):
    import time

    async def sleep(*args, **kwargs):
        if function is not time.sleep:
            result = function(*args, **kwargs)
            return await result if type(result).__name__ == "coroutine" else result
        seconds = args[0] if args else kwargs.get("secs", 0)
        until = _tidemark_system.now_us() // 1000 + int(seconds * 1000)
        while _tidemark_system.now_us() // 1000 < until and _streaming():
            await _Park("sleep", "", until)
        left = until - _tidemark_system.now_us() // 1000
        return function(max(left, 0) / 1000)

    return sleep


def _streaming():
    import _tidemark_stream

    return bool(_tidemark_stream.active())


async def __tidemark_drive__(result):
    return await result if type(result).__name__ == "coroutine" else result
