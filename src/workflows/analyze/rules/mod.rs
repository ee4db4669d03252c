//! Analysis by quotation: which sentences of the files share words with the question, and what is missing.
//!
//! The output says that it only quotes and counts and draws no conclusions. Findings are sentences with their file,
//! decisions are the person's words, and open points are things that no file mentions or that a file leaves open. It
//! asks the one question whose answer would change its findings most.

mod find;

use serde_json::Value;

use self::find::{Findings, find};
use crate::llm::{Answer, Task, facts};
use crate::text::words::{line, sentences, stems, words};
use crate::workflows::analyze::facts::{AnalyzeFacts, Role};

const NOTE: &str = "_Built-in rules, no language model: sentences are quoted from the files because they share \
                    words with the question; nothing is inferred._";

/// How many findings a card and the summary show.
const ON_A_CARD: usize = 6;
const IN_THE_SUMMARY: usize = 12;

/// Words a question begins with.
const ASKING: &str = "what which who whom whose when where why how is are am was were do does did has have had can \
                      could will would shall should isn't aren't don't doesn't didn't can't couldn't won't wouldn't \
                      shouldn't wer wo wann warum welche welcher welches";

/// The tasks that work without a language model.
pub(in crate::workflows) const TASKS: &[Task] =
    &[("analyze.initial", initial), ("analyze.followup", followup), ("analyze.final", summary)];

/// `analyze.initial`
fn initial(value: &Value) -> Result<Answer, String> {
    let facts = facts::<AnalyzeFacts>(value)?;
    let findings = find(&facts.files, &[(&facts.query, 1.0)], ON_A_CARD);
    let mut out = vec![NOTE.to_owned(), files_read(&facts)];
    out.push(quote_section(&findings, &format!("What they say about “{}”", line(&facts.query, 120))));
    out.extend(unmentioned(&findings));
    out.push(format!("**Question.** {}", question(&findings, &[])));
    Ok(Answer::Text(out.join("\n\n")))
}

/// `analyze.followup`
fn followup(value: &Value) -> Result<Answer, String> {
    let facts = facts::<AnalyzeFacts>(value)?;
    let answers = answers(&facts);
    let mut weighted_texts: Vec<(&str, f64)> = vec![(&facts.query, 1.0), (&facts.input, 2.0)];
    weighted_texts.extend(answers.iter().map(|answer| (answer.words.as_str(), 0.5)));
    let findings = find(&facts.files, &weighted_texts, ON_A_CARD);
    let agent_turns: Vec<&str> =
        facts.history.iter().filter(|turn| turn.role == Role::Agent).map(|turn| turn.text.as_str()).collect();
    let new_count = findings
        .quotes
        .iter()
        .filter(|quote| !agent_turns.iter().any(|text| text.contains(&quote.text)))
        .count();
    let mut out = vec![NOTE.to_owned()];
    out.push(format!(
        "Taken into account: “{}”. {}",
        line(&facts.input, 200),
        match (findings.quotes.len(), new_count) {
            (0, _) => "No sentence of the files uses these words.".to_owned(),
            (_, 0) => "It points to no sentence that was not quoted before.".to_owned(),
            (all, new_count) => format!("{new_count} of the {all} sentences below were not quoted before."),
        }
    ));
    out.push(quote_section(&findings, "Proposal, from the files"));
    if !answers.is_empty() {
        out.push(format!("**By your answers**\n\n{}", decisions(&answers)));
    }
    out.extend(unmentioned(&findings));
    out.push(format!("**Question.** {}", question(&findings, &agent_turns)));
    Ok(Answer::Text(out.join("\n\n")))
}

/// `analyze.final`
fn summary(value: &Value) -> Result<Answer, String> {
    let facts = facts::<AnalyzeFacts>(value)?;
    let answers = answers(&facts);
    let mut weighted_texts: Vec<(&str, f64)> = vec![(&facts.query, 1.0)];
    weighted_texts.extend(answers.iter().map(|answer| (answer.words.as_str(), 1.0)));
    let findings = find(&facts.files, &weighted_texts, IN_THE_SUMMARY);
    let mut out = vec![format!("# {}", line(&facts.query, 200)), NOTE.to_owned(), "## Findings".to_owned()];
    out.push(quotes(&findings));
    out.push("## Decisions".to_owned());
    let answers: Vec<PersonAnswer> = answers.into_iter().filter(|answer| !answer.only_asks()).collect();
    out.push(if answers.is_empty() { "None were taken on the way.".to_owned() } else { decisions(&answers) });
    let mut open: Vec<String> =
        findings.missing.iter().map(|word| format!("- No file mentions “{word}”.")).collect();
    open.extend(findings.open.iter().map(|quote| format!("- Left open in {}: “{}”", quote.file, quote.text)));
    if !open.is_empty() {
        out.push(format!("## Open points\n\n{}", open.join("\n")));
    }
    out.push("## Files".to_owned());
    out.push(files_read(&facts));
    Ok(Answer::Text(out.join("\n\n") + "\n"))
}

