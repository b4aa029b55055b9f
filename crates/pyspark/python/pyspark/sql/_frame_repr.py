"""What a notebook shows of a DataFrame where `spark.sql.repl.eagerEval.enabled` is set."""

import _tidemark_conf

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"}


def _number(key):
    return int(_tidemark_conf.get_or(key, "20"))


def _escaped(cell):
    return "".join(_ESCAPES.get(letter, letter) for letter in cell)


def eager(df):
    enabled = _tidemark_conf.get_or("spark.sql.repl.eagerEval.enabled", "false").lower() == "true"
    return enabled and not df.isStreaming


def text(df):
    keys = ("spark.sql.repl.eagerEval.maxNumRows", "spark.sql.repl.eagerEval.truncate")
    return df._show_string(max(_number(keys[0]), 0), _number(keys[1]))


def table(df):
    """The rows as HTML; cells are those of show()."""
    most = max(_number("spark.sql.repl.eagerEval.maxNumRows"), 0)
    lines = text(df).splitlines()
    edges = [at for at, mark in enumerate(lines[0]) if mark == "+"]
    rows = [
        [_escaped(line[start + 1 : end].strip()) for start, end in zip(edges, edges[1:])]
        for line in lines
        if line.startswith("|")
    ]
    made = ["<table border='1'>", "<tr><th>" + "</th><th>".join(rows[0]) + "</th></tr>"]
    made += ["<tr><td>" + "</td><td>".join(row) + "</td></tr>" for row in rows[1:]]
    out = "\n".join(made) + "\n</table>\n"
    return out + f"only showing top {most} {'row' if most == 1 else 'rows'}\n" if "only showing" in lines[-1] else out
