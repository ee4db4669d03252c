//! Graphs drawn, as text for a terminal and as Mermaid for everything else.

use super::{Edge, Shape};
use std::fmt::Write;

impl Shape {
    /// One line a node: its name, and every way out of it with a mark for what happens on that way.
    pub fn text(&self) -> String {
        let widest = self.nodes.iter().map(|node| node.name.len()).max().unwrap_or(0).max("START".len());
        let mut out = format!("{}\n", self.name);
        let mut line = |name: &str, ways: String| {
            let _ = writeln!(out, "  {name:widest$}  {ways}");
        };
        line("START", format!("→ {}", self.entry));
        for node in &self.nodes {
            let ways: Vec<_> = node
                .edges
                .iter()
                .map(|edge| match edge {
                    Edge::Goto(to) => format!("→ {to}"),
                    Edge::Ask(to) => format!("asks → {to}"),
                    Edge::Spawn(to) => format!("starts children → {to}"),
                    Edge::End => "→ END".to_owned(),
                })
                .collect();
            line(&node.name, ways.join("  |  "));
        }
        out
    }

    /// A Mermaid flowchart; dashed edges wait for a person, thick ones for children.
    pub fn mermaid(&self) -> String {
        let mut out = format!(
            "---\ntitle: {}\n---\nflowchart TD\n    START([START]) --> {}\n",
            self.name,
            id(&self.entry)
        );
        for node in &self.nodes {
            let _ = writeln!(out, "    {}[{}]", id(&node.name), node.name);
        }
        for node in &self.nodes {
            let from = id(&node.name);
            for edge in &node.edges {
                let _ = match edge {
                    Edge::Goto(to) => writeln!(out, "    {from} --> {}", id(to)),
                    Edge::Ask(to) => writeln!(out, "    {from} -. asks .-> {}", id(to)),
                    Edge::Spawn(to) => writeln!(out, "    {from} == children ==> {}", id(to)),
                    Edge::End => writeln!(out, "    {from} --> END([END])"),
                };
            }
        }
        out
    }
}

/// Mermaid takes no slash and not the bare word `end` in an identifier.
fn id(name: &str) -> String {
    let safe: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("n_{safe}")
}
