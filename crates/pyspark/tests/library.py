import base64, bisect, collections, copy, csv, dataclasses, datetime, decimal, enum, fractions, functools, hashlib, heapq
import io, itertools, json, logging, math, operator, pprint, random, re, statistics, string, textwrap, time, typing, uuid
from dataclasses import dataclass, field

print(json.dumps({"a": [1, 2.5, None, True], "b": "é"}), json.loads('{"x": [1]}'))
print(math.sqrt(2), round(2.675, 2), 7 // -2, 2**70)
print(datetime.datetime(2026, 3, 1, 12) + datetime.timedelta(hours=13), datetime.datetime.now())
print(datetime.date(2026, 3, 1).isoformat(), datetime.datetime.strptime("2026-03-01 10:00", "%Y-%m-%d %H:%M"))
print(decimal.Decimal("1.10") + decimal.Decimal("2"), fractions.Fraction(1, 3))
print(re.sub(r"(\w+)@(\w+)", r"\2 at \1", "me@home"), re.findall(r"\d+", "a1b22"))
print(collections.Counter("hello").most_common(1), collections.OrderedDict(a=1), collections.defaultdict(int)["x"])
print(list(itertools.accumulate([1, 2, 3])), functools.reduce(operator.add, [1, 2, 3]))
print(random.randint(0, 10**9), random.random(), uuid.uuid4())
print(uuid.UUID("12345678123456781234567812345678"), hashlib.md5(b"x").hexdigest())
print(statistics.mean([1, 2, 3, 4]), textwrap.dedent("  a\n  b"), string.ascii_lowercase[:3])


@dataclass(order=True)
class Point:
    x: int
    y: int = 0
    tags: list = field(default_factory=list)


class Colour(enum.Enum):
    RED = 1


print(Point(1), Point(1, 2) < Point(2), dataclasses.asdict(Point(3)), Colour.RED, Colour(1).name)
started = time.time()
time.sleep(2.5)
print(time.time() - started, time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(0)))
print(f"{3.14159:.2f} {'x':>5} {1234567:,}", "%s %d" % ("a", 3), "{:>4}".format(1))
match {"kind": "circle", "r": 2}:
    case {"kind": "circle", "r": r}:
        print("circle", r)
print(sorted({3, 1, 2}), [*range(3)], (lambda *a, **k: (a, k))(1, b=2))


def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


print(list(itertools.islice(fib(), 8)))
buffer = io.StringIO()
csv.writer(buffer).writerow([1, "a,b"])
print(buffer.getvalue().strip(), base64.b64encode(b"hi"), bisect.bisect([1, 3], 2), heapq.nsmallest(2, [3, 1, 2]))
