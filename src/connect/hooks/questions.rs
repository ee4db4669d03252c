//! Questions with options from Claude Code, Codex and opencode: one card, and the answers in the form each expects.

use serde_json::{Map, Value, json};

/// An agent's questions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Questions(Vec<Question>);

#[derive(Clone, Debug, PartialEq)]
struct Question {
    /// The name of its field on the card.
    name: String,
    /// The agent's id for it.
    id: Option<String>,
    text: String,
    /// Labels with descriptions.
    options: Vec<(String, String)>,
    several: bool,
}

impl Questions {
    /// The questions in a tool's input; `None` if there are none, or they cannot be read.
    pub(super) fn read(input: &Map<String, Value>) -> Option<Self> {
        let questions = input.get("questions")?.as_array().filter(|questions| !questions.is_empty())?;
        let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
        let mut names: Vec<String> = Vec::new();
        let read = questions.iter().enumerate().map(|(n, question)| {
            let header = text(question, "header").unwrap_or_default();
            let plain: String =
                header.chars().filter(|c| c.is_alphanumeric() || " _-".contains(*c)).collect();
            let plain = plain.trim().to_owned();
            let needs_number = plain.is_empty() || names.contains(&plain);
            let name = if needs_number { format!("{plain} {}", n + 1).trim().to_owned() } else { plain };
            names.push(name.clone());
            let options = question.get("options").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let option = |option: &Value| {
                Some((text(option, "label")?, text(option, "description").unwrap_or_default()))
            };
            let several = ["multiSelect", "multiple"];
            Some(Question {
                name,
                id: text(question, "id"),
                text: text(question, "question")?,
                options: options.iter().map(option).collect::<Option<_>>()?,
                several: several.iter().any(|name| question.get(name) == Some(&Value::Bool(true))),
            })
        });
        Some(Self(read.collect::<Option<_>>()?))
    }

    /// One line for the list.
    pub(super) fn title(&self) -> String {
        match self.0.as_slice() {
            [one] => one.text.clone(),
            all => {
                let names: Vec<&str> = all.iter().map(|question| question.name.as_str()).collect();
                format!("{} questions: {}", all.len(), names.join(", "))
            }
        }
    }

    /// All questions, with numbered options. A single one goes without its name, and is left out if it is the title.
    pub(super) fn text(&self, title: &str) -> String {
        let mut out = String::new();
        for question in &self.0 {
            out.push_str(&match self.0.len() {
                1 if question.text == title => String::new(),
                1 => format!("{}\n", question.text),
                _ => format!("{}: {}\n", question.name, question.text),
            });
            for (n, (label, about)) in question.options.iter().enumerate() {
                let about = if about.is_empty() { String::new() } else { format!(" ({about})") };
                out.push_str(&format!("  {} {label}{about}\n", n + 1));
            }
            out.push('\n');
        }
        let several = self.0.iter().any(|question| question.several);
        out.push_str("Answer with a number, a label or words of your own");
        out.push_str(if several { "; `1,2` chooses several" } else { "" });
        out.push_str(if self.0.len() > 1 { "; one line for each question." } else { "." });
        out
    }

    /// An empty field for each question.
    pub(super) fn fields(&self) -> Map<String, Value> {
        self.0.iter().map(|question| (question.name.clone(), Value::from(""))).collect()
    }

    pub(super) fn schema(&self) -> Value {
        let field = |question: &Question| {
            let labels: Vec<&str> = question.options.iter().map(|(label, _)| label.as_str()).collect();
            let about = format!("{} {}", question.text, labels.join(" / "));
            (question.name.clone(), json!({"type": "string", "description": about.trim()}))
        };
        let properties: Map<String, Value> = self.0.iter().map(field).collect();
        json!({"type": "object", "properties": properties, "additionalProperties": false})
    }

