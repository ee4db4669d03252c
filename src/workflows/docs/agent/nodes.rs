//! The nodes of one agent. A permanent failure ends the agent, not the run.

use super::answers::FileAnswerer;
use super::prompts::PromptBuilder;
use super::state::{AgentState, AgentUpdate, QUESTION, REFINE, stop_reason};
use crate::graph::{Allow, Command, Ctx, Interrupt, Kind, Labels, NodeError};
use crate::inbox::proposal;
use crate::text::{Visible, short_line};
use crate::workflows::docs::agents::{DocAgent, agent};
use crate::workflows::docs::check::check;
use crate::workflows::docs::facts::{ProjectFacts, Question, Questions, Scores};
use crate::workflows::docs::shared_answers::SharedAnswers;
use crate::workflows::docs::state::{AgentResult, Stop};
use crate::workflows::{Picked, Services, ask_for_text, pick_model_of, try_structured};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// The most questions per refinement, files per question and missing things that are used; a model may name more.
const MAX_QUESTIONS: usize = 9;
const MAX_FILES: usize = 4;
const MAX_MISSING: usize = 12;

/// What the model is asked to write.
const PAGE: &str = "a page of documentation";

type NodeResult = Result<Command<AgentState>, NodeError>;

/// Writes the first analysis.
pub(super) async fn analyze_initial(ctx: Ctx<Services>, state: Arc<AgentState>) -> NodeResult {
    let work = async {
        let (agent, project) = (find_agent(&state)?, project(&ctx, &state)?);
        let model = model(&ctx, &state, "analyze").await?;
        let prompts = PromptBuilder { agent, project: &project, state: &state, window: model.window };
        let text = ask_for_text(&ctx, "model", &model, &prompts.initial(), PAGE).await?;
        Ok(Command::goto("evaluate_clarity").update(AgentUpdate::Analyzed { text }))
    };
    or_failed(&ctx, work.await)
}

