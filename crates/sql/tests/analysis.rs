//! Names, types and errors of analysed SQL text, against what Spark shows.
#![allow(clippy::panic, reason = "helpers of tests fail as tests do")]

use std::rc::Rc;
use std::sync::Arc;

use tidemark_sql::dataframe;
use tidemark_sql::plan::PlanRef;
use tidemark_sql::session::{Clock, SqlSession};
use tidemark_vfs::MemoryFs;

struct Still;

impl Clock for Still {
    fn now_us(&self) -> i64 {
        0
    }
}

fn session() -> SqlSession {
    let session = SqlSession::new(Arc::new(MemoryFs::new()), "/", Rc::new(Still), 2);
    let table = "CREATE TEMP VIEW t AS SELECT * FROM VALUES \
        (1, 2.5D, 'x', array(1), map('k', 1), named_struct('in', 1, 'w', 'v'), TIMESTAMP'2026-02-14 10:00:00') \
        AS t(id, amount, `name it`, xs, m, st, ts)";
    sql(&session, table);
    session
}

fn sql(session: &SqlSession, text: &str) -> PlanRef {
    match dataframe::sql(session, text, Vec::new(), Vec::new()) {
        Ok(plan) => plan,
        Err(error) => panic!("{text}: {error}"),
    }
}

fn names(session: &SqlSession, text: &str) -> Vec<String> {
    sql(session, text).output().iter().map(|column| column.name.to_string()).collect()
}

fn error(session: &SqlSession, text: &str) -> String {
    match dataframe::sql(session, text, Vec::new(), Vec::new()) {
        Ok(plan) => panic!("{text}: {:?}", plan.output()),
        Err(error) => error.to_string().trim_start().lines().next().unwrap_or_default().to_owned(),
    }
}

#[test]
fn columns_without_an_alias_are_named_by_their_text() {
    let session = session();
    for (expr, name) in [
        ("id + 1", "(id + 1)"),
        ("id - amount", "(id - amount)"),
        ("id * 2.0D", "(id * 2.0)"),
        ("-id", "(- id)"),
        ("NOT id > 1", "(NOT (id > 1))"),
        ("id > 1 AND amount <= 2", "((id > 1) AND (amount <= 2))"),
        ("id != 1 OR `name it` IS NULL", "((NOT (id = 1)) OR (name it IS NULL))"),
        ("id <=> NULL", "(id <=> NULL)"),
        ("CAST(id AS STRING)", "id"),
        ("id::double", "id"),
        ("CAST(id AS DOUBLE) + 1", "(CAST(id AS DOUBLE) + 1)"),
        ("st.in", "in"),
        ("st['w']", "st.w"),
        ("xs[0]", "xs[0]"),
        ("m['k']", "m[k]"),
        ("m.k", "k"),
        ("upper(`name it`)", "upper(name it)"),
        ("coalesce(id, 0)", "coalesce(id, 0)"),
        ("CASE WHEN id = 1 THEN 'a' END", "CASE WHEN (id = 1) THEN a END"),
        ("id IN (1, 2)", "(id IN (1, 2))"),
        ("ts + INTERVAL 1 DAY", "ts + INTERVAL '1' DAY"),
        ("if(id > 1, 'y', 'n')", "(IF((id > 1), y, n))"),
        ("sum(amount * 2)", "sum((amount * 2))"),
        ("count(*)", "count(1)"),
        ("count(DISTINCT amount)", "count(DISTINCT amount)"),
        ("sum(amount) FILTER (WHERE id > 1)", "sum(amount) FILTER (WHERE (id > 1))"),
        ("id || 'b'", "concat(id, b)"),
        ("window(ts, '10 minutes')", "window"),
        ("window(ts, '10 minutes', '5 minutes').start", "window.start"),
        ("date'2026-01-01'", "DATE '2026-01-01'"),
        ("(SELECT max(id) FROM t)", "scalarsubquery()"),
        ("explode(xs)", "col"),
        (
            "sum(amount) OVER (PARTITION BY id)",
            "sum(amount) OVER (PARTITION BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
        ),
    ] {
        assert_eq!(names(&session, &format!("SELECT {expr} FROM t")), [name], "{expr}");
    }
}