    /// The choices from the fields that a person filled in; `None` if all are empty.
    pub(super) fn chosen_in(&self, args: &Value) -> Option<Answers<'_>> {
        let typed =
            |question: &Question| args.get(&question.name).and_then(Value::as_str).unwrap_or_default();
        self.chosen(self.0.iter().map(typed))
    }

    /// The choices from text, one line per question; `None` if the lines do not match the questions.
    pub(super) fn chosen_by(&self, words: &str) -> Option<Answers<'_>> {
        let lines: Vec<&str> = match self.0.len() {
            1 => vec![words],
            _ => words.lines().map(str::trim).filter(|line| !line.is_empty()).collect(),
        };
        if lines.len() == self.0.len() { self.chosen(lines.into_iter()) } else { None }
    }

    fn chosen<'a>(&self, typed: impl Iterator<Item = &'a str>) -> Option<Answers<'_>> {
        let chosen: Vec<Vec<String>> =
            self.0.iter().zip(typed).map(|(asked, typed)| asked.chosen(typed)).collect();
        let any = chosen.iter().any(|chosen| !chosen.is_empty());
        any.then_some(Answers { questions: &self.0, chosen })
    }
}

impl Question {
    /// The choices that the typed text means: options by number or label, or the person's own words.
    fn chosen(&self, typed: &str) -> Vec<String> {
        let typed = typed.trim();
        if typed.is_empty() {
            return Vec::new();
        }
        let option = |word: &str| {
            let number = word.parse::<usize>().ok().and_then(|n| self.options.get(n.checked_sub(1)?));
            let label = || self.options.iter().find(|(label, _)| label.eq_ignore_ascii_case(word));
            number.or_else(label).map(|(label, _)| label.clone())
        };
        if let Some(one) = option(typed) {
            return vec![one];
        }
        let parts = typed.split(',').map(|word| option(word.trim())).collect::<Option<Vec<_>>>();
        parts.filter(|_| self.several).unwrap_or_else(|| vec![typed.to_owned()])
    }
}

pub(super) struct Answers<'a> {
    questions: &'a [Question],
    chosen: Vec<Vec<String>>,
}

impl Answers<'_> {
    /// Keyed by the text of each question, as Claude Code expects.
    pub(super) fn by_text(&self) -> Value {
        let pairs = self.questions.iter().zip(&self.chosen).filter(|(_, chosen)| !chosen.is_empty());
        pairs.map(|(question, chosen)| (question.text.clone(), Value::from(chosen.join(", ")))).collect()
    }

    /// Keyed by the agent's id for each question, as Codex expects.
    pub(super) fn by_id(&self) -> Value {
        let pairs = self.questions.iter().zip(&self.chosen).filter(|(_, chosen)| !chosen.is_empty());
        pairs
            .filter_map(|(question, chosen)| Some((question.id.clone()?, json!({"answers": chosen}))))
            .collect()
    }

    /// In the order of the questions, as opencode expects.
    pub(super) fn in_order(&self) -> Value {
        json!(self.chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Questions {
        let input = json!({"questions": [
            {"question": "Which colour?", "header": "Colour", "multiSelect": false, "options": [
                {"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]},
            {"question": "Which sizes?", "header": "Colour", "multiSelect": true, "options": [
                {"label": "S"}, {"label": "L"}]},
        ]});
        Questions::read(input.as_object().unwrap()).unwrap()
    }

    #[test]
    fn options_are_chosen_by_number_label_or_words() {
        let questions = asked();
        let text = questions.text("2 questions: Colour, Colour 2");
        assert!(text.contains("Colour: Which colour?\n  1 Red (warm)\n  2 Blue (cold)"), "{text}");
        assert_eq!(questions.fields().keys().collect::<Vec<_>>(), ["Colour", "Colour 2"]);
        for (colour, sizes, expected) in [
            ("2", "1,2", json!([["Blue"], ["S", "L"]])),
            ("red", "l", json!([["Red"], ["L"]])),
            ("green, please", "1, XL", json!([["green, please"], ["1, XL"]])),
            ("7", "", json!([["7"], []])),
        ] {
            let fields = json!({"Colour": colour, "Colour 2": sizes});
            assert_eq!(questions.chosen_in(&fields).unwrap().in_order(), expected);
        }
        assert!(questions.chosen_in(&json!({"Colour": " "})).is_none());
        let answers = questions.chosen_by("2\n\n1,2\n").unwrap().by_text();
        assert_eq!(answers, json!({"Which colour?": "Blue", "Which sizes?": "S, L"}));
        assert!(questions.chosen_by("whatever you like").is_none());
    }

    #[test]
    fn what_are_no_questions_is_none() {
        for input in [json!({}), json!({"questions": []}), json!({"questions": [{"header": "x"}]})] {
            assert_eq!(Questions::read(input.as_object().unwrap()), None, "{input}");
        }
    }
}
