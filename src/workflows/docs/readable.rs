//! Pages as a terminal shows them: diagrams drawn as text, and tables as lists, because narrow columns would cut their
//! words off.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A page with each of our Mermaid diagrams drawn as text, and each table as a list.
pub(super) fn readable(page: &str) -> String {
    let mut out = String::new();
    let mut diagram: Option<Vec<&str>> = None;
    let mut head: Option<Vec<String>> = None;
    for line in page.lines() {
        match &mut diagram {
            None if line.trim() == "```mermaid" => diagram = Some(Vec::new()),
            None if line.starts_with("| ") => match &head {
                None => head = Some(cells(line)),
                Some(_) if line.starts_with("| ---") => {}
                Some(head) => out += &list_item(head, &cells(line)),
            },
            None => {
                head = None;
                out.push_str(line);
                out.push('\n');
            }
            Some(lines) if line.trim() == "```" => {
                let _ = write!(out, "```text\n{}```\n", draw_arrows(lines));
                diagram = None;
            }
            Some(lines) => lines.push(line),
        }
    }
    // An unfinished diagram is shown as it is.
    diagram.into_iter().flatten().for_each(|line| out += &format!("{line}\n"));
    out
}

/// The cells of a row in one of our tables.
fn cells(row: &str) -> Vec<String> {
    let inner = row.trim().trim_start_matches("| ").trim_end_matches('|');
    inner.replace("\\|", "\u{0}").split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect()
}

/// A row as a list item; a bare number is shown with its heading.
fn list_item(head: &[String], cells: &[String]) -> String {
    let is_number = |cell: &str| cell.chars().all(|c| c.is_ascii_digit() || " %–".contains(c));
    let cell_text = |(cell, head): (&String, &String)| {
        if is_number(cell) { format!("{head} {cell}") } else { cell.clone() }
    };
    let rest = cells.iter().zip(head).skip(1).filter(|(cell, _)| !cell.is_empty()).map(cell_text);
    let rest = rest.collect::<Vec<_>>().join(" · ");
    let first = cells.first().map(String::as_str).unwrap_or_default();
    if rest.is_empty() { format!("- {first}\n") } else { format!("- {first}: {rest}\n") }
}

/// Every node with the nodes it leads to, one line per arrow.
fn draw_arrows(lines: &[&str]) -> String {
    let mut labels: BTreeMap<&str, &str> = BTreeMap::new();
    let mut sources: Vec<&str> = Vec::new();
    let mut arrows: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in lines.iter().map(|line| line.trim()) {
        if let Some((source, target)) = line.split_once(" --> ") {
            if !arrows.contains_key(source) {
                sources.push(source);
            }
            arrows.entry(source).or_default().push(target);
        } else if let Some((id, rest)) = line.split_once('[') {
            labels.insert(id, rest.split('"').nth(1).unwrap_or(rest));
        }
    }
    let mut out = String::new();
    for source in sources {
        let name = labels.get(source).unwrap_or(&source);
        let targets = &arrows[source];
        for (index, target) in targets.iter().enumerate() {
            let (start, mark) = match (index, targets.len()) {
                (0, 1) => (format!("{name} "), "──▶"),
                (0, _) => (format!("{name} "), "─┬▶"),
                (index, count) => {
                    (" ".repeat(name.chars().count() + 1), if index + 1 == count { " └▶" } else { " ├▶" })
                }
            };
            let _ = writeln!(out, "{start}{mark} {}", labels.get(target).unwrap_or(target));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagrams_are_drawn_and_the_rest_stays() {
        let page = "# A\n\n```mermaid\ngraph LR\n    n0[\"core.py\"]\n    n1[\"a.py\"]\n    n2[\"b.py\"]\n    \
                    n0 --> n1\n    n0 --> n2\n    n1 --> n2\n```\n\nWords.\n";
        let expected = "# A\n\n```text\ncore.py ─┬▶ a.py\n         └▶ b.py\na.py ──▶ b.py\n```\n\nWords.\n";
        assert_eq!(readable(page), expected);
        assert_eq!(readable("```mermaid\ngraph"), "graph\n");
        let table =
            "| page | lines | about |\n| --- | --- | --- |\n| `a` | 3 | a \\| b |\n| `b` | 4 |  |\n\nEnd.\n";
        assert_eq!(readable(table), "- `a`: lines 3 · a | b\n- `b`: lines 4\n\nEnd.\n");
        assert_eq!(readable("```\ngraph\n```\n"), "```\ngraph\n```\n");
    }
}
