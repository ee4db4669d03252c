//! Graphs as Mermaid, for use outside the terminal.

use super::{Edge, Shape};
use std::fmt::Write;

impl Shape {
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

/// Mermaid allows neither a slash nor the bare word `end` in an identifier.
fn id(name: &str) -> String {
    let safe: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("n_{safe}")
}
