//! The palette: every action by its name, and lines such as `analyze --query "…"` that start a thread.
//!
//! It never decides: for an action that decides it shows the key, which must be pressed with the card visible.

use super::actions::{Action, Scope};
use super::editor::Editor;
use super::key::Key;
use super::layers::{draw_line, half_page, screen};
use super::layout::centred;
use super::model::{Model, Popup, Press, Rows};
use super::tabs::start;
use super::{draw, fuzzy, words};
use crate::text::shell_words;
use ratatui::layout::Rect;
use ratatui::terminal::Frame;
use serde_json::{Map, Value};

/// The line of text, and the selected suggestion.
pub struct Palette {
    editor: Editor,
    cursor: usize,
    /// Says whether an action makes sense in the tab below.
    available: fn(&Model, Action) -> Result<(), &'static str>,
    /// Runs an action there.
    run: fn(&mut Model, Action, Press),
}

/// A row of the palette.
struct Suggestion {
    text: String,
    key: String,
    action: SuggestionAction,
}

/// What choosing a row of the palette does.
enum SuggestionAction {
    Action(Action),
    /// Starts a thread of this workflow with this input.
    Start(String, Value),
    /// Opens the form for a thread of this workflow.
    Form(String),
    /// One of the user's own commands.
    Own,
}

/// How much an action's fit counts; a better word match counts for more.
const FIT_WEIGHT: i64 = 4;

/// Where keys work that the tab below may lack.
static ELSEWHERE: [Scope; 5] = [Scope::Card, Scope::List, Scope::Decide, Scope::Thread, Scope::Memory];

impl Palette {
    pub fn new(
        available: fn(&Model, Action) -> Result<(), &'static str>,
        run: fn(&mut Model, Action, Press),
    ) -> Self {
        Self { editor: Editor::line(""), cursor: 0, available, run }
    }

    /// What it offers for the typed text, best match first.
    fn suggestions(&self, model: &Model) -> Vec<Suggestion> {
        let typed = self.editor.text().trim();
        if let Some(line) = verb_line(model, typed) {
            return vec![line];
        }
        let mut suggestions: Vec<(i64, Suggestion)> = Vec::new();
        let scopes = model.tab_scopes();
        // Before anything is typed, shorter lines are no better than longer ones.
        let score = |text: &str| if typed.is_empty() { Some(0) } else { fuzzy::score(text, typed) };
        for action in Action::ALL.iter().copied().filter(|action| *action != Action::Palette) {
            let Some((key, scopes)) = self.keys_of(model, &scopes, action) else { continue };
            let name = action.name().replace('_', " ");
            let mut text = titled(&name, model.keymap.help_of(scopes, action));
            if let [elsewhere] = scopes {
                text = format!("{text} · {}", elsewhere.title());
            }
            if let Some(score) = score(&text) {
                let default_score = if typed.is_empty() { default_score(action) } else { 0 };
                let score = score + self.fit_score(model, scopes, action) + default_score;
                suggestions.push((score, Suggestion { text, key, action: SuggestionAction::Action(action) }));
            }
        }
        for (key, name) in model.keymap.own_commands() {
            let text = format!("{}: your own command", words::line(name));
            if let Some(score) = score(&text) {
                suggestions.push((score, Suggestion { text, key, action: SuggestionAction::Own }));
            }
        }
        for workflow in &model.workflows {
            let text = format!("start {}: {}", workflow.name, workflow.about);
            if let Some(score) = score(&text) {
                let action = SuggestionAction::Form(workflow.name.clone());
                suggestions.push((score, Suggestion { text, key: String::new(), action }));
            }
        }
        suggestions.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        let best = suggestions.first().map_or(0, |(score, _)| *score);
        suggestions.retain(|(score, _)| typed.is_empty() || *score >= best / 2);
        suggestions.into_iter().map(|(_, suggestion)| suggestion).collect()
    }

