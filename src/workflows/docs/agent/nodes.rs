//! The nodes of one agent. A permanent failure ends the agent, not the run.

use super::parts::named_parts;
use super::prompts::{LOOKS, PART_BYTES, PromptBuilder, fit};
use super::state::{AgentState, AgentUpdate, QUESTION, REFINE, stop_reason};
use crate::agent::agent_loop::person::your_turn;
use crate::agent::agent_loop::{Accepted, ModelTurn, Outcome, Tool, Words};
use crate::agent::llm::Reply;
use crate::agent::reading::{look, read_tool, search_tool};
use crate::agent::{Picked, Services, ask_for_text, no_text, pick_model_of, try_structured, written_text};
use crate::engine::graph::{Allow, Command, Ctx, Interrupt, Kind, Labels, NodeError, State};
use crate::inbox::proposal;
use crate::text::{Visible, short_line};
use crate::tools::library::Library;
use crate::tools::tree;
use crate::workflows::docs::agents::{DocAgent, agent};
use crate::workflows::docs::check::check;
use crate::workflows::docs::facts::{ProjectFacts, Question, Questions, Scores};
use crate::workflows::docs::pages::NOTE;
use crate::workflows::docs::state::{AgentResult, Stop};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// The most questions per refinement, files per question and missing things that are used; a model may name more.
const MAX_QUESTIONS: usize = 9;
const MAX_FILES: usize = 4;
const MAX_MISSING: usize = 12;

/// What the model is asked to write.
const PAGE: &str = "a page of documentation";

type NodeResult = Result<Command<AgentState>, NodeError>;

/// Whose step it is.
enum Turn {
    Models(Picked),
    /// The person's: what they wrote is final, whoever takes the next step, and until then they are asked for it.
    Persons(Command<AgentState>),
}

async fn turn(ctx: &Ctx<Services>, state: &AgentState, role: &str) -> Result<Turn, NodeError> {
    if state.stop.is_some() {
        return Ok(Turn::Persons(Command::goto("finalize_output")));
    }
    let model = pick_model_of(ctx, "docs", role, state.context.settings.model.as_deref()).await?;
    Ok(if model.person {
        Turn::Persons(Command::ask(vec![ask_for_page(state)?], &ctx.step_context().node))
    } else {
        Turn::Models(model)
    })
}

/// Writes the first analysis. Without a language model the page holds what code knows, and nothing else.
pub(super) async fn analyze_initial(ctx: Ctx<Services>, state: Arc<AgentState>) -> NodeResult {
    let model = match turn(&ctx, &state, "analyze").await? {
        Turn::Models(model) if model.builtin => return Ok(finalize(Stop::NoModel, None)),
        Turn::Models(model) => model,
        Turn::Persons(command) => return Ok(command),
    };
    let facts = facts(&ctx, &state)?;
    let prompts = prompts(&state, &facts, &model)?;
    let text = ask_for_text(&ctx, "model", &model, &prompts.initial(), PAGE).await?;
    Ok(Command::goto("evaluate_clarity").update(AgentUpdate::Analyzed { text }))
}

/// Scores the analysis and decides whether to go on. If the scores cannot be read, the current analysis is final.
pub(super) async fn evaluate_clarity(ctx: Ctx<Services>, state: Arc<AgentState>) -> NodeResult {
    let model = match turn(&ctx, &state, "evaluate").await? {
        Turn::Models(model) => model,
        Turn::Persons(command) => return Ok(command),
    };
    let facts = facts(&ctx, &state)?;
    let prompts = prompts(&state, &facts, &model)?;
    let scores = match try_structured::<Scores>(&ctx, "model", &model, &prompts.evaluate()).await? {
        Ok(scores) => scores,
        Err(why) => {
            let nth = state.scores.len() + 1;
            let note = format!("Evaluation {nth}: the scores could not be read ({why})");
            return Ok(finalize(Stop::NothingMore, Some(note)));
        }
    };
    let score = scores.mean();
    let missing = scores.missing_information.into_iter().take(MAX_MISSING).collect();
    let scored = AgentUpdate::Scored { score, missing };
    let settings = &state.context.settings;
    let all_scores: Vec<f64> = state.scores.iter().copied().chain([score]).collect();
    if let Some(why) = stop_reason(settings, state.iteration, &all_scores) {
        let stopped = AgentUpdate::Stopped { why, note: None };
        return Ok(Command::goto("finalize_output").update(scored).update(stopped));
    }
    let estimate = prompts.estimate();
    Ok(match settings.approve_over_tokens.filter(|limit| estimate > *limit) {
        None => Command::goto("generate_questions").update(scored),
        Some(limit) => {
            let card = ask_to_refine(&state, score, estimate, limit);
            Command::ask(vec![card], "generate_questions").update(scored)
        }
    })
}

