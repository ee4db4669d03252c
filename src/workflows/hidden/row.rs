//! `row`: asks the person about a row of the memory: whether to skip such mail from now on, or whether to drop a row that
//! they keep correcting. The driver starts it. The card says what the row would have done, from what was decided.

use crate::agent::Services;
use crate::engine::graph::{
    Allow, Answer, AnyState, BuildError, Command, Ctx, Decision, Graph, Kind, Labels, NodeError, State,
    Workflow, ask, end,
};
use crate::inbox::{
    Block, Card, MemoryRow, Question, ROW_WORKFLOW, RowAnswer, RowChange, RowQuestion, Spec, Weighed, Words,
    proposal,
};
use crate::text::{Visible, count_noun};
use crate::workflows::email::rows::weigh;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

pub const WORDS: Words = &[("skip_mail", "skipping mail"), ("drop_row", "dropping a row")];

/// The workflow with its services.
pub fn spec(services: Arc<Services>) -> Result<Spec, BuildError> {
    let graph = Graph::builder(ROW_WORKFLOW, "weigh")
        .node("weigh", weigh_row, [ask("settle"), end()])
        .node("settle", settle, [end()])
        .build()?;
    let workflow = Workflow::new(ROW_WORKFLOW, graph, services);
    let explain = |state: &AnyState, _: Option<&Question>| blocks(state);
    Ok(Spec::new(workflow, "asks about a row of the memory", draw)
        .explaining(explain)
        .without_results()
        .hidden())
}

/// What the driver starts it with.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowInput {
    #[schemars(skip)]
    pub row: Option<MemoryRow>,
}

/// A question about a row.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RowState {
    pub row: Option<MemoryRow>,
    pub weighed: Weighed,
    /// The person's answer.
    pub accepted: Option<bool>,
    pub outcome: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum RowUpdate {
    Started { row: Option<MemoryRow> },
    Weighed { weighed: Weighed },
    Answered { accepted: bool },
    Ended { outcome: String },
}

impl State for RowState {
    type Input = RowInput;
    type Update = RowUpdate;

    fn started(input: RowInput) -> RowUpdate {
        RowUpdate::Started { row: input.row }
    }

    fn answered(answers: Vec<Answer>) -> RowUpdate {
        let accepted = answers.first().is_some_and(|answer| matches!(answer.decision, Decision::Accept));
        RowUpdate::Answered { accepted }
    }

    fn apply(&mut self, update: RowUpdate) {
        match update {
            RowUpdate::Started { row } => self.row = row,
            RowUpdate::Weighed { weighed } => self.weighed = weighed,
            RowUpdate::Answered { accepted } => self.accepted = Some(accepted),
            RowUpdate::Ended { outcome } => self.outcome = Some(outcome),
        }
    }

    fn title(&self) -> String {
        self.row.as_ref().map_or_else(String::new, |row| title(row, self.question()))
    }

    fn output(&self) -> Option<Value> {
        let (row, outcome) = (self.row.as_ref()?, self.outcome.as_ref()?);
        Some(json!({ "row": row.key, "outcome": outcome }))
    }
}

impl RowState {
    fn question(&self) -> RowQuestion {
        self.row.as_ref().and_then(MemoryRow::question).unwrap_or(RowQuestion::Drop)
    }
}

fn title(row: &MemoryRow, question: RowQuestion) -> String {
    match question {
        RowQuestion::Skip => format!("Skip {} from now on?", row.key.words()),
        RowQuestion::Drop => format!("No longer {}?", row.sentence()),
    }
}