    /// The keys of an action, and the scopes they are for: those of the tab, or the one place elsewhere that has it. Such
    /// places are looked through once something is typed.
    fn keys_of<'s>(&self, model: &Model, here: &'s [Scope], action: Action) -> Option<(String, &'s [Scope])> {
        if let Some(key) = model.keymap.key_of(here, action) {
            return Some((key, here));
        }
        let mut places = ELSEWHERE.chunks(1).filter(|_| !self.editor.text().trim().is_empty());
        places.find_map(|place| Some((model.keymap.key_of(place, action)?, place)))
    }

    /// Actions that fit the selection come first, unavailable ones last.
    fn fit_score(&self, model: &Model, scopes: &[Scope], action: Action) -> i64 {
        let mut near = scopes.iter().filter(|scope| scope.is_about_selection());
        match (self.available)(model, action) {
            Err(_) => -FIT_WEIGHT,
            Ok(()) if near.any(|scope| model.keymap.key_of(&[*scope], action).is_some()) => FIT_WEIGHT,
            Ok(()) => 0,
        }
    }

    /// Enter: runs the selected suggestion, unless it decides.
    fn choose(&self, model: &mut Model, suggestion: Suggestion) {
        let key = suggestion.key;
        match suggestion.action {
            SuggestionAction::Start(workflow, input) => start::start(model, workflow, input, None),
            SuggestionAction::Form(workflow) => start::open_form(model, &workflow),
            SuggestionAction::Own => {
                model.say(format!("{}: press {key} with the card on the screen", suggestion.text));
            }
            SuggestionAction::Action(action) if action.decides() => {
                model.say(format!("{}: press {key} with the card on the screen", action.help()));
            }
            SuggestionAction::Action(action) => match (self.available)(model, action) {
                Ok(()) => {
                    (self.run)(model, action, Press { key: Key::plain('\n'), at: model.now, burst: true });
                }
                Err("") => model.say(format!("{}: {key} does nothing here", suggestion.text)),
                Err(why) => model.refuse(why),
            },
        }
    }
}

impl Popup for Palette {
    fn scope(&self) -> Scope {
        Scope::Prompt
    }

    fn act(mut self: Box<Self>, model: &mut Model, action: Action) -> Option<Box<dyn Popup>> {
        let mut rows = Rows { cursor: self.cursor, ..self.suggestions(model).into() };
        match action {
            Action::Cancel => return None,
            Action::Choose if rows.selected().is_some() => {
                let suggestion = rows.rows.swap_remove(rows.cursor);
                self.choose(model, suggestion);
                return None;
            }
            Action::Choose => model.say("There is no such action"),
            action => rows.act(action, half_page(model)),
        }
        self.cursor = rows.cursor;
        Some(self)
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let theme = &model.theme;
        let screen = screen(model);
        let outer = centred(screen, 76, screen.height.saturating_sub(2).min(18));
        let area = draw::frame(frame.buffer_mut(), outer, "Palette", theme.accent);
        if area.is_empty() {
            return false;
        }
        draw_line(
            model,
            frame,
            area,
            ":",
            &self.editor,
            "an action, or a line such as `start WORKFLOW key=value`",
        );
        let buf = frame.buffer_mut();
        let rows = Rows { cursor: self.cursor, ..self.suggestions(model).into() };
        let list = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        let shown = rows.shown(list.height);
        for (y, (n, suggestion)) in
            (list.y..list.bottom()).zip(rows.rows.iter().enumerate().skip(shown.start))
        {
            let line = Rect { y, height: 1, ..list };
            let end_x = draw::right(buf, line, y, &format!(" {} ", suggestion.key), theme.accent);
            let room = Rect { width: end_x.saturating_sub(line.x), ..line };
            draw::text(buf, room, line.x + 1, y, &suggestion.text, theme.text);
            if n == self.cursor {
                buf.set_style(line, theme.selected);
            }
        }
        draw::more(theme, shown, rows.rows.len(), list, buf);
        if rows.rows.is_empty() && list.height > 0 {
            draw::text(buf, list, list.x + 1, list.y, "There is no such action", theme.quiet);
        }
        true
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        vec![(Action::Choose, "do it"), (Action::Cancel, "close")]
    }

    fn editor(&mut self) -> Option<&mut Editor> {
        Some(&mut self.editor)
    }

    fn text_changed(&mut self, _: &mut Model) {
        self.cursor = 0;
    }

    fn wheel(&mut self, model: &Model, by: isize) {
        let mut rows = Rows { cursor: self.cursor, ..self.suggestions(model).into() };
        rows.step(by);
        self.cursor = rows.cursor;
    }
}

/// An action's name and what it does, unless that says the name already.
fn titled(name: &str, help: &str) -> String {
    let help_words: Vec<&str> = help.split(|letter: char| !letter.is_alphanumeric()).collect();
    if name.split(' ').all(|word| help_words.contains(&word)) {
        help.to_owned()
    } else {
        format!("{name}: {help}")
    }
}

