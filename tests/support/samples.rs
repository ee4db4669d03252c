//! Samples of everything a person can be asked: approvals, mails, questions, trouble and results.

use super::test_inbox::{Builder, Folder, TestInbox};
use sayso::app::Settings;
use sayso::engine::graph::{
    Answer, Command, Ctx, Decision, Event, EventKind, Grade, Grantable, Graph, Interrupt, Kind, NodeError,
    State, Warning, Workflow, ask, end, goto,
};
use sayso::inbox::{AttachmentLine, Block, BodyPiece, Card, MailBlock, Question, Span, Spec, Tone, proposal};
use sayso::text::Visible;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The file where each answer is written, one per line.
pub struct Outbox(pub PathBuf);

#[derive(Default, Clone, Serialize, Deserialize)]
pub struct Sample {
    pub kind: String,
    pub title: String,
    pub text: String,
    pub from: String,
    pub answers: Vec<Answer>,
    pub heard: Vec<String>,
}

/// What is asked.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SampleInput {
    /// mail, letter, reply, meeting, python, question, trouble, slow or report
    pub kind: String,
    /// One line
    pub title: String,
    /// Its text
    #[serde(default)]
    pub text: Option<String>,
    /// Whom it comes from
    #[serde(default)]
    pub from: Option<String>,
    /// A folder to read
    #[serde(default)]
    pub inputs: Option<Vec<String>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SampleUpdate {
    Started { kind: String, title: String, text: String, from: String },
    Answered(Vec<Answer>),
    Heard { text: String },
}

impl State for Sample {
    type Input = SampleInput;
    type Update = SampleUpdate;

    fn started(input: SampleInput) -> SampleUpdate {
        let SampleInput { kind, title, text, from, inputs: _ } = input;
        SampleUpdate::Started { kind, title, text: text.unwrap_or_default(), from: from.unwrap_or_default() }
    }

    fn answered(answers: Vec<Answer>) -> SampleUpdate {
        SampleUpdate::Answered(answers)
    }

    fn arrived(event: Event) -> Option<SampleUpdate> {
        match event.what {
            EventKind::Words { text } | EventKind::Hint { text } => Some(SampleUpdate::Heard { text }),
            EventKind::News { payload, .. } | EventKind::Corrected { payload } => {
                Some(SampleUpdate::Heard { text: payload.to_string() })
            }
            EventKind::AnsweredElsewhere { .. } => Some(SampleUpdate::Heard { text: "settled".to_owned() }),
        }
    }

    fn apply(&mut self, update: SampleUpdate) {
        match update {
            SampleUpdate::Started { kind, title, text, from } => {
                (self.kind, self.title, self.text, self.from) = (kind, title, text, from);
            }
            SampleUpdate::Answered(answers) => self.answers.extend(answers),
            SampleUpdate::Heard { text } => self.heard.push(text),
        }
    }

    fn title(&self) -> String {
        self.title.clone()
    }

    fn output(&self) -> Option<Value> {
        (self.kind == "report").then(|| json!({"answer": self.text, "heard": self.heard}))
    }
}