/// Looks at what the row would have done, and asks. A row that would skip nothing is not worth a question.
async fn weigh_row(ctx: Ctx<Services>, state: Arc<RowState>) -> Result<Command<RowState>, NodeError> {
    let services = ctx.services();
    let Some(row) = &state.row else { return Err(NodeError::failed("there is no row to ask about")) };
    let question = state.question();
    let since = Weighed::since(services.clock.clone()());
    let look = async { weigh(services, row, since) };
    let weighed = match question {
        RowQuestion::Skip => ctx.call("weigh", look).await?,
        RowQuestion::Drop => Weighed::default(),
    };
    let update = RowUpdate::Weighed { weighed: weighed.clone() };
    if question == RowQuestion::Skip && weighed.decided() == 0 {
        let outcome = "none of it may be skipped".to_owned();
        // It starts over: while it counts as asked, it is never asked about again.
        if stands(services, row, question)? {
            services.records.change_row(row.key.clone(), RowChange::Deleted).await?;
        }
        return Ok(Command::end().update(update).update(RowUpdate::Ended { outcome }));
    }
    let (action, accept, ignore) = match question {
        RowQuestion::Skip => ("skip_mail", "skip such mail", "go on showing it"),
        RowQuestion::Drop => ("drop_row", "drop it", "keep it"),
    };
    let args = json!({ "row": row.key, "answer": row.answer });
    let mut interrupt = proposal("row", Kind::Approval, action, &args, &title(row, question));
    interrupt.allow = Allow { respond: false, edit: false, ..Allow::ALL };
    interrupt.labels = Labels::new(accept, "", ignore);
    interrupt.gist = reason(row, question, &weighed);
    interrupt.source = Some("memory".to_owned());
    Ok(Command::ask(vec![interrupt], "settle").update(update))
}

/// What speaks for it, in a sentence.
fn reason(row: &MemoryRow, question: RowQuestion, weighed: &Weighed) -> String {
    match question {
        RowQuestion::Skip => weighed.sentence("mail"),
        RowQuestion::Drop => format!("You corrected it {} times.", row.corrected),
    }
}

/// Whether the row still is what the question was about: it may have changed while the card waited.
fn stands(services: &Services, row: &MemoryRow, question: RowQuestion) -> Result<bool, NodeError> {
    let now = services.records.row(&row.key)?;
    let is_same = |now: &MemoryRow| {
        now.answer == row.answer && (question == RowQuestion::Drop || now.state == row.state)
    };
    Ok(now.as_ref().is_some_and(is_same))
}

/// Does what the person said.
async fn settle(ctx: Ctx<Services>, state: Arc<RowState>) -> Result<Command<RowState>, NodeError> {
    let Some(row) = &state.row else { return Ok(Command::end()) };
    if !stands(ctx.services(), row, state.question())? {
        // What it does stays, and it may be asked about again.
        ctx.services().records.change_row(row.key.clone(), RowChange::Kept).await?;
        let outcome = "it has changed since".to_owned();
        return Ok(Command::end().update(RowUpdate::Ended { outcome }));
    }
    let (change, outcome) = match (state.question(), state.accepted == Some(true)) {
        (RowQuestion::Skip, true) => (RowChange::Set { answer: RowAnswer::Skip }, "learned"),
        (RowQuestion::Drop, false) => (RowChange::Kept, "kept"),
        (RowQuestion::Skip, false) | (RowQuestion::Drop, true) => (RowChange::Deleted, "dropped"),
    };
    ctx.services().records.change_row(row.key.clone(), change).await?;
    Ok(Command::end().update(RowUpdate::Ended { outcome: outcome.to_owned() }))
}

fn draw(state: &AnyState, _: Option<&Question>) -> Card {
    Card { blocks: blocks(state) }
}

fn blocks(state: &AnyState) -> Vec<Block> {
    let Some(state) = state.get::<RowState>() else { return Vec::new() };
    let Some(row) = &state.row else { return Vec::new() };
    let question = state.question();
    let limits = "only mail sent to many, by a sender your mail server has checked; never mail with a warning, an \
                  answer to you, or mail that names you or is about your own money";
    let covers = if question == RowQuestion::Skip { limits } else { "" };
    let row_fields =
        [("row", row.sentence()), ("because", because(row, question)), ("covers", covers.to_owned())];
    let mut blocks = vec![Block::fields(row_fields), Block::text(&reason(row, question, &state.weighed))];
    if !state.weighed.other.is_empty() {
        blocks.push(Block::Heading(Visible::line("It would have skipped, and you wanted it:")));
        let lines: Vec<String> = state.weighed.other.iter().map(|mail| format!("- {mail}")).collect();
        blocks.push(Block::text(&lines.join("\n")));
    }
    blocks
}

fn because(row: &MemoryRow, question: RowQuestion) -> String {
    match question {
        RowQuestion::Skip => format!("you ignored {} of it", count_noun(row.confirmed as usize, "mail")),
        RowQuestion::Drop => format!("you decided otherwise {} times", row.corrected),
    }
}