/// Lets the model ask what is missing; questions only a person can answer go to the person.
pub(super) async fn generate_questions(ctx: Ctx<Services>, state: Arc<AgentState>) -> NodeResult {
    if state.declined {
        return Ok(finalize(Stop::Declined, None));
    }
    let model = match turn(&ctx, &state, "analyze").await? {
        Turn::Models(model) => model,
        Turn::Persons(command) => return Ok(command),
    };
    let facts = facts(&ctx, &state)?;
    let prompts = prompts(&state, &facts, &model)?;
    let reply = try_structured::<Questions>(&ctx, "model", &model, &prompts.questions()).await?;
    let questions = match reply {
        Ok(reply) => new_questions(&state, reply.questions),
        Err(why) => {
            let nth = state.iteration + 1;
            let note = format!("Iteration {nth}: the questions could not be read ({why})");
            return Ok(finalize(Stop::NothingMore, Some(note)));
        }
    };
    if questions.is_empty() {
        return Ok(finalize(Stop::NothingMore, None));
    }
    let asked = questions.iter().enumerate();
    let asked = asked.filter(|(_, question)| question.for_person && state.context.settings.ask_human);
    let cards: Vec<Interrupt> = asked.map(|(at, question)| ask_person(&state, at, question)).collect();
    let next = if cards.is_empty() {
        Command::goto("refine_analysis")
    } else {
        Command::ask(cards, "refine_analysis")
    };
    Ok(next.update(AgentUpdate::Questioned { questions }))
}

/// The model's next turn in a refinement: it looks up what it asked itself, and then writes the page anew.
pub(super) async fn refine(
    ctx: Ctx<Services>,
    state: Arc<AgentState>,
) -> Result<ModelTurn<AgentState>, NodeError> {
    let named = state.context.settings.model.as_deref();
    let model = pick_model_of(&ctx, "docs", "analyze", named).await?;
    let (facts, project, library) = (facts(&ctx, &state)?, project(&ctx, &state)?, library(&ctx, &state)?);
    let parts = named_parts(&project, &library, &state.round);
    let request = prompts(&state, &facts, &model)?.refine(&parts);
    Ok(ModelTurn { model, request, updates: Vec::new() })
}

/// What a model may do before it writes.
pub(super) fn tools(_: &Services, state: &AgentState) -> Result<Vec<Tool<AgentState>>, NodeError> {
    let may_look = state.dialog.step < LOOKS;
    Ok([search_tool(), read_tool("read_file")]
        .map(|spec| Tool::free(spec, look_up).offered_if(may_look))
        .into())
}

async fn look_up(
    ctx: Ctx<Services>,
    state: Arc<AgentState>,
    accepted: Accepted,
) -> Result<Outcome<AgentState>, NodeError> {
    Ok(match look(library(&ctx, &state)?, accepted).await? {
        Ok((text, _)) => Outcome::done(fit(&text, PART_BYTES)),
        Err(why) => Outcome::failed(why),
    })
}

/// Words are the page, unless they are something else.
pub(super) async fn page(
    ctx: Ctx<Services>,
    _: Arc<AgentState>,
    model: Picked,
    reply: Reply,
) -> Result<Words, NodeError> {
    let written = written_text(&ctx, "words", &model, &reply, PAGE).await?;
    let written = written.ok_or_else(|| no_text(PAGE, &reply.text))?;
    Ok(Words::Answer(written.with_note()))
}

/// Makes the page from the best analysis, unless nobody decided about it in time.
pub(super) async fn finalize_output(ctx: Ctx<Services>, state: Arc<AgentState>) -> NodeResult {
    if state.stop == Some(Stop::Expired) {
        return Err(NodeError::failed("Nobody answered in time."));
    }
    let (agent, project) = (find_agent(&state)?, project(&ctx, &state)?);
    let (score, analysis) = state.best_analysis();
    let (library, text) = (library(&ctx, &state)?, analysis.to_owned());
    // Every file may be read; nothing else should wait for it.
    let checked = tokio::task::spawn_blocking(move || check(&text, &library));
    let checked = checked.await.map_err(NodeError::failed)?;
    let (note, confidence, words) = match state.stop {
        Some(Stop::NoModel) => (NOTE.to_owned(), 1.0, "all of it is counted from the code".to_owned()),
        Some(Stop::OwnWords) => (checked.note(), checked.confidence(100.0), checked.words()),
        _ => (checked.note(), checked.confidence(score), checked.words()),
    };
    let data = agent.parse(analysis);
    let result = AgentResult {
        agent_name: agent.name.to_owned(),
        status: "success".to_owned(),
        summary: (agent.summary)(&project),
        markdown: agent.markdown(&data, &note, &project),
        data,
        confidence,
        checked: words,
        warnings: state.refinement_notes.clone(),
        metadata: state.metadata(),
    };
    Ok(Command::end().update(AgentUpdate::Ended { result: Box::new(result) }))
}