async fn begin(ctx: Ctx<Outbox>, state: Arc<Sample>) -> Result<Command<Sample>, NodeError> {
    match state.kind.as_str() {
        "trouble" => return Err(NodeError::failed(format!("the server said: {}", state.text))),
        "report" => return Ok(Command::end()),
        "slow" => {
            for word in 0..200_000_u32 {
                ctx.show_text(&format!("word {word} "));
                ctx.show_bar("reading", u64::from(word), 200_000);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            return Ok(Command::end());
        }
        _ => {}
    }
    Ok(Command::ask(vec![asked(&state)], "finish"))
}

fn asked(state: &Sample) -> Interrupt {
    let (kind, action, args, schema) = match state.kind.as_str() {
        "mail" | "letter" => (Kind::Triage, "notify", json!({"subject": state.title}), Value::Bool(true)),
        "meeting" => (
            Kind::Approval,
            "schedule_meeting",
            json!({"title": state.title, "start": "2026-03-01T09:00:00Z", "minutes": 30, "online": true, "tone": "warm"}),
            json!({
                "type": "object", "required": ["title", "start", "minutes"], "additionalProperties": false,
                "properties": {
                    "title": {"type": "string", "minLength": 1, "description": "what it is called"},
                    "start": {"type": "string", "format": "date-time"},
                    "minutes": {"type": "integer", "minimum": 5, "maximum": 480},
                    "online": {"type": "boolean"},
                    "tone": {"enum": ["warm", "dry"]}
                }
            }),
        ),
        "python" => (
            Kind::Approval,
            "python",
            json!({"code": CODE}),
            json!({"type": "object", "required": ["code"], "properties": {"code": {"type": "string"}}}),
        ),
        "question" => (Kind::Question, "question", json!({"content": state.text}), Value::Bool(true)),
        _ => (
            Kind::Approval,
            "write_email",
            json!({"to": [state.from], "subject": format!("Re: {}", state.title), "body": state.text}),
            json!({
                "type": "object", "required": ["to", "subject", "body"], "additionalProperties": false,
                "properties": {
                    "to": {"type": "array", "items": {"type": "string"}, "minItems": 1},
                    "subject": {"type": "string"},
                    "body": {"type": "string"}
                }
            }),
        ),
    };
    let mut asked = proposal("ask", kind, action, &args, &state.title);
    asked.schema = schema;
    asked.gist = state.text.lines().next().unwrap_or_default().chars().take(80).collect();
    asked.source = Some(state.from.clone()).filter(|from| !from.is_empty());
    asked.irreversible = matches!(state.kind.as_str(), "reply" | "meeting" | "warned" | "remarked");
    if state.kind == "reply" {
        asked.allow.draft = true;
        asked.grantable =
            Grantable { thread: true, sender: Some("eve@example.org".to_owned()), ..Grantable::default() };
    }
    if state.kind == "warned" {
        let text = "the recipient is not in this conversation";
        asked.warnings.push(Warning::caution("recipient_outside_thread", text));
        asked.grantable = Grantable { thread: true, ..Grantable::default() };
    }
    if state.kind == "remarked" {
        asked.warnings.push(Warning::new(Grade::Info, "first_contact", "a new sender"));
    }
    if kind == Kind::Question {
        asked.allow.edit = false;
    }
    if kind == Kind::Triage {
        asked.allow.edit = false;
    }
    asked
}

pub const CODE: &str = "import math\n\ndef mean(values):\n    \"\"\"The usual one.\"\"\"\n    return sum(values) / len(values)  # not for an empty list\n\nprint(mean([1, 2.5, 3]))\n";

async fn finish(ctx: Ctx<Outbox>, state: Arc<Sample>) -> Result<Command<Sample>, NodeError> {
    use std::io::Write;
    let last = state.answers.last();
    let line = match last.map(|answer| &answer.decision) {
        Some(Decision::Accept) => format!("accept {}", state.title),
        Some(Decision::Edit { args }) => format!("edit {args}"),
        Some(Decision::Respond { text }) => format!("respond {text}"),
        Some(Decision::Ignore) => format!("ignore {}", state.title),
        Some(Decision::Draft) => format!("draft {}", state.title),
        None => "nothing".to_owned(),
    };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(&ctx.services().0);
    file.and_then(|mut file| writeln!(file, "{line}")).map_err(|e| NodeError::failed(e.to_string()))?;
    Ok(Command::goto("rest"))
}

async fn rest(_: Ctx<Outbox>, _: Arc<Sample>) -> Result<Command<Sample>, NodeError> {
    Ok(Command::end())
}

fn card(state: &Sample, question: Option<&Question>) -> Card {
    let text = |raw: &str| Visible::new(raw);
    let Some(item) = question else {
        return Card { blocks: vec![Block::Markdown(text(&state.text))] };
    };
    let mut blocks = Vec::new();
    let args = item.args.as_object().cloned().unwrap_or_default();
    match item.action.as_str() {
        "python" => {
            let code = Block::Code { language: "python".to_owned(), text: text(CODE) };
            blocks.push(Block::panel("This will run", vec![code]));
            blocks.push(Block::Heading(text("What it reads")));
            let row = |cells: [&str; 3]| cells.map(text).to_vec();
            blocks.push(Block::Table {
                head: row(["month", "sold", "returned"]),
                rows: vec![row(["January", "120", "3"]), row(["February", "98", "11"])],
            });
            blocks.push(Block::Heading(text("What it changes")));
            let span = |tone, words: &str| Span { tone, text: text(words) };
            blocks.push(Block::Diff(vec![
                span(Tone::Quiet, "mean of all"),
                span(Tone::Removed, "= 2.0"),
                span(Tone::Added, "= 2.1666"),
            ]));
        }
        "question" => blocks.push(Block::Text(text(&state.text))),
        "notify" if state.kind == "letter" => blocks.extend(letters(state)),
        _ => {
            let shown = |value: &Value| match value {
                Value::String(one) => one.clone(),
                Value::Array(some) => some.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
                other => other.to_string(),
            };
            let fields = args.iter().filter(|(name, _)| *name != "body");
            let mut sent = vec![Block::fields(fields.map(|(name, value)| (name, shown(value))))];
            sent.extend(args.get("body").map(|body| Block::text(&shown(body))));
            blocks.push(Block::panel("This will be sent", sent));
            blocks.push(Block::Heading(text("Conversation")));
            blocks.push(Block::Turns(vec![
                (text("ada@example.org, Monday"), text("Could you send me the figures?")),
                (
                    text(&state.from),
                    text(&format!("{}\n\n> Could you\n> send me\n> the\n> figures?\n", state.title)),
                ),
            ]));
        }
    }
    Card { blocks }
}

/// A conversation of three mails, with everything in them that a mail can hold.
fn letters(state: &Sample) -> Vec<Block> {
    let text = |raw: &str| Visible::new(raw);
    let quoted = |lines: usize| "> as I said before\n".repeat(lines);
    let mail = |from: &str, date: &str, words: &str, quotes: usize| MailBlock {
        from: Visible::line(from),
        to: Visible::line("Ada Lovelace <ada@example.org>"),
        date: Visible::line(date),
        subject: Visible::line(&format!("Re: {}", state.title)),
        headers: [("Message-ID", "<1@example.org>"), ("X-Mailer", "quill 1.0"), ("X-Empty", "")]
            .map(|(name, value)| (text(name), text(value)))
            .to_vec(),
        body: vec![
            BodyPiece { quoted: false, text: text(words) },
            BodyPiece { quoted: true, text: text(&quoted(quotes)) },
        ],
        ..MailBlock::default()
    };
    let newest = MailBlock {
        cc: Visible::line(
            "bob@example.org, carol@example.org, dan@example.org, eve@example.org, fay@example.org",
        ),
        attachments: vec![
            AttachmentLine { name: text("figures.xlsx"), kind: text("spreadsheet"), bytes: 18_204 },
            AttachmentLine { name: Visible::line(&state.title), kind: text("image/png"), bytes: 2_400_000 },
        ],
        links: vec![
            (text("https://example.org/report"), text("https://example.org/report")),
            (text("www.your-bank.example"), text("https://login.evil.test/your-bank?next=account")),
        ],
        hidden: 2,
        ..mail(&state.from, "Mon 2 Mar, 09:41", &state.text, 14)
    };
    let mut elsewhere =
        mail("Ada Lovelace <ada@example.org>", "Sun 1 Mar, 18:03", "Could you send me the figures?\n", 2);
    elsewhere.subject = Visible::line("Something else");
    elsewhere.folded = true;
    let oldest = MailBlock {
        folded: true,
        ..mail(&state.from, "Fri 27 Feb, 11:20", "Hello Ada,\n\nthe quarter is over.\n", 0)
    };
    [newest, elsewhere, oldest].map(|mail| Block::Mail(Box::new(mail))).to_vec()
}

/// A mail to look at. It is not one of the samples, because tests rely on their order.
pub fn letter() -> (&'static str, Value) {
    let text = "Hello Ada,\n\nhere are the figures for the quarter. The second sheet has what was returned.\n\nBob\n";
    (
        "desk",
        json!({"kind": "letter", "title": "Quarterly figures", "from": "Bob Stone <bob@example.org>", "text": text}),
    )
}

fn graph() -> Graph<Sample, Outbox> {
    Graph::builder("desk", "begin")
        .node("begin", begin, [ask("finish"), end()])
        .node("finish", finish, [goto("rest")])
        .node("rest", rest, [end()])
        .build()
        .unwrap()
}

/// The workflow of the samples, and the same with results in the inbox.
pub fn specs(outbox: PathBuf) -> Vec<Spec> {
    let draw = |state: &sayso::engine::graph::AnyState, question: Option<&Question>| {
        state.get::<Sample>().map(|sample| card(sample, question)).unwrap_or_default()
    };
    let services = Arc::new(Outbox(outbox));
    vec![
        Spec::new(Workflow::new("desk", graph(), services.clone()), "puts something on the desk", draw)
            .without_results(),
        Spec::new(Workflow::new("report", graph(), services), "finds something out", draw),
    ]
}

pub fn holding(hold: Duration) -> Settings {
    Settings { hold, soft_hold: hold, ..Settings::default() }
}

/// An inbox with only these workflows, in which every decision is held for `hold`.
pub fn inbox(folder: impl Into<Folder>, hold: Duration) -> Builder {
    TestInbox::builder().in_folder(folder).settings(holding(hold)).only(|folder| specs(folder.join("outbox")))
}

/// One of each kind, in an order that looks good.
pub fn samples() -> Vec<(&'static str, Value)> {
    vec![
        (
            "desk",
            json!({"kind": "mail", "title": "Quarterly figures", "from": "Bob Stone <bob@example.org>", "text": "The figures for the last quarter are in the attached sheet."}),
        ),
        (
            "desk",
            json!({"kind": "reply", "title": "Lunch on Thursday?", "from": "eve@example.org", "text": "Dear Eve,\n\nThursday at noon suits me well. Shall we meet at the usual place?\n\nAda"}),
        ),
        (
            "desk",
            json!({"kind": "warned", "title": "Invoice 4711", "from": "billing@examp1e.test", "text": "Please find the payment attached."}),
        ),
        (
            "desk",
            json!({"kind": "meeting", "title": "Planning", "from": "carol@example.org", "text": "Half an hour is enough."}),
        ),
        ("desk", json!({"kind": "python", "title": "Mean of three values", "text": "computes the mean"})),
        (
            "desk",
            json!({"kind": "question", "title": "Which quarter do you mean?", "text": "The workbook holds 2025 and 2026. Which quarter of which year shall I sum up?"}),
        ),
        ("desk", json!({"kind": "trouble", "title": "Fetch the prices", "text": "503 Service Unavailable"})),
        (
            "report",
            json!({"kind": "report", "title": "What changed in the code base?", "text": "Two modules were split, and nothing else moved."}),
        ),
        (
            "desk",
            json!({"kind": "mail", "title": "日本語の件名 and 👩‍👩‍👧‍👦 family", "from": "名前 <a@例え.test>", "text": "漢字とかな"}),
        ),
    ]
}
