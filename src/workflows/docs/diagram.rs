//! Diagrams made from facts, in Mermaid.

use super::facts::ProjectFacts;
use crate::tools::tree::Link;
use std::collections::BTreeSet;
use std::fmt::Write;

/// How many parts and links a diagram shows; more would be unreadable.
const NODES: usize = 24;
const ARROWS: usize = 120;

/// The comment in a diagram that leaves arrows out.
pub(super) const LEFT_OUT: &str = "    %% arrows to what is reached through others are left out\n";

/// With more arrows than this, those implied by others are left out.
const MANY_ARROWS: usize = 20;

/// A diagram of which parts depend on which.
pub(super) fn import_graph(project: &ProjectFacts) -> Option<String> {
    let mut parts: BTreeSet<&str> = BTreeSet::new();
    let mut arrows = Vec::new();
    for link in project.program_links().take(ARROWS) {
        let new_parts =
            [link.from.as_str(), link.to.as_str()].into_iter().filter(|name| !parts.contains(name)).count();
        if parts.len() + new_parts <= NODES {
            parts.extend([link.from.as_str(), link.to.as_str()]);
            arrows.push(link);
        }
    }
    if arrows.is_empty() {
        return None;
    }
    let total = arrows.len();
    if total > MANY_ARROWS {
        reduce(&mut arrows);
    }
    let names: Vec<&str> = parts.into_iter().collect();
    let prefix = common_folder(&names);
    let id = |name: &str| names.iter().position(|other| *other == name).unwrap_or_default();
    let mut out = "graph LR\n".to_owned();
    if arrows.len() < total {
        out.push_str(LEFT_OUT);
    }
    for (index, name) in names.iter().enumerate() {
        let _ = writeln!(out, "    n{index}[\"{}\"]", label(&name[prefix..]));
    }
    for link in arrows {
        let _ = writeln!(out, "    n{} --> n{}", id(&link.from), id(&link.to));
    }
    Some(out)
}

/// Removes arrows to parts that are also reached through others, those with the fewest files first.
fn reduce(arrows: &mut Vec<&Link>) {
    let mut at = arrows.len();
    while at > 0 {
        at -= 1;
        let (from, to) = (arrows[at].from.as_str(), arrows[at].to.as_str());
        let mut seen: BTreeSet<&str> = BTreeSet::from([from]);
        let mut next = vec![from];
        while let Some(part) = next.pop() {
            let outgoing =
                arrows.iter().enumerate().filter(|(other, link)| *other != at && link.from == part);
            for (_, link) in outgoing {
                if seen.insert(&link.to) {
                    next.push(&link.to);
                }
            }
        }
        if seen.contains(to) {
            arrows.remove(at);
        }
    }
}

/// The length of the folder that all names share.
fn common_folder(names: &[&str]) -> usize {
    let Some(first) = names.first() else { return 0 };
    let is_shared = |end: &usize| names.iter().all(|name| name.get(..*end) == first.get(..*end));
    first.match_indices('/').map(|(at, _)| at + 1).rfind(is_shared).unwrap_or(0)
}

/// Text without characters that mean something in a diagram.
fn label(text: &str) -> String {
    text.replace('"', "'").replace(['[', ']', '{', '}', '<', '>', '`', '#', ';'], " ")
}