/// Common first actions come first. Moving about comes last: nobody does that from the palette.
fn default_score(action: Action) -> i64 {
    match action {
        Action::NewThread | Action::Search => 1,
        Action::Down
        | Action::Up
        | Action::Top
        | Action::Bottom
        | Action::PageDown
        | Action::PageUp
        | Action::CardDown
        | Action::CardUp => -1,
        _ => 0,
    }
}

/// `start analyze query=… inputs=…` or `analyze --query "…" --inputs ./docs`.
fn verb_line(model: &Model, typed: &str) -> Option<Suggestion> {
    // Paths may contain backslashes, so nothing escapes.
    let words = shell_words(typed, None);
    let mut rest = words.as_slice();
    if rest.first().is_some_and(|word| word == "start") {
        rest = &rest[1..];
    }
    let (name, arguments) = rest.split_first()?;
    let workflow = model.workflows.iter().find(|workflow| workflow.name == *name)?;
    if arguments.is_empty() {
        return None;
    }
    let input = parse_arguments(&workflow.schema, arguments)?;
    let text = format!("start {} with {}", workflow.name, words::line(&input.to_string()));
    Some(Suggestion {
        text,
        key: "Enter".to_owned(),
        action: SuggestionAction::Start(workflow.name.clone(), input),
    })
}

/// What the words say: `query=…`, `--query "…"`, `--query=…`, or `--recursive` alone. `None` if a value is missing.
fn parse_arguments(schema: &Value, words: &[String]) -> Option<Value> {
    let mut input = Map::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (key, value) = match word.strip_prefix("--").map(|flag| flag.split_once('=').ok_or(flag)) {
            None => word.split_once('=').map(|(key, value)| (key.to_owned(), value))?,
            Some(Ok((key, value))) => (key.replace('-', "_"), value),
            Some(Err(flag)) => {
                let key = flag.replace('-', "_");
                let value = if has_type(schema, &key, "boolean") { "true" } else { words.next()? };
                (key, value)
            }
        };
        let value = parse_argument(schema, &key, value);
        input.insert(key, value);
    }
    Some(Value::Object(input))
}

/// Strings stay verbatim, everything else is read as JSON; a bare word for a list becomes a list of one.
fn parse_argument(schema: &Value, key: &str, value: &str) -> Value {
    if has_type(schema, key, "string") {
        return Value::from(value);
    }
    match serde_json::from_str(value) {
        Ok(value) => value,
        Err(_) if has_type(schema, key, "array") => Value::from(vec![value]),
        Err(_) => Value::from(value),
    }
}

fn has_type(schema: &Value, key: &str, word: &str) -> bool {
    match schema.pointer(&format!("/properties/{key}/type")) {
        Some(Value::String(one)) => one == word,
        Some(Value::Array(some)) => some.iter().any(|one| one == word),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_name_is_not_said_twice() {
        assert_eq!(titled("inbox", "the inbox"), "the inbox");
        assert_eq!(titled("quit", "quit"), "quit");
        assert_eq!(titled("next view", "next view: steps, trace"), "next view: steps, trace");
        assert_eq!(titled("pin line", "pin or unpin a line"), "pin or unpin a line");
        assert_eq!(titled("memory", "what was learned"), "memory: what was learned");
    }

    #[test]
    fn words_mean_what_the_schema_says() {
        let schema = json!({"properties": {
            "query": {"type": "string"}, "inputs": {"type": "array"}, "n": {"type": ["integer", "null"]}
        }});
        assert_eq!(parse_argument(&schema, "query", "12"), json!("12"));
        assert_eq!(parse_argument(&schema, "inputs", "./docs"), json!(["./docs"]));
        assert_eq!(parse_argument(&schema, "n", "12"), json!(12));
        assert_eq!(parse_argument(&schema, "other", "true"), json!(true));
    }

    #[test]
    fn a_line_is_read_as_on_the_command_line() {
        let schema = json!({"properties": {
            "query": {"type": "string"}, "inputs": {"type": "array"}, "recursive": {"type": "boolean"}
        }});
        let read = |line: &str| parse_arguments(&schema, &shell_words(line, None));
        let all = json!({"query": "a = b", "inputs": ["./docs"], "recursive": true});
        assert_eq!(read("--recursive --query \"a = b\" --inputs ./docs"), Some(all.clone()));
        assert_eq!(read("--query \"a = b\" --inputs=./docs --recursive"), Some(all.clone()));
        assert_eq!(read("recursive=true \"query=a = b\" inputs=./docs"), Some(all));
        assert_eq!(read("--recursive ./docs"), None);
        assert_eq!(read("--query"), None, "its value is missing");
    }
}