#[test]
fn errors_are_sparks() {
    let session = session();
    sql(&session, "CREATE TEMP VIEW orders AS SELECT * FROM VALUES (1, 2, 'a', 500) AS o(ts, sent, shop, cents)");
    for (text, expected) in [
        (
            "SELECT cent FROM orders",
            "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `cent` cannot be resolved. Did you mean one of the following? [`cents`, `sent`, `ts`, `shop`]. SQLSTATE: 42703; line 1 pos 7;",
        ),
        (
            "SELECT * FROM t WHERE sum(id) > 3",
            "[INVALID_WHERE_CONDITION] The WHERE condition \"(sum(id) > 3)\" contains invalid expressions: sum(t.id).",
        ),
        (
            "SELECT id, sum(amount) FROM t GROUP BY amount",
            "[MISSING_AGGREGATION] The non-aggregating expression \"id\" is based on columns which are not participating in the GROUP BY clause.",
        ),
        (
            "SELECT id FROM nothere",
            "[TABLE_OR_VIEW_NOT_FOUND] The table or view `nothere` cannot be found. Verify the spelling and correctness of the schema and catalog.",
        ),
        (
            "SELECT id FROM t ORDER BY 2",
            "[ORDER_BY_POS_OUT_OF_RANGE] ORDER BY position 2 is not in select list (valid range is [1, 1]). SQLSTATE: 42805; line 1 pos 26",
        ),
        ("SELECT id +", "[PARSE_SYNTAX_ERROR] Syntax error at or near end of input. SQLSTATE: 42601 (line 1, pos 11)"),
        (
            "SELECT row_number() OVER (PARTITION BY id) FROM t",
            "[WINDOW_FUNCTION_FRAME_NOT_ORDERED] Window function row_number requires the window to be ordered. You need to add an ORDER BY clause. For example: SELECT row_number() OVER (PARTITION BY window_partition ORDER BY window_ordering) FROM table. SQLSTATE: 42601",
        ),
    ] {
        assert_eq!(error(&session, text), expected, "{text}");
    }
}

#[test]
fn queries_of_every_shape_are_analysed() {
    let session = session();
    sql(&session, "CREATE TEMP VIEW people AS SELECT * FROM VALUES ('ann', 'no'), ('bob', 'se') AS p(name, country)");
    for (text, expected) in [
        (
            "WITH big AS (SELECT * FROM t WHERE amount >= 1) SELECT b.id FROM big b LEFT JOIN people p ON p.name = b.`name it`",
            vec!["id"],
        ),
        (
            "SELECT id, count(*) AS n FROM t GROUP BY id HAVING sum(amount) > 20 OR id IS NULL ORDER BY max(amount) DESC",
            vec!["id", "n"],
        ),
        (
            "SELECT id FROM t WHERE `name it` NOT IN (SELECT name FROM people WHERE name <> 'zed') ORDER BY id",
            vec!["id"],
        ),
        (
            "SELECT id, (SELECT max(country) FROM people p WHERE p.name = o.`name it`) AS country FROM t o ORDER BY id",
            vec!["id", "country"],
        ),
        ("SELECT name FROM people p WHERE NOT EXISTS (SELECT 1 FROM t o WHERE o.`name it` = p.name)", vec!["name"]),
        ("SELECT id, pos, item FROM t LATERAL VIEW OUTER posexplode(xs) AS pos, item", vec!["id", "pos", "item"]),
        ("SELECT id, e.col FROM t, LATERAL explode(xs) AS e", vec!["id", "col"]),
        (
            "SELECT CASE WHEN amount < 50 THEN 'low' ELSE 'high' END AS level, count(*) AS n FROM t GROUP BY 1 ORDER BY 1",
            vec!["level", "n"],
        ),
        ("SELECT id FROM t UNION SELECT 1L ORDER BY id", vec!["id"]),
        ("VALUES (1, 'a'), (2, NULL)", vec!["col1", "col2"]),
        ("SELECT * FROM range(3)", vec!["id"]),
        ("SELECT id AS x, x + 1 AS y FROM t", vec!["x", "y"]),
        ("SELECT * EXCEPT (xs, m, st, ts) FROM t", vec!["id", "amount", "name it"]),
        (
            "FROM t |> WHERE amount > 2 |> AGGREGATE sum(amount) AS total GROUP BY id |> ORDER BY id",
            vec!["id", "total"],
        ),
        ("SELECT id, grouping_id() AS g FROM t GROUP BY ROLLUP (id) ORDER BY g", vec!["id", "g"]),
        (
            "SELECT * FROM (SELECT id, amount, `name it` AS n FROM t) PIVOT (sum(amount) AS total, count(amount) FOR n IN ('x' AS first, 'q2'))",
            vec!["id", "first_total", "first_count(amount)", "q2_total", "q2_count(amount)"],
        ),
        (
            "SELECT window.start, count(*) AS n FROM t GROUP BY window(ts, '10 minutes', '5 minutes')",
            vec!["start", "n"],
        ),
        (
            "SELECT id, rank() OVER w AS r FROM t WINDOW w AS (PARTITION BY id ORDER BY amount) ORDER BY r",
            vec!["id", "r"],
        ),
        (
            "SELECT o.id, x.n FROM t o, LATERAL (SELECT count(*) AS n FROM people c WHERE c.name = o.`name it`) x",
            vec!["id", "n"],
        ),
    ] {
        assert_eq!(names(&session, text), expected, "{text}");
    }
}
