//! What the person sees: who asks, what it wants, and in whose words. Commands are shown as commands and file changes
//! as diffs, all from what was handed in: a card never opens a file.

use super::original;
use super::place::AS_IT_IS;
use super::report::Report;
use super::risk::FILES;
use super::shell;
use super::state::{Request, RequestOutcome};
use crate::engine::graph::{AnyState, Kind};
use crate::inbox::{Block, Card, Question, act_words, changed_lines};
use crate::text::Visible;
use serde_json::{Map, Value};

/// The title of a command's panel.
const RUN: &str = "This will run";

pub(super) fn draw(state: &AnyState, question: Option<&Question>) -> Card {
    let Some(state) = state.get::<Request>() else { return Card::default() };
    let mut blocks: Vec<Block> = state.reported.as_ref().map(outcome).into_iter().collect();
    blocks.extend(question.and_then(|question| Block::warnings(&question.warnings)));
    let mut rest = match question {
        // The result of a thread is what the asker was told; its card shows what was asked, as the person changed it.
        None => match &state.given {
            Some(RequestOutcome::Edit { .. }) => state.args().as_object().cloned().unwrap_or_default(),
            _ => state.asked.args.clone().unwrap_or_default(),
        },
        Some(question) => question.args.as_object().cloned().unwrap_or_default(),
    };
    if state.asked.question {
        // The text names each question; a field that is still empty says nothing more.
        rest.retain(|_, value| value.as_str() != Some(""));
    }
    let (title, mut does) = if let Some(run) = command(&mut rest) {
        (RUN, run)
    } else if let Some(changes) = changes(&mut rest).or_else(|| several_files(&mut rest)) {
        ("This will be changed", changes)
    } else {
        ("This will be done", Vec::new())
    };
    // What an agent says its command is for runs nothing.
    let described = rest.get("description").and_then(Value::as_str).filter(|_| title == RUN);
    let described = described.map(|words| Block::fields([("described as", words)]));
    if described.is_some() {
        rest.remove("description");
    }
    does.extend(arguments(&rest));
    // Shown as it is: a program's words get no headings or emphasis from us.
    let text = state.asked.text.as_deref().map(Block::text);
    blocks.extend(differences(state));
    if question.is_some_and(|question| question.kind == Kind::Approval) && !does.is_empty() {
        blocks.push(Block::panel(title, does));
        blocks.extend(reason(state, question));
        blocks.extend(changed_since(question));
        blocks.extend(text);
    } else {
        blocks.extend(text);
        blocks.extend(does);
    }
    blocks.extend(described);
    blocks.push(Block::fields(who(state)));
    blocks.extend(question.map(offers));
    Card { blocks }
}

/// The outcome, as the agent reported it.
fn outcome(report: &Report) -> Block {
    let words = report.words();
    let changed = report.files.iter().map(|file| ("changed", file.as_str()));
    let error = report.error.iter().map(|error| ("error", error.as_str()));
    Block::fields(std::iter::once(("outcome", words.as_str())).chain(changed).chain(error))
}

/// What the asker can be told to remember, numbered for `sayso accept --remember`.
fn offers(question: &Question) -> Block {
    let offered = question.grantable.remember.iter().enumerate();
    Block::fields(offered.map(|(index, offer)| ("can remember", format!("{} · {}", index + 1, offer.words))))
}

pub(super) fn who(state: &Request) -> Vec<(&'static str, String)> {
    let request = &state.asked;
    let name = match &request.source {
        Some(name) => format!("a program that calls itself {name}"),
        None => "a program that gave no name".to_owned(),
    };
    let label = if request.notice { "told by" } else { "asked by" };
    let session = request.session.clone().unwrap_or_default();
    let optional = [
        ("action", request.action.clone()),
        ("in folder", request.folder.clone()),
        ("through links", Some(request.links.join(", "))),
        ("on branch", session.branch),
        ("you asked for", session.prompt),
        ("sub-agent", session.helper),
        ("session", Some(session.id)),
    ];
    let line = |text: String| Visible::line(&text).into_string();
    let optional = optional.into_iter().map(|(name, value)| (name, line(value.unwrap_or_default())));
    std::iter::once((label, line(name))).chain(optional).collect()
}

