//! A courier workflow: proposes deliveries, waits for approval, and carries each out once.

use sayso::engine::graph::{
    Answer, Authorization, BoxFuture, Command, Ctx, Decision, Effect, EffectError, EffectTrace, Event, Graph,
    Kind, NodeError, State, StepContext, Workflow, ask, end, goto,
};
use sayso::inbox::{Card, Spec, proposal};
use sayso::mail::compose::{Draft, compose};
use sayso::mail::{Address, Outgoing, SendError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Records deliveries, one line each, so that a second one shows.
pub struct DeliveryLog {
    pub ledger: PathBuf,
    pub faults: std::sync::Mutex<Vec<EffectError>>,
    pub blind: std::sync::atomic::AtomicBool,
    /// If set, parcels are sent by mail.
    pub outgoing: Option<Arc<dyn Outgoing>>,
}

impl DeliveryLog {
    pub fn new(ledger: PathBuf) -> Arc<Self> {
        Arc::new(Self { ledger, faults: Default::default(), blind: false.into(), outgoing: None })
    }

    /// A log whose parcels are sent by mail.
    pub fn by_mail(ledger: PathBuf, outgoing: Arc<dyn Outgoing>) -> Arc<Self> {
        let (faults, blind) = (Default::default(), false.into());
        Arc::new(Self { ledger, faults, blind, outgoing: Some(outgoing) })
    }

    /// The outbox of parcels that are sent by mail.
    pub fn outbox(ledger: &Path) -> PathBuf {
        ledger.with_extension("outbox")
    }

    /// Nodes that were started, one line each: thread, number of the step, node.
    pub fn runs(&self) -> Vec<String> {
        std::fs::read_to_string(self.ledger.with_extension("runs"))
            .unwrap_or_default()
            .lines()
            .map(str::to_owned)
            .collect()
    }

    fn record_run(&self, step: &StepContext) {
        append(
            &self.ledger.with_extension("runs"),
            &format!("{} {} {}", step.thread, step.number, step.node),
        );
    }

    /// The deliveries: lines of the ledger, or mails in the outbox.
    pub fn deliveries(&self) -> Vec<String> {
        let ledger = std::fs::read_to_string(&self.ledger).unwrap_or_default();
        let mut deliveries: Vec<String> = ledger.lines().map(str::to_owned).collect();
        for part in ["new", "cur"] {
            let mails = std::fs::read_dir(Self::outbox(&self.ledger).join(part)).into_iter().flatten();
            let last =
                |mail| std::fs::read_to_string(mail).unwrap().lines().last().unwrap_or_default().to_owned();
            deliveries.extend(mails.map(|mail| last(mail.unwrap().path())));
        }
        deliveries
    }
}

/// Appends a line in one write.
fn append(path: &Path, line: &str) {
    use std::io::Write;
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    file.unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
}

struct Deliver(Arc<DeliveryLog>);

/// A parcel as a mail, always with the same bytes.
fn letter(thread: &str, parcel: &str, line: &str) -> Vec<u8> {
    let draft = Draft {
        from: Address::bare("courier@example.org"),
        to: vec![Address::bare("bob@example.com")],
        bcc: vec![Address::bare("eve@example.net")],
        subject: parcel.to_owned(),
        content: line.to_owned(),
        ..Draft::default()
    };
    let date = "2026-03-09T14:05:00+01:00[Europe/Berlin]".parse().unwrap();
    compose(&draft, &format!("{thread}/{parcel}"), &date).unwrap()
}

/// The effect that sends a mail, as in a real workflow.
struct Post(Arc<dyn Outgoing>);

impl Effect for Post {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            sayso::app::fail_point("before_delivery");
            let sent = self.0.send(frozen).await.map_err(|error| match error {
                SendError::NotSent(text) => EffectError::NotDone(text),
                SendError::Refused(text) => EffectError::Refused(text),
                SendError::Unknown(text) => EffectError::Unknown(text),
            })?;
            sayso::app::fail_point("after_delivery");
            Ok(json!(sent))
        })
    }

    fn find<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        Box::pin(async move {
            match self.0.find(frozen).await {
                sayso::mail::SentLookup::Sent(sent) => EffectTrace::Done(json!(sent)),
                sayso::mail::SentLookup::NotSent => EffectTrace::NotDone,
                sayso::mail::SentLookup::Unknown(text) => EffectTrace::Unknown(text),
            }
        })
    }
}

