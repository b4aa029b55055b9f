//! Whole queries: the order of rows as Spark gives them, and files as it reads them.

use std::rc::Rc;
use std::sync::Arc;

use tidemark_vfs::{FileSystem, MemoryFs};

use crate::dataframe::{self, Grouping, ReadSpec};
use crate::expr::{Expr, UnresolvedFunction};
use crate::functions::cast::to_pretty;
use crate::functions::datetime::zone::Zone;
use crate::plan::{JoinCondition, JoinKind, PlanRef};
use crate::session::{Clock, SqlSession};
use crate::types::parse_struct;
use crate::value::{Value, value_at};

struct Stopped;

impl Clock for Stopped {
    fn now_us(&self) -> i64 {
        0
    }
}

fn session() -> (SqlSession, Arc<MemoryFs>) {
    let fs = Arc::new(MemoryFs::default());
    let session = SqlSession::new(fs.clone(), "/", Rc::new(Stopped), 2);
    session.conf.borrow_mut().set("spark.sql.shuffle.partitions", "2").unwrap();
    (session, fs)
}

fn rows(session: &SqlSession, plan: &PlanRef) -> Vec<String> {
    let schema = plan.schema();
    let mut out = Vec::new();
    for batch in dataframe::collect(session, plan).unwrap() {
        for row in 0..batch.num_rows() {
            let cells: Vec<String> = schema
                .fields
                .iter()
                .enumerate()
                .map(|(i, f)| to_pretty(&value_at(batch.column(i), row, &f.data_type), &f.data_type, &Zone::UTC))
                .collect();
            out.push(cells.join(" "));
        }
    }
    out
}

fn name(n: &str) -> Expr {
    Expr::UnresolvedAttribute(vec![n.to_owned()])
}

fn function(n: &str, args: Vec<Expr>) -> Expr {
    Expr::UnresolvedFunction(Box::new(UnresolvedFunction {
        name: n.to_owned(),
        args,
        distinct: false,
        filter: None,
        ignore_nulls: false,
        over: None,
        within_group: Vec::new(),
        arg_names: Vec::new(),
        operator: false,
    }))
}

fn pairs(session: &SqlSession, list: &[(Option<&str>, i32)], partitions: usize) -> PlanRef {
    let schema = parse_struct("k string, v int").unwrap();
    let rows = list.iter().map(|(k, v)| vec![k.map_or(Value::Null, Value::from), Value::Integer(*v)]).collect();
    dataframe::local(session, &schema, rows, Some(partitions)).unwrap()
}

#[test]
fn groups_come_in_the_order_of_their_operator() {
    let (session, _) = session();
    session.conf.borrow_mut().set("spark.sql.shuffle.partitions", "1").unwrap();
    let data = pairs(&session, &[(None, 1), (Some("b"), 2), (Some("a"), 3), (Some("b"), 4), (None, 5)], 1);
    let grouped = |f: Expr| dataframe::aggregate(&session, &data, Grouping::By(vec![name("k")]), vec![f]).unwrap();
    // Hash aggregate: first appearance, null keys last.
    assert_eq!(rows(&session, &grouped(function("sum", vec![name("v")]))), ["b 6", "a 3", "NULL 6"]);
    // Sort aggregate, for a buffer that is not fixed-width: by key, nulls first.
    let text = function("max", vec![function("concat", vec![name("k")])]);
    assert_eq!(rows(&session, &grouped(text)), ["NULL NULL", "a a", "b b"]);
}

#[test]
fn a_sorted_limit_keeps_ties_in_the_order_of_their_partitions() {
    let (session, _) = session();
    let data = pairs(&session, &[(Some("x"), 1), (Some("x"), 2), (Some("x"), 3), (Some("x"), 4)], 2);
    let sorted = dataframe::sort(&session, &data, vec![name("k")], true).unwrap();
    let limited = dataframe::limit(&session, &sorted, 4).unwrap();
    assert_eq!(rows(&session, &limited), ["x 1", "x 2", "x 3", "x 4"]);
}

#[test]
fn hash_joins_give_the_newest_match_first() {
    let (session, _) = session();
    let left = pairs(&session, &[(Some("a"), 1), (Some("b"), 2), (None, 3)], 1);
    let right = pairs(&session, &[(Some("a"), 10), (Some("a"), 11), (Some("c"), 12)], 1);
    let right = dataframe::hint(&session, &right, "broadcast", Vec::new()).unwrap();
    let using = JoinCondition::Using(vec!["k".to_owned()]);
    let inner = dataframe::join(&session, &left, &right, JoinKind::LeftOuter, using).unwrap();
    assert_eq!(rows(&session, &inner), ["a 1 11", "a 1 10", "b 2 NULL", "NULL 3 NULL"]);
}

#[test]
fn malformed_json_lines_keep_what_fits() {
    let (session, fs) = session();
    let lines = concat!(
        "{\"id\": 1, \"price\": 2.5}\n{\"id\": 2, \"price\": \"cheap\"}\n{\"id\": 3, \"price\": 1\nnot json\n\n",
        "{\"id\": \"4\", \"price\": 4}\n[{\"id\": 6}, {\"id\": 7}]\nnull\n{\"id\": 8, \"price\": 8} trailing\n{'id': 11}\n",
        "{\"id\": 12, \"id\": 13, \"price\": NaN}\n"
    );
    fs.write("/in.json", lines.as_bytes(), 0).unwrap();
    let read = |schema: &str| {
        let spec = ReadSpec {
            format: Some("json".into()),
            schema: Some(parse_struct(schema).unwrap()),
            paths: vec!["/in.json".into()],
            ..ReadSpec::default()
        };
        rows(&session, &dataframe::read(&session, spec).unwrap())
    };
    assert_eq!(
        read("id int, price double"),
        [
            "1 2.5",
            "2 NULL",
            "NULL NULL",
            "NULL NULL",
            "NULL 4.0",
            "6 NULL",
            "7 NULL",
            "NULL NULL",
            "8 8.0",
            "11 NULL",
            "13 NaN"
        ]
    );
    assert_eq!(read("id int, _corrupt_record string")[2..4], ["NULL {\"id\": 3, \"price\": 1", "NULL not json"]);
}
