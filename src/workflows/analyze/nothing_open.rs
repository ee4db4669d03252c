//! Removes sections about open points that only say there are none.

/// Words in headings of sections about open points.
const OPEN_WORDS: &[&str] = &["open", "unresolved", "outstanding", "offen", "offene"];

/// Words that say the section is empty, and words that may surround them.
const NOTHING_WORDS: &[&str] = &["none", "nothing", "no", "n/a", "keine", "nichts"];
const FILLER_WORDS: &[&str] = &[
    "open",
    "points",
    "questions",
    "issues",
    "items",
    "remain",
    "remains",
    "remaining",
    "left",
    "at",
    "this",
    "time",
    "the",
    "moment",
    "currently",
    "so",
    "far",
    "known",
    "identified",
    "found",
    "there",
    "are",
    "is",
    "offen",
    "offene",
    "offenen",
    "punkte",
    "fragen",
    "mehr",
];

/// The document without its empty sections about open points.
pub(super) fn remove_empty_sections(document: &str) -> String {
    let lines: Vec<&str> = document.lines().collect();
    let mut kept_lines: Vec<&str> = Vec::with_capacity(lines.len());
    let mut index = 0;
    while let Some(line) = lines.get(index) {
        let end = (index + 1..lines.len()).find(|n| is_heading(lines[*n])).unwrap_or(lines.len());
        if is_heading(line) && is_about_open(line) && says_nothing(&lines[index..end]) {
            index = end;
        } else {
            kept_lines.push(line);
            index += 1;
        }
    }
    if kept_lines.len() == lines.len() {
        return document.to_owned();
    }
    let text = kept_lines.join("\n");
    text.trim_end().to_owned() + "\n"
}

/// `## Open points`, `**Open points**` and `**Open points:** None`.
fn is_heading(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('#') || (line.starts_with("**") && line.matches("**").count() >= 2)
}

fn is_about_open(heading: &str) -> bool {
    let title = heading.split_once(':').map_or(heading, |(title, _)| title);
    words(title).iter().any(|word| OPEN_WORDS.contains(&word.as_str()))
}

/// Whether a section only says that there is nothing, next to its heading or below it.
fn says_nothing(section: &[&str]) -> bool {
    let (Some(heading), below) = (section.first(), &section[1..]) else { return false };
    let after_colon = heading.split_once(':').map_or("", |(_, rest)| rest);
    let words = words(&format!("{after_colon} {}", below.join(" ")));
    let is_expected =
        |word: &String| NOTHING_WORDS.contains(&word.as_str()) || FILLER_WORDS.contains(&word.as_str());
    words.iter().any(|word| NOTHING_WORDS.contains(&word.as_str())) && words.iter().all(is_expected)
}

fn words(text: &str) -> Vec<String> {
    let normalize = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    text.split_whitespace().map(normalize).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_that_says_there_is_nothing_is_left_out() {
        for section in [
            "## Open points\n\nNone.\n",
            "## Open points\n\n- None\n",
            "### What remains open\nNothing at this time.\n",
            "## 4. Open Questions\n\nN/A\n",
            "**Open points:** None\n",
            "**Open points**\n\nNo open points remain.\n",
            "## Open points: none\n",
            "## Offene Punkte\n\nKeine.\n",
        ] {
            let document = format!("# Plan\n\n## Findings\n\nIt works.\n\n{section}");
            assert_eq!(remove_empty_sections(&document), "# Plan\n\n## Findings\n\nIt works.\n", "{section}");
            let between = format!("{document}\n## Files\n\nplan.md\n");
            assert_eq!(
                remove_empty_sections(&between),
                "# Plan\n\n## Findings\n\nIt works.\n\n## Files\n\nplan.md\n",
                "{section}"
            );
        }
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        for document in [
            "",
            "None",
            "## Open points\n\n- None of the vendors has answered\n",
            "## Open points\n\nNothing is known about the price of the second server.",
            "## Decisions\n\nNone.\n",
            "## Open points\n",
            "## Open source\n\nIt is MIT.\n",
        ] {
            assert_eq!(remove_empty_sections(document), document);
        }
    }
}