impl Effect for Deliver {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            if let Some(fault) = self.0.faults.lock().unwrap().pop() {
                return Err(fault);
            }
            sayso::app::fail_point("before_delivery");
            append(&self.0.ledger, &String::from_utf8_lossy(frozen));
            sayso::app::fail_point("after_delivery");
            Ok(json!("delivered"))
        })
    }

    fn find<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        Box::pin(async move {
            if self.0.blind.load(std::sync::atomic::Ordering::SeqCst) {
                return EffectTrace::Unknown("nobody saw it".to_owned());
            }
            let parcel = String::from_utf8_lossy(frozen).into_owned();
            if self.0.deliveries().contains(&parcel) {
                EffectTrace::Done(json!("found"))
            } else {
                EffectTrace::NotDone
            }
        })
    }
}

#[derive(Default, Clone, Serialize, Deserialize)]
pub struct Round {
    pub parcels: Vec<String>,
    pub calls: u32,
    pub decided: Vec<Answer>,
    pub delivered: Vec<Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoundInput {
    pub parcels: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundUpdate {
    Started { parcels: Vec<String> },
    Decided(Vec<Answer>),
    Delivered(Value),
    Noted,
}

impl State for Round {
    type Input = RoundInput;
    type Update = RoundUpdate;

    fn started(input: RoundInput) -> RoundUpdate {
        RoundUpdate::Started { parcels: input.parcels }
    }

    fn answered(answers: Vec<Answer>) -> RoundUpdate {
        RoundUpdate::Decided(answers)
    }

    fn arrived(_: Event) -> Option<RoundUpdate> {
        Some(RoundUpdate::Noted)
    }

    fn apply(&mut self, update: RoundUpdate) {
        match update {
            RoundUpdate::Started { parcels } => self.parcels = parcels,
            RoundUpdate::Decided(answers) => self.decided = answers,
            RoundUpdate::Delivered(outcome) => self.delivered.push(outcome),
            RoundUpdate::Noted => self.calls += 1,
        }
    }

    fn title(&self) -> String {
        format!("{} parcels", self.parcels.len())
    }

    fn output(&self) -> Option<Value> {
        Some(json!({ "delivered": self.delivered }))
    }
}

async fn plan(ctx: Ctx<Arc<DeliveryLog>>, state: Arc<Round>) -> Result<Command<Round>, NodeError> {
    ctx.services().record_run(ctx.step_context());
    ctx.call("think", async { Ok(1u32) }).await?;
    let asked = state.parcels.iter().map(|parcel| {
        let mut asked = proposal(parcel, Kind::Approval, "deliver", &json!({ "parcel": parcel }), parcel);
        asked.schema = json!({
            "type": "object", "properties": {"parcel": {"type": "string", "minLength": 1}},
            "required": ["parcel"], "additionalProperties": false
        });
        asked.irreversible = true;
        asked
    });
    Ok(Command::ask(asked.collect(), "act"))
}

async fn act(ctx: Ctx<Arc<DeliveryLog>>, state: Arc<Round>) -> Result<Command<Round>, NodeError> {
    ctx.services().record_run(ctx.step_context());
    let mut command = Command::goto("leave");
    for answer in &state.decided {
        let args = match &answer.decision {
            Decision::Accept => answer.proposed.clone(),
            Decision::Edit { args } => args.clone(),
            Decision::Respond { .. } | Decision::Ignore | Decision::Draft => continue,
        };
        let parcel = args["parcel"].as_str().unwrap_or_default().to_owned();
        let basis = Authorization::Decision { key: answer.key.clone(), args };
        let thread = ctx.step_context().thread.to_string();
        let line = format!("{parcel} for {thread}");
        let (frozen, effect): (_, Arc<dyn Effect>) = match &ctx.services().outgoing {
            Some(outgoing) => (letter(&thread, &parcel, &line), Arc::new(Post(outgoing.clone()))),
            None => (line.into_bytes(), Arc::new(Deliver(ctx.services().clone()))),
        };
        let outcome = ctx.once(&format!("deliver:{}", answer.key), basis, frozen, effect).await?;
        command = command.update(RoundUpdate::Delivered(outcome));
    }
    Ok(command)
}

async fn leave(ctx: Ctx<Arc<DeliveryLog>>, _: Arc<Round>) -> Result<Command<Round>, NodeError> {
    ctx.services().record_run(ctx.step_context());
    Ok(Command::end())
}

pub fn spec(delivery_log: Arc<DeliveryLog>) -> Spec {
    let graph = Graph::builder("courier", "plan")
        .node("plan", plan, [ask("act")])
        .node("act", act, [goto("leave")])
        .node("leave", leave, [end()])
        .build()
        .unwrap();
    Spec::new(Workflow::new("courier", graph, Arc::new(delivery_log)), "delivers parcels", |_, _| {
        Card::default()
    })
}