/// Shows a command as code.
fn command(args: &mut Map<String, Value>) -> Option<Vec<Block>> {
    let text = Visible::new(args.get("command")?.as_str()?);
    args.remove("command");
    Some(vec![Block::Code { language: "sh".to_owned(), text }])
}

/// Says which of several commands has to be asked about.
fn reason(state: &Request, question: Option<&Question>) -> Option<Block> {
    let (line, folder) = (state.asked.command()?, state.asked.folder.as_deref()?);
    let call = question.and_then(|question| question.grantable.call.as_ref());
    let text = match shell::segments(line, folder, folder) {
        Ok(all) if all.count > 1 => {
            let act = call?.act_asked_about()?;
            let location = if act.folder == folder { String::new() } else { format!(" in {}", act.folder) };
            format!("Asked because of `{}`{location}.", act_words(act))
        }
        Ok(_) => return None,
        Err(why) => format!("Asked as one command: {why}."),
    };
    Some(Block::text(&text))
}

/// How the files of a command changed since it was allowed with them.
fn changed_since(question: Option<&Question>) -> Vec<Block> {
    let Some(call) = question.and_then(|question| question.grantable.call.as_ref()) else {
        return Vec::new();
    };
    let now = |name: &String| call.act_asked_about()?.texts.get(name);
    let shown = |(name, was): (&String, &String)| {
        let file = name.trim_end_matches(AS_IT_IS);
        match now(name) {
            Some(now) => {
                let text = format!("You allowed this before `{file}` changed:");
                [Block::text(&text), Block::Diff(changed_lines(was, now))]
            }
            None => [Block::text(&format!("You allowed this when `{file}` was:")), Block::text(was)],
        }
    };
    call.was.iter().flat_map(shown).collect()
}

/// A change to a file: old and new text, a whole new text, or several changes in a row.
fn changes(args: &mut Map<String, Value>) -> Option<Vec<Block>> {
    let name = *FILES.iter().find(|name| args.get(**name).is_some_and(Value::is_string))?;
    let file = Visible::line(args.get(name)?.as_str()?);
    let old_and_new = |edit: &Map<String, Value>| {
        let text = |name: &str| edit.get(name).and_then(Value::as_str).map(str::to_owned);
        Some((
            text("old_string").or_else(|| text("old_str")).or_else(|| text("oldString"))?,
            text("new_string").or_else(|| text("new_str")).or_else(|| text("newString"))?,
        ))
    };
    let edits = args.get("edits").and_then(Value::as_array);
    let several = edits.and_then(|edits| {
        edits.iter().map(|edit| old_and_new(edit.as_object()?)).collect::<Option<Vec<_>>>()
    });
    let new_text = || {
        let text = args.get("content").or_else(|| args.get("new_source"))?.as_str()?;
        Some(vec![(String::new(), text.to_owned())])
    };
    let diffs = old_and_new(args).map(|pair| vec![pair]).or(several).or_else(new_text)?;
    let diff_keys = [
        "old_string",
        "old_str",
        "oldString",
        "new_string",
        "new_str",
        "newString",
        "edits",
        "content",
        "new_source",
    ];
    for key in diff_keys.into_iter().chain([name]) {
        args.remove(key);
    }
    let mut blocks = vec![Block::Fields(vec![(Visible::line("file"), file)])];
    blocks.extend(diffs.iter().map(|(before, after)| Block::Diff(changed_lines(before, after))));
    Some(blocks)
}

/// Changes to several files at once, each shown like a single one.
fn several_files(args: &mut Map<String, Value>) -> Option<Vec<Block>> {
    let mut blocks = Vec::new();
    for change in args.get("changes")?.as_array()? {
        let mut rest = change.as_object()?.clone();
        blocks.extend(changes(&mut rest)?);
        blocks.extend(arguments(&rest));
    }
    args.remove("changes");
    Some(blocks)
}

/// Says where the shown text differs from what would run.
fn differences(state: &Request) -> Option<Block> {
    let sentences = original::differences(state.asked.args.as_ref()?);
    if sentences.is_empty() {
        return None;
    }
    let text = format!(
        "The original differs from what is shown here. {} Accept runs the original, byte for byte. If you edit a \
         text, it is written as shown, placeholders included.",
        sentences.join(" ")
    );
    Some(Block::text(&text))
}

