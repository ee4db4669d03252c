//! A player workflow: it runs its program, one line per step, and logs everything that enters it.

use super::fake_world::{Deed, FakeWorld};
use sayso::agent::GrantQuery;
use sayso::engine::graph::{
    Answer, Authorization, Child, ChildResult, Command, Ctx, Decision, Event, Grade, Grantable, Graph,
    Interrupt, Kind, NodeError, State, StepContext, Warning, Workflow, ask, end, goto, spawn,
};
use sayso::engine::store::NewThread;
use sayso::inbox::{Block, Card, OUTPUT_FILES, Spec, proposal};
use sayso::text::Visible;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// One thing to do within a step; the last one that names a next node decides where the step leads.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    Ask(Vec<Question>),
    Spawn(Vec<Kid>),
    /// A repeatable call, counted as `call:NAME`.
    Call(String),
    Once(Once),
    /// Fails temporarily this many times.
    Flaky(u32),
    /// Fails temporarily once, and asks to be retried after this many seconds.
    RetryAfter(u64),
    Fail(String),
    Budget(String),
    Panic(String),
    Hang,
    Astray(String),
    Say(String),
    Gate(String),
    /// Waits until this file is there, which another process can make.
    File(std::path::PathBuf),
    /// Runs the same line again, forever.
    Repeat,
    Note(String),
    End,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    pub key: String,
    #[serde(default)]
    pub irreversible: bool,
    #[serde(default)]
    pub no_respond: bool,
    #[serde(default)]
    pub granted: Option<String>,
    /// Whether the grants are consulted.
    #[serde(default)]
    pub consult: bool,
    /// Whether it may be kept as a draft.
    #[serde(default)]
    pub draft: bool,
    /// Whether it may be allowed for the thread.
    #[serde(default)]
    pub for_thread: bool,
    /// Whose mail it is about.
    #[serde(default)]
    pub sender: Option<String>,
    #[serde(default)]
    pub warned: bool,
    /// Whether it carries a warning that is only informative.
    #[serde(default)]
    pub remarked: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Kid {
    pub key: String,
    pub program: Vec<Vec<Op>>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Once {
    pub name: String,
    /// The question that authorizes it; without one a grant does.
    #[serde(default)]
    pub key: Option<String>,
    /// Another grant than the usual one.
    #[serde(default)]
    pub grant: Option<String>,
    /// Whether it is kept as a draft and does not leave.
    #[serde(default)]
    pub draft: bool,
    /// Other arguments than the approved ones.
    #[serde(default)]
    pub args: Option<Value>,
    #[serde(default)]
    pub gate: Option<String>,
    #[serde(default)]
    pub frozen: Option<String>,
}

#[derive(Default, Clone, Serialize, Deserialize)]
pub struct Tape {
    pub program: Vec<Vec<Op>>,
    pub line: usize,
    pub log: Vec<Value>,
    pub answers: Vec<Answer>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TapeInput {
    pub program: Vec<Vec<Op>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TapeUpdate {
    Started { program: Vec<Vec<Op>> },
    Played { line: usize, log: Vec<Value> },
    Answered(Vec<Answer>),
    Joined(Vec<ChildResult>),
    Arrived(Event),
}

impl State for Tape {
    type Input = TapeInput;
    type Update = TapeUpdate;

    fn started(input: TapeInput) -> TapeUpdate {
        TapeUpdate::Started { program: input.program }
    }

    fn answered(answers: Vec<Answer>) -> TapeUpdate {
        TapeUpdate::Answered(answers)
    }

    fn joined(children: Vec<ChildResult>) -> Option<TapeUpdate> {
        Some(TapeUpdate::Joined(children))
    }

    fn arrived(event: Event) -> Option<TapeUpdate> {
        Some(TapeUpdate::Arrived(event))
    }

    fn apply(&mut self, update: TapeUpdate) {
        match update {
            TapeUpdate::Started { program } => self.program = program,
            TapeUpdate::Played { line, log } => {
                self.line = line;
                self.log.extend(log);
            }
            TapeUpdate::Answered(answers) => {
                let logged = |a: &Answer| json!([a.key, a.decision.word()]);
                self.log.push(json!({ "answers": answers.iter().map(logged).collect::<Vec<_>>() }));
                self.answers = answers;
            }
            TapeUpdate::Joined(children) => {
                let ended = |c: &ChildResult| json!([c.key, c.done]);
                self.log.push(json!({ "joined": children.iter().map(ended).collect::<Vec<_>>() }));
            }
            TapeUpdate::Arrived(event) => self.log.push(json!({ "arrived": event.id })),
        }
    }

    fn title(&self) -> String {
        format!("A tape of {} lines", self.program.len())
    }

    fn output(&self) -> Option<Value> {
        Some(Value::from(self.log.clone()))
    }
}

fn question(asked: &Question, step: &StepContext, world: &FakeWorld) -> Interrupt {
    let args = json!({ "key": asked.key, "n": 1 });
    let mut interrupt = proposal(&asked.key, Kind::Approval, "do", &args, &asked.key);
    interrupt.schema = json!({
        "type": "object", "required": ["key", "n"], "additionalProperties": false,
        "properties": { "key": {"type": "string"}, "n": {"type": "integer", "maximum": 9} }
    });
    interrupt.irreversible = asked.irreversible;
    interrupt.allow.respond = !asked.no_respond;
    interrupt.granted = asked.granted.clone();
    if asked.consult {
        let sender = asked.sender.as_deref().unwrap_or_default();
        let wish = GrantQuery { tool: "do", sender, warned: asked.warned, ..GrantQuery::default() };
        interrupt.granted = world.covers(step, &wish);
    }
    interrupt.allow.draft = asked.draft;
    interrupt.grantable =
        Grantable { thread: asked.for_thread, sender: asked.sender.clone(), ..Grantable::default() };
    if asked.remarked {
        interrupt.warnings = vec![Warning::new(Grade::Info, "new", "It is new.")];
    }
    if asked.warned {
        interrupt.warnings = vec![super::warning("odd")];
    }
    interrupt
}

fn child(kid: &Kid) -> Child {
    Child { key: kid.key.clone(), workflow: "kid".to_owned(), input: json!({ "program": kid.program }) }
}

/// The arguments a person approved under `key`.
fn approved(state: &Tape, key: &str) -> Value {
    let answer = state.answers.iter().find(|answer| answer.key == key);
    answer.map_or(Value::Null, |answer| match &answer.decision {
        Decision::Edit { args } => args.clone(),
        Decision::Accept | Decision::Respond { .. } | Decision::Ignore | Decision::Draft => {
            answer.proposed.clone()
        }
    })
}

async fn play(ctx: Ctx<Arc<FakeWorld>>, state: Arc<Tape>) -> Result<Command<Tape>, NodeError> {
    let world = ctx.services().clone();
    let position = format!("{}:{}", ctx.step_context().thread, state.line);
    world.ran(position.clone());
    let Some(ops) = state.program.get(state.line) else { return Ok(Command::end()) };
    let (mut command, mut log, mut next) = (Command::goto("play"), Vec::new(), state.line + 1);
    for op in ops {
        match op {
            Op::Ask(asked) => {
                let asked = asked.iter().map(|asked| question(asked, ctx.step_context(), &world));
                command.next = Command::<Tape>::ask(asked.collect(), "play").next
            }
            Op::Spawn(kids) => {
                command.next = Command::<Tape>::spawn(kids.iter().map(child).collect(), "play").next
            }
            Op::Call(name) => {
                let work = async { Ok(world.count(&format!("call:{name}"))) };
                log.push(json!({ name: ctx.call(name, work).await? }));
            }
            Op::Once(once) => {
                let basis = match &once.key {
                    Some(key) => {
                        let args = once.args.clone().unwrap_or_else(|| approved(&state, key));
                        let key = key.clone();
                        if once.draft {
                            Authorization::Draft { key, args }
                        } else {
                            Authorization::Decision { key, args }
                        }
                    }
                    None => Authorization::Grant {
                        name: once.grant.clone().unwrap_or_else(|| OUTPUT_FILES.to_owned()),
                    },
                };
                // The bytes differ with each attempt, so that a retry with other bytes shows.
                let attempt = world.count(&format!("frozen:{}", once.name));
                let frozen = once.frozen.clone().unwrap_or_else(|| format!("{} {attempt}", once.name));
                let deed = Arc::new(Deed { world: world.clone(), gate: once.gate.clone() });
                log.push(ctx.once(&once.name, basis, frozen.into_bytes(), deed).await?);
            }
            Op::Flaky(times) if world.count(&format!("flaky:{position}")) <= *times => {
                return Err(NodeError::transient("a passing fault"));
            }
            Op::RetryAfter(seconds) if world.count(&format!("after:{position}")) == 1 => {
                let retry_after = Some(Duration::from_secs(*seconds));
                return Err(NodeError::Transient { text: "busy".to_owned(), retry_after });
            }
            Op::Flaky(_) | Op::RetryAfter(_) => {}
            Op::Fail(text) => return Err(NodeError::failed(text)),
            Op::Budget(text) => {
                if ctx.step_context().allowance < 2 {
                    return Err(NodeError::Budget { text: text.clone() });
                }
            }
            Op::Panic(text) => panic!("{text}"),
            Op::Hang => std::future::pending().await,
            Op::Astray(to) => command.next = Command::<Tape>::goto(to.clone()).next,
            Op::Say(text) => {
                ctx.show_text(text);
                ctx.show_bar(text, 1, 2);
            }
            Op::Gate(name) => world.pass(name).await,
            Op::File(path) => {
                while !path.exists() {
                    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                }
            }
            Op::Repeat => next = state.line,
            Op::Note(text) => log.push(Value::from(text.as_str())),
            Op::End => command.next = Command::<Tape>::end().next,
        }
    }
    Ok(command.update(TapeUpdate::Played { line: next, log }))
}

pub fn spec(name: &str, world: Arc<FakeWorld>) -> Spec {
    let graph = Graph::builder(name, "play")
        .node("play", play, [goto("play"), ask("play"), spawn("play"), end()])
        .build()
        .unwrap();
    Spec::new(Workflow::new(name, graph, Arc::new(world)), "plays", |state, question| {
        let title = question.map_or("", |question| &question.title);
        let log = state.get::<Tape>().map(|tape| Value::from(tape.log.clone()).to_string());
        Card {
            blocks: vec![
                Block::Text(Visible::new(title)),
                Block::Text(Visible::new(&log.unwrap_or_default())),
            ],
        }
    })
}

/// A player without a program, as the store starts it.
pub fn new_thread(key: &str) -> NewThread {
    NewThread {
        id: sayso::engine::graph::ThreadId::random(),
        workflow: "player".to_owned(),
        fingerprint: String::new(),
        entry: "play".to_owned(),
        updates: json!([{"started": {"program": []}}]).to_string(),
        title: "One".to_owned(),
        key: key.to_owned(),
    }
}
