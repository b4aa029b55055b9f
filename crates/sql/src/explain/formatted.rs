//! explain("formatted"): the tree with a number for every operator, then the operators one by one with what they read and give.

use super::physical::Line;

/// The plan in the two parts that ExplainUtils.processPlan prints.
pub(super) fn text(root: &Line) -> String {
    let mut out = String::from("== Physical Plan ==\n");
    let mut numbers = Vec::new();
    number(root, &mut numbers);
    let mut details = Vec::new();
    tree(root, &mut Vec::new(), &numbers, &mut details, &mut out);
    details.sort_by_key(|(number, _)| *number);
    out.push('\n');
    for (_, text) in details {
        out.push('\n');
        out.push_str(&text);
    }
    out.push('\n');
    out
}

/// Operators in the order of their numbers: children first.
fn number<'a>(line: &'a Line, numbers: &mut Vec<&'a Line>) {
    line.children.iter().for_each(|child| number(child, numbers));
    numbers.push(line);
}

fn tree(line: &Line, last: &mut Vec<bool>, numbers: &[&Line], details: &mut Vec<(usize, String)>, out: &mut String) {
    super::indent(last, out);
    let own = numbers.iter().position(|known| std::ptr::eq(*known, line)).map_or(0, |at| at + 1);
    if line.stage.is_some() {
        out.push_str("* ");
    }
    out.push_str(&format!("{} ({own})\n", line.shown()));
    let codegen = line.stage.map_or_else(String::new, |stage| format!(" [codegen id : {stage}]"));
    let mut text = format!("({own}) {}{codegen}\n", line.short_name());
    for detail in &line.details {
        text.push_str(detail);
        text.push('\n');
    }
    details.push((own, text));
    let count = line.children.len();
    for (i, child) in line.children.iter().enumerate() {
        last.push(i + 1 == count);
        tree(child, last, numbers, details, out);
        last.pop();
    }
}