/// The other arguments, each under its name.
fn arguments(args: &Map<String, Value>) -> Option<Block> {
    let fields = args.iter().map(|(name, value)| {
        let pretty = || serde_json::to_string_pretty(value).unwrap_or_default();
        let shown = value.as_str().map(str::to_owned).or_else(|| lines(value)).unwrap_or_else(pretty);
        (Visible::line(name), Visible::new(&shown))
    });
    let fields: Vec<_> = fields.collect();
    (!fields.is_empty()).then_some(Block::Fields(fields))
}

/// A list of short texts, one on each line; `None` if that would not show where each begins and ends.
fn lines(value: &Value) -> Option<String> {
    let items = value.as_array().filter(|items| !items.is_empty())?;
    let is_line = |text: &&str| !text.is_empty() && text.trim() == *text && !text.contains(['\n', '\r']);
    let texts: Option<Vec<&str>> = items.iter().map(|item| item.as_str().filter(is_line)).collect();
    Some(texts?.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbox::Tone;
    use serde_json::json;

    fn draw_args(args: Value) -> (Option<Vec<Block>>, Map<String, Value>) {
        let mut rest = args.as_object().cloned().unwrap();
        let shown = command(&mut rest).or_else(|| changes(&mut rest));
        (shown, rest)
    }

    #[test]
    fn a_list_of_texts_is_shown_line_by_line() {
        assert_eq!(lines(&json!(["general", "dev ops"])).as_deref(), Some("general\ndev ops"));
        // Two lists must never look the same.
        for unclear in [json!([]), json!(["a\nb"]), json!(["a", ""]), json!([" a"]), json!([1]), json!("a")] {
            assert_eq!(lines(&unclear), None, "{unclear}");
        }
    }

    #[test]
    fn commands_and_changes_are_shown_as_what_they_are() {
        let (shown, rest) = draw_args(json!({"command": "ls\u{1b}[2J", "timeout": 3}));
        let Some([Block::Code { language, text }]) = shown.as_deref() else { panic!("{shown:?}") };
        assert!(language == "sh" && !text.as_str().contains('\u{1b}'));
        assert_eq!(rest.len(), 1);
        let (shown, rest) = draw_args(
            json!({"file_path": "/a/b.rs", "old_string": "x\ny", "new_string": "x\nz", "all": true}),
        );
        let Some([Block::Fields(_), Block::Diff(spans)]) = shown.as_deref() else { panic!("{shown:?}") };
        let tones: Vec<Tone> = spans.iter().map(|span| span.tone).collect();
        assert_eq!(tones, [Tone::Quiet, Tone::Removed, Tone::Added]);
        assert_eq!(rest, json!({"all": true}).as_object().cloned().unwrap());
        let several = json!({"file_path": "f", "edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]});
        assert_eq!(draw_args(several).0.unwrap().len(), 3);
        let (shown, _) = draw_args(json!({"file_path": "f", "content": "one\ntwo"}));
        let Some([_, Block::Diff(spans)]) = shown.as_deref() else { panic!("{shown:?}") };
        assert!(spans.iter().all(|span| span.tone == Tone::Added) && spans.len() == 2);
        let mut many = json!({"changes": [
            {"file_path": "f", "content": "x"},
            {"file_path": "g", "edits": [{"old_string": "a", "new_string": ""}], "moved_to": "h"},
        ]});
        let many = many.as_object_mut().unwrap();
        assert_eq!((several_files(many).unwrap().len(), many.len()), (5, 0));
        let torn = json!({"changes": [{"file_path": "f", "content": "x"}, {"file_path": "g"}]});
        assert_eq!(several_files(&mut torn.as_object().cloned().unwrap()), None);
        // Incomplete arguments are shown as they came.
        for args in [
            json!({"file_path": "f"}),
            json!({"content": "x"}),
            json!({"file_path": "f", "edits": [{"old_string": 3}]}),
        ] {
            let (shown, rest) = draw_args(args.clone());
            assert_eq!((shown, Value::Object(rest)), (None, args));
        }
    }
}
