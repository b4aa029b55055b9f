//! The plan that adaptive execution ends with, over small data: exchanges as the stages they were run as.

use super::physical::Line;

/// The final plan of an initial one.
pub(super) fn finished(initial: Line) -> Line {
    let mut stages = 0;
    let line = staged(initial, &mut stages);
    let mut root = Line::over("ResultQueryStage", format!("ResultQueryStage {stages}"), line);
    root.number_stages(&mut 0);
    root
}

/// Exchanges become query stages, numbered as they are ready: from the leaves up.
fn staged(mut line: Line, stages: &mut usize) -> Line {
    if let Some(join) = line.broadcast.take() {
        return broadcast(line, &join, stages);
    }
    line.children = line.children.into_iter().map(|child| staged(child, stages)).collect();
    let kind = match line.name.as_str() {
        "Exchange" => "ShuffleQueryStage",
        "BroadcastExchange" => "BroadcastQueryStage",
        _ => return line,
    };
    // The number of partitions that a user gave stays.
    let coalesced = kind == "ShuffleQueryStage"
        && !line.text.contains("SinglePartition")
        && !line.text.contains("REPARTITION_BY_NUM");
    let stage = stage(kind, line, stages);
    if coalesced { read("coalesced", stage) } else { stage }
}

fn stage(kind: &str, line: Line, stages: &mut usize) -> Line {
    *stages += 1;
    Line::over(kind, format!("{kind} {}", *stages - 1), line)
}

fn read(how: &str, line: Line) -> Line {
    Line::over("AQEShuffleRead", format!("AQEShuffleRead {how}"), line)
}

/// A join that sorts, with its side broadcast once both are shuffled (OptimizeShuffleWithLocalRead reads them where they lie).
fn broadcast(mut line: Line, join: &super::physical::Broadcast, stages: &mut usize) -> Line {
    let mut sides: Vec<Line> = Vec::new();
    for mut side in line.children {
        if side.name == "Sort"
            && let Some(below) = side.children.pop()
        {
            side = below;
        }
        side.children = side.children.into_iter().map(|child| staged(child, stages)).collect();
        let shuffled = if side.name == "Exchange" { stage("ShuffleQueryStage", side, stages) } else { side };
        sides.push(read("local", shuffled));
    }
    if join.built < sides.len() {
        let built = sides.remove(join.built);
        let text = format!("BroadcastExchange {}, [plan_id={stages}]", join.mode);
        let exchange = Line::over("BroadcastExchange", text, built);
        sides.insert(join.built, stage("BroadcastQueryStage", exchange, stages));
    }
    line.name = "BroadcastHashJoin".to_owned();
    line.text.clone_from(&join.text);
    line.children = sides;
    line
}
