//! The nodes of one agent. A permanent failure ends the agent, not the run.

use super::answers::FileAnswerer;
use super::prompts::PromptBuilder;
use super::state::{AgentState, AgentUpdate, Stop, stop};
use super::{QUESTION, REFINE};
use crate::graph::{Allow, Command, Ctx, Interrupt, Kind, Labels, NodeError};
use crate::inbox::proposal;
use crate::text::{Visible, truncate};
use crate::workflows::docs::agents::{DocAgent, agent};
use crate::workflows::docs::board::Board;
use crate::workflows::docs::check::check;
use crate::workflows::docs::facts::{ProjectFacts, Question, Questions, Scores};
use crate::workflows::docs::state::AgentResult;
use crate::workflows::{Picked, Services, ask_model, pick_model_of, try_for};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// The most questions per refinement, files per question and missing things that are used; a model may name more.
const QUESTIONS: usize = 9;
const FILES: usize = 4;
const MISSING: usize = 12;

type NodeResult = Result<Command<AgentState>, NodeError>;

/// Writes the first analysis.
pub(super) async fn analyze_initial(ctx: Ctx<Services>, state: Arc<AgentState>) -> NodeResult {
    let work = async {
        let (agent, project) = (who(&state)?, project(&ctx, &state)?);
        let model = model(&ctx, &state, "analyze").await?;
        let desk = PromptBuilder { agent, project: &project, state: &state, window: model.window };
        let text = ask_model(&ctx, "model", &model, &desk.initial()).await?.text;
        Ok(Command::goto("evaluate_clarity").update(AgentUpdate::Analyzed { text }))
    };
    or_failed(&ctx, work.await)
}

/// Scores the analysis and decides whether to go on. If the scores cannot be read, the current analysis is final.
pub(super) async fn evaluate_clarity(ctx: Ctx<Services>, state: Arc<AgentState>) -> NodeResult {
    let work = async {
        let (agent, project) = (who(&state)?, project(&ctx, &state)?);
        let model = model(&ctx, &state, "evaluate").await?;
        let desk = PromptBuilder { agent, project: &project, state: &state, window: model.window };
        let scores = match try_for::<Scores>(&ctx, "model", &model, &desk.evaluate()).await? {
            Ok(scores) => scores,
            Err(why) => {
                let text =
                    format!("Evaluation {}: the scores could not be read ({why})", state.scores.len() + 1);
                return Ok(Command::goto("finalize_output")
                    .update(AgentUpdate::Noted { text })
                    .update(AgentUpdate::Stopped { why: Stop::NothingMore }));
            }
        };
        let score = scores.mean();
        let missing = scores.missing_information.into_iter().take(MISSING).collect();
        let scored = AgentUpdate::Scored { score, missing };
        let settings = &state.context.settings;
        let all: Vec<f64> = state.scores.iter().copied().chain([score]).collect();
        if let Some(why) = stop(settings, state.iteration, &all) {
            return Ok(Command::goto("finalize_output").update(scored).update(AgentUpdate::Stopped { why }));
        }
        let estimate = desk.estimate();
        let limit = settings.approve_over_tokens.filter(|limit| !model.builtin && estimate > *limit);
        Ok(match limit {
            None => Command::goto("generate_questions").update(scored),
            Some(limit) => {
                Command::ask(vec![may_refine(&state, score, estimate, limit)], "generate_questions")
                    .update(scored)
            }
        })
    };
    or_failed(&ctx, work.await)
}

/// Lets the model ask what is missing; questions only a person can answer go to the person.
pub(super) async fn generate_questions(ctx: Ctx<Services>, state: Arc<AgentState>) -> NodeResult {
    let settle = |why| Ok(Command::goto("finalize_output").update(AgentUpdate::Stopped { why }));
    if state.declined {
        return settle(Stop::Declined);
    }
    let work = async {
        let (agent, project) = (who(&state)?, project(&ctx, &state)?);
        let model = model(&ctx, &state, "analyze").await?;
        let desk = PromptBuilder { agent, project: &project, state: &state, window: model.window };
        let asked = try_for::<Questions>(&ctx, "model", &model, &desk.questions()).await?;
        let questions = match asked {
            Ok(asked) => fresh(&state, asked.questions),
            Err(why) => {
                let text =
                    format!("Iteration {}: the questions could not be read ({why})", state.iteration + 1);
                let command = settle(Stop::NothingMore)?;
                return Ok(command.update(AgentUpdate::Noted { text }));
            }
        };
        if questions.is_empty() {
            return settle(Stop::NothingMore);
        }
        let ask_human = state.context.settings.ask_human;
        let cards: Vec<Interrupt> = questions
            .iter()
            .enumerate()
            .filter(|(_, one)| one.for_person && ask_human)
            .map(|(at, one)| to_person(&state, at, one))
            .collect();
        let update = AgentUpdate::Questioned { questions };
        Ok(if cards.is_empty() {
            Command::goto("refine_analysis").update(update)
        } else {
            Command::ask(cards, "refine_analysis").update(update)
        })
    };
    or_failed(&ctx, work.await)
}