/// What was read, in numbers.
fn files_read(facts: &AnalyzeFacts) -> String {
    let count = |text: &str| text.split_whitespace().count();
    let total: usize = facts.files.iter().map(|file| count(&file.text)).sum();
    let names: Vec<String> = facts
        .files
        .iter()
        .take(12)
        .map(|file| format!("`{}` ({} words)", line(&file.name, 80), count(&file.text)))
        .collect();
    let more = facts.files.len().saturating_sub(names.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    match facts.files.len() {
        0 => "No file was given.".to_owned(),
        1 => format!("Read 1 file: {}.", names.join(", ")),
        files => format!("Read {files} files, {total} words: {}{more}.", names.join(", ")),
    }
}

fn quote_section(findings: &Findings, title: &str) -> String {
    format!("**{title}**\n\n{}", quotes(findings))
}

fn quotes(findings: &Findings) -> String {
    if findings.quotes.is_empty() {
        let about = if findings.topics.is_empty() {
            String::new()
        } else {
            format!(" The words used most in them: {}.", findings.topics.join(", "))
        };
        return format!("No sentence of the files shares a word with the question.{about}");
    }
    let rows = findings.quotes.iter().map(|quote| format!("- “{}” (`{}`)", quote.text, quote.file));
    rows.collect::<Vec<_>>().join("\n")
}

fn unmentioned(findings: &Findings) -> Option<String> {
    if findings.missing.is_empty() || findings.quotes.is_empty() {
        return None;
    }
    let words: Vec<String> = findings.missing.iter().map(|word| format!("“{word}”")).collect();
    Some(format!("No file mentions {}.", words.join(", ")))
}

/// The question whose answer would change the findings most, among those not asked yet.
fn question(findings: &Findings, asked: &[&str]) -> String {
    let mut candidates = Vec::new();
    if findings.quotes.is_empty() {
        candidates.push(match findings.topics.as_slice() {
            [] => "Which files should be read for this?".to_owned(),
            topics => format!("Which of these should I look at instead: {}?", topics.join(", ")),
        });
    }
    for quote in findings.open.iter().take(2) {
        candidates.push(format!("`{}` leaves this open: “{}” What should it be?", quote.file, quote.text));
    }
    for word in findings.missing.iter().take(2) {
        candidates.push(format!("The files do not mention “{word}”. What should be assumed about it?"));
    }
    if let Some(quote) = &findings.choice {
        candidates.push(format!("`{}` names alternatives: “{}” Which one?", quote.file, quote.text));
    }
    let unasked = candidates.into_iter().find(|text| !asked.iter().any(|turn| turn.contains(text.as_str())));
    unasked.unwrap_or_else(|| {
        "Does this answer it? Approve it, or name what to look at more closely.".to_owned()
    })
}

/// What the person answered, and the question they were asked.
struct PersonAnswer {
    question: Option<String>,
    words: String,
}

impl PersonAnswer {
    /// Whether the person answered with nothing but a question.
    fn only_asks(&self) -> bool {
        self.words.ends_with('?') && sentences(&self.words).into_iter().all(is_question)
    }
}

/// Whether a sentence is built as a question. A mark alone does not make it one: “Postgres, as before?” decides.
fn is_question(sentence: &str) -> bool {
    let mut words = words(sentence).skip_while(|word| matches!(word.as_str(), "and" | "but" | "or" | "so"));
    let first = words.next().unwrap_or_default();
    sentence.ends_with('?') && ASKING.split(' ').any(|word| word == first)
}

/// The person's answers, without the query and without approvals.
fn answers(facts: &AnalyzeFacts) -> Vec<PersonAnswer> {
    let query = stems(&facts.query);
    let mut question = None;
    let mut out: Vec<PersonAnswer> = Vec::new();
    let turns = facts.history.iter().map(|turn| (turn.role, turn.text.as_str()));
    for (role, text) in turns.chain([(Role::User, facts.input.as_str())]) {
        match role {
            Role::Agent => {
                question = text.rsplit_once("**Question.** ").map(|(_, question)| line(question, 300));
            }
            Role::User => {
                let bare = text.strip_prefix("analyze:").unwrap_or(text).trim();
                let is_repeated = out.last().is_some_and(|last| last.words == line(bare, 400));
                if !bare.is_empty() && stems(bare) != query && !approves(bare) && !is_repeated {
                    out.push(PersonAnswer { question: question.take(), words: line(bare, 400) });
                }
            }
        }
    }
    out
}

fn decisions(answers: &[PersonAnswer]) -> String {
    let rows = answers.iter().map(|answer| match &answer.question {
        Some(question) => format!("- {question} — **{}**", answer.words),
        None => format!("- **{}**", answer.words),
    });
    rows.collect::<Vec<_>>().join("\n")
}

fn approves(text: &str) -> bool {
    let words: Vec<String> = words(text).collect();
    matches!(words.join(" ").as_str(), "solution approved" | "done" | "okay bye")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn folder() -> Value {
        json!([
            {"name": "plan.md", "text": "# Offline mode\n\nThe offline mode keeps a local copy of each document. Conflicts are resolved by the newest change. The size limit of the local copy is TBD.\n\nBilling is not part of this."},
            {"name": "notes/talk.txt", "text": "Bob said that users lose changes when the train enters a tunnel.\nWe could store changes in SQLite or in plain files. Lunch was good."}
        ])
    }

    fn text(answer: Result<Answer, String>) -> String {
        match answer {
            Ok(Answer::Text(text)) => text,
            Ok(_) => panic!("no text"),
            Err(why) => panic!("{why}"),
        }
    }

    #[test]
    fn the_first_answer_quotes_counts_and_asks_one_question() {
        let query = "How should offline mode handle document conflicts and encryption?";
        let answer = text(initial(&json!({"query": query, "files": folder(), "input": query})));
        assert!(answer.contains("Conflicts are resolved by the newest change.” (`plan.md`)"), "{answer}");
        assert!(answer.contains("No file mentions “encryption”"), "{answer}");
        assert!(!answer.contains("Lunch was good"), "{answer}");
        assert_eq!(answer.matches("**Question.**").count(), 1);
        assert!(answer.contains("no language model"));
    }

    #[test]
    fn a_followup_uses_the_answer_and_does_not_repeat_its_question() {
        let query = "Plan the offline mode";
        let first = text(initial(&json!({"query": query, "files": folder(), "input": query})));
        assert!(first.contains("TBD"), "{first}");
        let history = json!([{"role": "user", "text": query}, {"role": "agent", "text": first}]);
        let facts = json!({
            "query": query, "files": folder(), "history": history,
            "input": "At most 500 MB. And where do we store changes?",
        });
        let second = text(followup(&facts));
        assert!(second.contains("SQLite") && second.contains("At most 500 MB"), "{second}");
        let last_question = |text: &str| text.rsplit_once("**Question.** ").map(|(_, q)| q.to_owned());
        assert_ne!(last_question(&first), last_question(&second));
    }

    #[test]
    fn the_summary_holds_findings_decisions_and_open_points() {
        let query = "Plan the offline mode with encryption";
        let history = json!([
            {"role": "user", "text": format!("analyze: {query}")},
            {"role": "agent", "text": "…\n\n**Question.** How large may it be?"},
            {"role": "user", "text": "At most 500 MB"},
            {"role": "agent", "text": "…\n\n**Question.** Anything else?"},
            {"role": "user", "text": "What is open?"},
            {"role": "agent", "text": "…"},
        ]);
        let facts = json!({"query": query, "files": folder(), "history": history, "input": "DONE"});
        let summary = text(summary(&facts));
        for part in [
            "# Plan the offline mode",
            "(`plan.md`)",
            "How large may it be? — **At most 500 MB**",
            "“encryption”",
            "TBD",
            "notes/talk.txt",
        ] {
            assert!(summary.contains(part), "{part} in {summary}");
        }
        assert!(!summary.contains("**DONE**"), "{summary}");
        assert!(!summary.contains("What is open?"), "a question decides nothing: {summary}");
        assert_eq!(summary, text(super::summary(&facts)));
    }

    #[test]
    fn an_answer_that_says_something_is_a_decision_even_with_a_question_mark() {
        let is_decision = |words: &str| !PersonAnswer { question: None, words: words.to_owned() }.only_asks();
        for answer in ["Postgres, as before?", "At most 500 MB. And where do we store it?", "May 5?", "Files"]
        {
            assert!(is_decision(answer), "{answer}");
        }
        for question in
            ["What is open?", "And what's the limit?", "Can we wait? Who knows?", "Isn't it SQLite?"]
        {
            assert!(!is_decision(question), "{question}");
        }
    }

    #[test]
    fn nothing_found_is_said() {
        let facts = json!({"query": "zebra migration", "files": folder(), "input": "zebra migration"});
        let answer = text(initial(&facts));
        assert!(answer.contains("shares a word") && answer.contains("instead"), "{answer}");
        let empty = text(initial(&json!({"query": "x", "files": [], "input": ""})));
        assert!(empty.contains("No file was given"), "{empty}");
    }
}