/// Scores the analysis and decides whether to go on. If the scores cannot be read, the current analysis is final.
pub(super) async fn evaluate_clarity(ctx: Ctx<Services>, state: Arc<AgentState>) -> NodeResult {
    let work = async {
        let (agent, project) = (find_agent(&state)?, project(&ctx, &state)?);
        let model = model(&ctx, &state, "evaluate").await?;
        let prompts = PromptBuilder { agent, project: &project, state: &state, window: model.window };
        let scores = match try_structured::<Scores>(&ctx, "model", &model, &prompts.evaluate()).await? {
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
        let missing = scores.missing_information.into_iter().take(MAX_MISSING).collect();
        let scored = AgentUpdate::Scored { score, missing };
        let settings = &state.context.settings;
        let all_scores: Vec<f64> = state.scores.iter().copied().chain([score]).collect();
        if let Some(why) = stop_reason(settings, state.iteration, &all_scores) {
            return Ok(Command::goto("finalize_output").update(scored).update(AgentUpdate::Stopped { why }));
        }
        let estimate = prompts.estimate();
        let limit = settings.approve_over_tokens.filter(|limit| !model.builtin && estimate > *limit);
        Ok(match limit {
            None => Command::goto("generate_questions").update(scored),
            Some(limit) => {
                Command::ask(vec![ask_to_refine(&state, score, estimate, limit)], "generate_questions")
                    .update(scored)
            }
        })
    };
    or_failed(&ctx, work.await)
}

/// Lets the model ask what is missing; questions only a person can answer go to the person.
pub(super) async fn generate_questions(ctx: Ctx<Services>, state: Arc<AgentState>) -> NodeResult {
    let finish = |why| Ok(Command::goto("finalize_output").update(AgentUpdate::Stopped { why }));
    if state.declined {
        return finish(Stop::Declined);
    }
    let work = async {
        let (agent, project) = (find_agent(&state)?, project(&ctx, &state)?);
        let model = model(&ctx, &state, "analyze").await?;
        let prompts = PromptBuilder { agent, project: &project, state: &state, window: model.window };
        let reply = try_structured::<Questions>(&ctx, "model", &model, &prompts.questions()).await?;
        let questions = match reply {
            Ok(reply) => new_questions(&state, reply.questions),
            Err(why) => {
                let text =
                    format!("Iteration {}: the questions could not be read ({why})", state.iteration + 1);
                let command = finish(Stop::NothingMore)?;
                return Ok(command.update(AgentUpdate::Noted { text }));
            }
        };
        if questions.is_empty() {
            return finish(Stop::NothingMore);
        }
        let ask_human = state.context.settings.ask_human;
        let cards: Vec<Interrupt> = questions
            .iter()
            .enumerate()
            .filter(|(_, question)| question.for_person && ask_human)
            .map(|(at, question)| ask_person(&state, at, question))
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
    shared: Arc<SharedAnswers>,
    ctx: Ctx<Services>,
    state: Arc<AgentState>,
) -> NodeResult {
    let work = async {
        let (agent, project) = (find_agent(&state)?, project(&ctx, &state)?);
        let answer_model = model(&ctx, &state, "answer").await?;
        let prompts = PromptBuilder { agent, project: &project, state: &state, window: answer_model.window };
        let files = files(&ctx, &state)?;
        let reads = AtomicUsize::default();
        let answerer = FileAnswerer {
            ctx: &ctx,
            shared: &shared,
            prompts: &prompts,
            model: &answer_model,
            files,
            reads,
        };
        let answered = answerer.answer(&state.round).await?;
        if answered.is_empty() {
            let text = format!("Iteration {}: no question could be answered", state.iteration + 1);
            return Ok(Command::goto("finalize_output")
                .update(AgentUpdate::Noted { text })
                .update(AgentUpdate::Stopped { why: Stop::NothingMore }));
        }
        let shared = answered.iter().filter(|answer| answer.shared).count();
        let answers: Vec<(String, String)> =
            answered.into_iter().map(|answer| (answer.question, answer.answer)).collect();
        let model = model(&ctx, &state, "analyze").await?;
        let prompts = PromptBuilder { window: model.window, ..prompts };
        let text = ask_for_text(&ctx, "model", &model, &prompts.refine(&answers), PAGE).await?;
        Ok(Command::goto("evaluate_clarity").update(AgentUpdate::Refined { text, answers, shared }))
    };
    or_failed(&ctx, work.await)
}

/// Makes the page from the best analysis.
pub(super) async fn finalize_output(ctx: Ctx<Services>, state: Arc<AgentState>) -> NodeResult {
    let work = async {
        let (agent, project) = (find_agent(&state)?, project(&ctx, &state)?);
        let (score, analysis) = state.best_analysis();
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
fn or_failed(ctx: &Ctx<Services>, result: NodeResult) -> NodeResult {
    match result {
        Err(NodeError::Failed { text }) => Ok(Command::end().update(AgentUpdate::Failed { text })),
        Err(NodeError::Transient { text, .. }) if ctx.step_context().last_try => {
            Ok(Command::end().update(AgentUpdate::Failed { text }))
        }
        other => other,
    }
}

fn find_agent(state: &AgentState) -> Result<&'static DocAgent, NodeError> {
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
fn new_questions(state: &AgentState, questions: Vec<Question>) -> Vec<Question> {
    let mut new_questions: Vec<Question> = Vec::new();
    for mut question in questions {
        question.files.truncate(MAX_FILES);
        let is_same = |other: &str| other.trim().eq_ignore_ascii_case(question.question.trim());
        let is_known = state.self_questions.iter().any(|other| is_same(other))
            || new_questions.iter().any(|other| is_same(&other.question));
        if !is_known && !question.question.trim().is_empty() && new_questions.len() < MAX_QUESTIONS {
            new_questions.push(question);
        }
    }
    new_questions
}

fn ask_person(state: &AgentState, at: usize, question: &Question) -> Interrupt {
    let args = json!({ "question": question.question });
    let title = crate::graph::State::title(state);
    let mut interrupt = proposal(&format!("q{at}"), Kind::Question, QUESTION, &args, &title);
    interrupt.gist = short_line(&question.question, 160);
    interrupt.allow = Allow { accept: false, edit: false, ..Allow::ALL };
    interrupt.labels = Labels {
        respond: Some("answer".to_owned()),
        ignore: Some("go on without".to_owned()),
        ..Labels::default()
    };
    interrupt.source = Some(Visible::line(&state.context.name).into_string());
    interrupt.schema = json!({
        "type": "object",
        "properties": {"question": {"type": "string"}},
        "required": ["question"],
        "additionalProperties": false
    });
    interrupt
}

fn ask_to_refine(state: &AgentState, score: f64, estimate: u64, limit: u64) -> Interrupt {
    let args = json!({
        "agent": state.context.agent,
        "iteration": state.iteration + 1,
        "estimated_tokens": estimate,
        "approve_over_tokens": limit,
        "score": score,
    });
    let title = crate::graph::State::title(state);
    let mut interrupt = proposal(REFINE, Kind::Approval, REFINE, &args, &title);
    interrupt.gist =
        format!("One more refinement would take about {estimate} tokens; the score is {score:.0} of 100.");
    interrupt.allow = Allow { edit: false, respond: false, ..Allow::ALL };
    interrupt.labels = Labels {
        accept: Some("refine".to_owned()),
        ignore: Some("take it as it is".to_owned()),
        ..Labels::default()
    };
    interrupt.source = Some(Visible::line(&state.context.name).into_string());
    interrupt
}