/// Answers the questions from the files, all at once, and rewrites the analysis.
pub(super) async fn refine_analysis(
    board: Arc<Board>,
    ctx: Ctx<Services>,
    state: Arc<AgentState>,
) -> NodeResult {
    let work = async {
        let (agent, project) = (who(&state)?, project(&ctx, &state)?);
        let answering = model(&ctx, &state, "answer").await?;
        let desk = PromptBuilder { agent, project: &project, state: &state, window: answering.window };
        let files = files(&ctx, &state)?;
        let reads = AtomicUsize::default();
        let library = FileAnswerer { ctx: &ctx, board: &board, desk: &desk, model: &answering, files, reads };
        let answered = library.answer(&state.round).await?;
        if answered.is_empty() {
            let text = format!("Iteration {}: no question could be answered", state.iteration + 1);
            return Ok(Command::goto("finalize_output")
                .update(AgentUpdate::Noted { text })
                .update(AgentUpdate::Stopped { why: Stop::NothingMore }));
        }
        let shared = answered.iter().filter(|one| one.shared).count();
        let answers: Vec<(String, String)> =
            answered.into_iter().map(|one| (one.question, one.answer)).collect();
        let model = model(&ctx, &state, "analyze").await?;
        let desk = PromptBuilder { window: model.window, ..desk };
        let text = ask_model(&ctx, "model", &model, &desk.refine(&answers)).await?.text;
        Ok(Command::goto("evaluate_clarity").update(AgentUpdate::Refined { text, answers, shared }))
    };
    or_failed(&ctx, work.await)
}

/// Makes the page from the best analysis.
pub(super) async fn finalize_output(ctx: Ctx<Services>, state: Arc<AgentState>) -> NodeResult {
    let work = async {
        let (agent, project) = (who(&state)?, project(&ctx, &state)?);
        let (score, analysis) = state.settled();
        let data = agent.parse(analysis, &project);
        let checked = check(analysis, &project, &files(&ctx, &state)?);
        let result = AgentResult {
            agent_name: agent.name.to_owned(),
            status: "success".to_owned(),
            summary: agent.summary(&data),
            markdown: agent.markdown(&data, &project),
            data,
            confidence: checked.confidence(score),
            checked: checked.words(),
            warnings: state.refinement_notes.clone(),
            metadata: state.metadata(),
        };
        Ok(Command::end().update(AgentUpdate::Finalized { result: Box::new(result) }))
    };
    or_failed(&ctx, work.await)
}

/// A permanent failure, or one with no retries left, ends the agent; budgets and doubts are for a person to settle.
fn or_failed(ctx: &Ctx<Services>, given: NodeResult) -> NodeResult {
    match given {
        Err(NodeError::Failed { text }) => Ok(Command::end().update(AgentUpdate::Failed { text })),
        Err(NodeError::Transient { text, .. }) if ctx.step_context().last_try => {
            Ok(Command::end().update(AgentUpdate::Failed { text }))
        }
        other => other,
    }
}

fn who(state: &AgentState) -> Result<&'static DocAgent, NodeError> {
    let name = &state.context.agent;
    agent(name).ok_or_else(|| NodeError::failed(format!("this sayso has no agent `{name}`")))
}

async fn model(ctx: &Ctx<Services>, state: &AgentState, role: &str) -> Result<Picked, NodeError> {
    pick_model_of(ctx, "docs", role, state.context.model.as_deref()).await
}

fn project(ctx: &Ctx<Services>, state: &AgentState) -> Result<ProjectFacts, NodeError> {
    let bytes = ctx.services().records.blob(&state.context.project)?;
    serde_json::from_slice(&bytes).map_err(NodeError::failed)
}

fn files(ctx: &Ctx<Services>, state: &AgentState) -> Result<Vec<String>, NodeError> {
    let bytes = ctx.services().records.blob(&state.context.files)?;
    let text = String::from_utf8(bytes).map_err(NodeError::failed)?;
    let mut files: Vec<String> = text.lines().map(str::to_owned).collect();
    files.sort();
    Ok(files)
}

/// The questions that were not asked before.
fn fresh(state: &AgentState, questions: Vec<Question>) -> Vec<Question> {
    let mut kept: Vec<Question> = Vec::new();
    for mut one in questions {
        one.files.truncate(FILES);
        let same = |other: &str| other.trim().eq_ignore_ascii_case(one.question.trim());
        let known = state.self_questions.iter().any(|other| same(other))
            || kept.iter().any(|other| same(&other.question));
        if !known && !one.question.trim().is_empty() && kept.len() < QUESTIONS {
            kept.push(one);
        }
    }
    kept
}

fn to_person(state: &AgentState, at: usize, question: &Question) -> Interrupt {
    let args = json!({ "question": question.question });
    let title = crate::graph::State::title(state);
    let mut asked = proposal(&format!("q{at}"), Kind::Question, QUESTION, &args, &title);
    asked.gist = truncate(Visible::line(&question.question).as_str(), 160).into_owned();
    asked.allow = Allow { accept: false, edit: false, ..Allow::ALL };
    asked.labels = Labels {
        respond: Some("answer".to_owned()),
        ignore: Some("go on without".to_owned()),
        ..Labels::default()
    };
    asked.source = Some(Visible::line(&state.context.name).into_string());
    asked.schema = json!({
        "type": "object",
        "properties": {"question": {"type": "string"}},
        "required": ["question"],
        "additionalProperties": false
    });
    asked
}

fn may_refine(state: &AgentState, score: f64, estimate: u64, limit: u64) -> Interrupt {
    let args = json!({
        "agent": state.context.agent,
        "iteration": state.iteration + 1,
        "estimated_tokens": estimate,
        "approve_over_tokens": limit,
        "score": score,
    });
    let title = crate::graph::State::title(state);
    let mut asked = proposal(REFINE, Kind::Approval, REFINE, &args, &title);
    asked.gist =
        format!("One more refinement would take about {estimate} tokens; the score is {score:.0} of 100.");
    asked.allow = Allow { edit: false, respond: false, ..Allow::ALL };
    asked.labels = Labels {
        accept: Some("refine".to_owned()),
        ignore: Some("take it as it is".to_owned()),
        ..Labels::default()
    };
    asked.source = Some(Visible::line(&state.context.name).into_string());
    asked
}
