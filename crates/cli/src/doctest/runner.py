# Runs the examples of one file's docstrings by the rules of Python's doctest and reports each docstring as a line of JSON
# that starts with "\x1e". The file is read, never imported: its names come from the module of the same name here.
# The list NOT_APPLICABLE stands before this text. argv: file, number of the docstring to begin with, part of its name.

import ast
import fnmatch
import io
import json
import re
import sys
import traceback

FILE, FIRST, ONLY = sys.argv[1], int(sys.argv[2]), sys.argv[3]
PACKAGE = "pyspark"

EXCEPTION = re.compile(r"^Traceback \((?:most recent call last|innermost last)\):\s*$.*?^(?P<message>\w+.*)", re.M | re.S)
OPTION = re.compile(r"#\s*doctest:\s*([^\n'\"]*)$", re.M)
FLAG = re.compile(r"doctest\.(ELLIPSIS|NORMALIZE_WHITESPACE|IGNORE_EXCEPTION_DETAIL)")


class Example:
    """A prompt's source and what is to follow it; `line` counts from the docstring's first, 0-based."""

    def __init__(self, source, want, line):
        self.source = source
        self.want = want
        self.line = line
        found = EXCEPTION.match(want)
        self.message = found["message"] if found else None
        self.options = " ".join(OPTION.findall(source)).replace(",", " ").split()


def report(**fields):
    sys.__stdout__.write("\x1e" + json.dumps(fields) + "\n")


def examples(text):
    """The examples of a docstring: `>>>` with its `...` lines, and the lines up to a blank one or the next prompt."""
    lines = text.expandtabs().split("\n")
    at = 0
    while at < len(lines):
        prompt = re.match(r"( *)>>>(?: (.*)|$)", lines[at])
        if not prompt:
            at += 1
            continue
        first, indent = at, prompt[1]
        source = [prompt[2] or ""]
        at += 1
        while at < len(lines) and re.match(re.escape(indent) + r"\.\.\.( |$)", lines[at]):
            source.append(lines[at][len(indent) + 4 :])
            at += 1
        want = []
        while at < len(lines) and lines[at].strip() and not lines[at].lstrip(" ").startswith(">>>"):
            want.append(lines[at][len(indent) :])
            at += 1
        code = "\n".join(source) + "\n"
        if re.fullmatch(r" *(#.*)?\n", code):
            continue
        yield Example(code, "".join(line + "\n" for line in want), first)


def docstrings(body, prefix=""):
    """(name, docstring, its line) of functions, classes and their methods; of several definitions of a name the last counts."""
    found = {}
    for node in body:
        if isinstance(node, (ast.If, ast.Try)):
            found.update(docstrings([*node.body, *node.orelse], prefix))
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        name = prefix + node.name
        text = ast.get_docstring(node, clean=False)
        if text:
            found[name] = (text, node.body[0].lineno)
        if isinstance(node, ast.ClassDef):
            found.update(docstrings(node.body, name + "."))
    return found


def module_name():
    parts = FILE.removesuffix(".py").replace("\\", "/").split("/")
    if PACKAGE in parts:
        parts = parts[len(parts) - 1 - parts[::-1].index(PACKAGE) :]
    return ".".join(parts)


def names_of(module, tree):
    """The globals that the file's module has: what it imports and defines, as far as these exist here."""
    import importlib

    home = importlib.import_module(module)
    package = importlib.import_module(module.rpartition(".")[0])
    names = dict(vars(home))
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                node.names = [alias]
                try:
                    exec(compile(ast.Module(body=[node], type_ignores=[]), FILE, "exec"), names)
                except (ImportError, AttributeError):
                    pass
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name not in names and hasattr(package, node.name):
            names[node.name] = getattr(package, node.name)
    return names


def ellipsis_matches(want, got):
    if "..." not in want:
        return want == got
    first, *middle, last = want.split("...")
    if not got.startswith(first) or not got.endswith(last) or len(got) < len(first) + len(last):
        return False
    at, end = len(first), len(got) - len(last)
    for piece in middle:
        at = got.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


def matches(want, got, flags):
    want, got = (text.encode("ascii", "backslashreplace").decode("ascii") for text in (want, got))
    if got == want or (got, want) in (("True\n", "1\n"), ("False\n", "0\n")):
        return True
    want = re.sub(r"(?m)^<BLANKLINE>\s*?$", "", want)
    got = re.sub(r"(?m)^[^\S\n]+$", "", got)
    if "NORMALIZE_WHITESPACE" in flags:
        want, got = " ".join(want.split()), " ".join(got.split())
    return got == want or ("ELLIPSIS" in flags and ellipsis_matches(want, got))


def class_of(message):
    """The exception's class without its module: all that IGNORE_EXCEPTION_DETAIL compares."""
    return message.split(":")[0].split("\n")[0].rpartition(".")[2]


def run(example, flags, names, label):
    """(passed, what came instead of the expected)."""
    flags = (flags | {word[1:] for word in example.options if word[0] == "+"}) - {
        word[1:] for word in example.options if word[0] == "-"
    }
    out = sys.stdout = io.StringIO()
    error = None
    try:
        exec(compile(example.source, label, "single", 0, True), names)
    except KeyboardInterrupt:
        raise
    except BaseException:
        error = sys.exc_info()
    finally:
        sys.stdout = sys.__stdout__
    got = out.getvalue()
    if got and not got.endswith("\n"):
        got += "\n"
    if error is None:
        return matches(example.want, got, flags), got
    message = traceback.format_exception_only(*error[:2])[-1]
    shown = "".join(traceback.format_exception(*error))
    if example.message is None:
        return False, shown
    same = matches(example.message, message, flags)
    return same or ("IGNORE_EXCEPTION_DETAIL" in flags and class_of(example.message) == class_of(message)), shown


def reason(file, name, example):
    for files, docstring, text, why in NOT_APPLICABLE:
        if fnmatch.fnmatchcase(file, files) and fnmatch.fnmatchcase(name, docstring) and (text is None or text in example.source):
            return why
    return None


def main():
    with open(FILE, encoding="utf-8") as source:
        text = source.read()
    tree = ast.parse(text)
    module = module_name()
    short = "/".join(module.split(".")[1:]) + ".py"
    from pyspark.sql import SparkSession

    names = names_of(module, tree)
    spark = SparkSession.builder.master("local[4]").appName(f"{module} tests").getOrCreate()
    flags = set(FLAG.findall(text)) or {"ELLIPSIS", "NORMALIZE_WHITESPACE"}
    found = sorted(docstrings(tree.body).items())
    report(docstrings=len(found))
    for number, (name, (docstring, line)) in enumerate(found):
        if number < FIRST or ONLY not in name:
            continue
        listed = [example for example in examples(docstring) if "+SKIP" not in example.options]
        if not listed:
            continue
        report(start=name, number=number, examples=len(listed))
        own = {**names, "spark": spark, "sc": spark.sparkContext}
        ended = None
        for example in listed:
            at = line + example.line
            why = reason(short, name, example)
            if why is None and ended is None:
                try:
                    passed, got = run(example, flags, own, f"<doctest {module}.{name}[{at}]>")
                except KeyboardInterrupt:
                    ended = passed, got = False, "over the limit of time\n"
            elif ended is not None:
                passed, got = ended
            if why is not None:
                report(state="not applicable", line=at, reason=why)
            elif passed:
                report(state="passed", line=at)
            else:
                report(state="failed", line=at, source=example.source, want=example.want, got=got)
        sys.stdout, sys.displayhook = sys.__stdout__, sys.__displayhook__
    report(done=True)


main()