/// Ends the refinements.
fn finalize(why: Stop, note: Option<String>) -> Command<AgentState> {
    Command::goto("finalize_output").update(AgentUpdate::Stopped { why, note })
}

/// A permanent failure, or one with no retries left, ends the agent; budgets, doubts, and what cannot be checked are
/// for a person to settle.
pub(super) fn end_agent(ctx: &Ctx<Services>, state: &AgentState, error: NodeError) -> NodeResult {
    let text = match error {
        NodeError::Failed { text } => text,
        NodeError::Transient { text, .. } if ctx.step_context().last_try => text,
        other => return Err(other),
    };
    let result = AgentResult {
        agent_name: state.context.agent.clone(),
        status: "failed".to_owned(),
        warnings: state.refinement_notes.iter().cloned().chain([text]).collect(),
        metadata: state.metadata(),
        ..AgentResult::default()
    };
    Ok(Command::end().update(AgentUpdate::Ended { result: Box::new(result) }))
}

fn find_agent(state: &AgentState) -> Result<&'static DocAgent, NodeError> {
    let name = &state.context.agent;
    agent(name).ok_or_else(|| NodeError::failed(format!("this sayso has no agent `{name}`")))
}

fn prompts<'a>(
    state: &'a AgentState,
    facts: &'a str,
    model: &Picked,
) -> Result<PromptBuilder<'a>, NodeError> {
    Ok(PromptBuilder { agent: find_agent(state)?, state, facts, window: model.window })
}

fn facts(ctx: &Ctx<Services>, state: &AgentState) -> Result<String, NodeError> {
    String::from_utf8(ctx.services().records.blob(&state.context.facts)?).map_err(NodeError::failed)
}

fn project(ctx: &Ctx<Services>, state: &AgentState) -> Result<ProjectFacts, NodeError> {
    let bytes = ctx.services().records.blob(&state.context.project)?;
    serde_json::from_slice(&bytes).map_err(NodeError::failed)
}

/// The scanned files. Those that .gitignore excludes were not scanned, and files with secrets are not read.
fn library(ctx: &Ctx<Services>, state: &AgentState) -> Result<Library, NodeError> {
    let bytes = ctx.services().records.blob(&state.context.files)?;
    let read = tree::text_reader(Path::new(&state.context.settings.dir)).map_err(NodeError::failed)?;
    let text = move |path: &str| {
        if holds_secrets(path) { Err("it may hold secrets, and is not read".to_owned()) } else { read(path) }
    };
    Ok(Library { files: serde_json::from_slice(&bytes).map_err(NodeError::failed)?, text: Box::new(text) })
}

/// Whether a file name is typical for secrets.
fn holds_secrets(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let endings = [".pem", ".key", ".p12", ".pfx", ".keystore", ".jks"];
    let names = [".env", ".netrc", ".npmrc", ".pypirc", "credentials", "secrets.toml", "secrets.yaml"];
    names.contains(&name.as_str())
        || [".env.", "id_rsa", "id_ed25519"].iter().any(|start| name.starts_with(start))
        || endings.iter().any(|ending| name.ends_with(ending))
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
    let mut interrupt = proposal(&format!("q{at}"), Kind::Question, QUESTION, &args, &state.title());
    interrupt.gist = short_line(&question.question, 160);
    interrupt.allow = Allow { accept: false, edit: false, ..Allow::ALL };
    interrupt.labels = Labels::new("", "answer", "go on without");
    interrupt.source = Some(Visible::line(&state.context.name).into_string());
    interrupt
}

/// Asks the person for the page, who is in the model's place. What a model has written of it may stay.
fn ask_for_page(state: &AgentState) -> Result<Interrupt, NodeError> {
    let agent = find_agent(state)?;
    let otherwise = if state.current_analysis.is_empty() { "facts only" } else { "take it as it is" };
    let labels = Labels::new("", "write the page", otherwise);
    let args = json!({ "page": agent.title });
    let wish = format!("write about {}", agent.about);
    let mut interrupt = your_turn(&state.title(), &wish, &args, labels);
    interrupt.source = Some(Visible::line(&state.context.name).into_string());
    Ok(interrupt)
}

fn ask_to_refine(state: &AgentState, score: f64, estimate: u64, limit: u64) -> Interrupt {
    let args = json!({
        "agent": state.context.agent,
        "iteration": state.iteration + 1,
        "estimated_tokens": estimate,
        "approve_over_tokens": limit,
        "score": score,
    });
    let mut interrupt = proposal(REFINE, Kind::Approval, REFINE, &args, &state.title());
    interrupt.gist =
        format!("One more refinement would take about {estimate} tokens; the score is {score:.0} of 100.");
    interrupt.allow = Allow { edit: false, respond: false, ..Allow::ALL };
    interrupt.labels = Labels::new("refine", "", "take it as it is");
    interrupt.source = Some(Visible::line(&state.context.name).into_string());
    interrupt
}
