//! The nodes of a run.

use super::agent::AgentContext;
use super::agents::{AGENTS, agent};
use super::facts::ProjectFacts;
use super::facts_text::facts_text;
use super::pages;
use super::state::{DocsUpdate, Documentation, Scanned};
use super::{AGENT, AGGREGATE, WRITE_DOCS, nothing_to_document, project};
use crate::agent::Services;
use crate::agent::output_file::{self, OutputFile, Permission, WriteQuestion, permission};
use crate::engine::graph::{Child, Command, Ctx, NodeError};
use crate::tools::folder::Listed;
use crate::tools::tree::{self, Limits};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type NodeResult = Result<Command<Documentation>, NodeError>;

/// Reads the tree, once, and stores the facts by digest.
pub(super) async fn scan_project_structure(ctx: Ctx<Services>, state: Arc<Documentation>) -> NodeResult {
    let scanned = ctx.call("scan", scan(&ctx, &state)).await?;
    Ok(Command::goto("create_execution_context").update(DocsUpdate::Scanned(scanned)))
}

async fn scan(ctx: &Ctx<Services>, state: &Documentation) -> Result<Scanned, NodeError> {
    let (dir, out) = (PathBuf::from(&state.settings.dir), PathBuf::from(state.out()));
    let bar_ctx = ctx.clone();
    // Reading tens of thousands of files takes a while; nothing else should wait for it.
    let work = tokio::task::spawn_blocking(move || {
        let progress = |label: &str, done: u64, total: u64| bar_ctx.show_bar(label, done, total);
        tree::scan(&dir, &[&out], &Limits::default(), &progress)
    });
    let tree = work.await.map_err(NodeError::failed)?.map_err(NodeError::failed)?;
    if tree.files.is_empty() {
        return Err(NodeError::failed(nothing_to_document(&state.settings.dir)));
    }
    let project = ProjectFacts { wishes: state.wishes.clone(), ..project::project(&tree) };
    let listed = |file: &tree::File| Listed { name: file.path.clone(), bytes: file.bytes };
    let files: Vec<Listed> = tree.files.iter().map(listed).collect();
    let records = &ctx.services().records;
    Ok(Scanned {
        project: records.put_blob(serde_json::to_vec(&project).map_err(NodeError::failed)?).await?,
        facts: records.put_blob(facts_text(&project).into_bytes()).await?,
        files: records.put_blob(serde_json::to_vec(&files).map_err(NodeError::failed)?).await?,
        name: project.name,
        count: project.files,
        skipped: (tree.skipped.len() + tree.more_skipped) as u64,
    })
}

/// Chooses the agents.
pub(super) async fn create_execution_context(_: Ctx<Services>, _: Arc<Documentation>) -> NodeResult {
    let agents = AGENTS.iter().map(|agent| agent.name.to_owned()).collect();
    Ok(Command::goto("execute_agents").update(DocsUpdate::Planned { agents }))
}

/// Starts a thread per agent and waits for all of them.
pub(super) async fn execute_agents(_: Ctx<Services>, state: Arc<Documentation>) -> NodeResult {
    let scanned = state.scanned.as_ref().ok_or_else(|| NodeError::failed("the tree was not scanned"))?;
    let child = |name: &String| {
        let context = AgentContext {
            agent: name.clone(),
            name: scanned.name.clone(),
            project: scanned.project.clone(),
            facts: scanned.facts.clone(),
            files: scanned.files.clone(),
            settings: state.settings.clone(),
        };
        Child { key: name.clone(), workflow: AGENT.to_owned(), input: json!({ "context": context }) }
    };
    Ok(Command::spawn(state.agents.iter().map(child).collect(), AGGREGATE))
}

/// Writes the pages and the index; asks first if output files are not granted.
pub(super) async fn aggregate_results(ctx: Ctx<Services>, state: Arc<Documentation>) -> NodeResult {
    let successes: Vec<_> = state.results.iter().filter(|result| result.status == "success").collect();
    let summary = summary(&state);
    if successes.is_empty() {
        return Ok(Command::end().update(DocsUpdate::Written { files: Vec::new(), summary, index: None }));
    }
    let facts = project_facts(&ctx, &state)?;
    let mut files = vec![("index.md".to_owned(), pages::index_page(&state, &facts, AGENTS))];
    files.extend(
        successes.iter().map(|result| (pages::file_name(&result.agent_name), result.markdown.clone())),
    );
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let args = json!({ "out": state.out(), "files": names });
    let title = crate::engine::graph::State::title(&*state);
    let gist = "The pages will be written into the folder.";
    let question = WriteQuestion { action: WRITE_DOCS, args: &args, title: &title, gist };
    let basis = match permission(ctx.services(), state.may_write, &question)? {
        Permission::No => {
            return Ok(Command::end().update(DocsUpdate::Written {
                files: Vec::new(),
                summary,
                index: None,
            }));
        }
        Permission::Write(basis) => basis,
        Permission::Ask(interrupt) => return Ok(Command::ask(vec![*interrupt], AGGREGATE)),
    };
    let stamp = output_file::stamp(ctx.services());
    let mut written = Vec::new();
    for (at, (name, page)) in files.iter().enumerate() {
        ctx.show_bar("writing pages", at as u64, files.len() as u64);
        let path = Path::new(state.out()).join(name);
        let page = pages::finish(page);
        let (stamp, is_disposable) = (stamp.clone(), pages::is_ours);
        let effect = Arc::new(OutputFile { path: path.clone(), stamp, is_disposable });
        ctx.once(&format!("write {name}"), basis.clone(), page.into_bytes(), effect).await?;
        written.push(path.to_string_lossy().into_owned());
    }
    let index = files.into_iter().next().map(|(_, page)| page);
    Ok(Command::end().update(DocsUpdate::Written { files: written, summary, index }))
}

fn project_facts(ctx: &Ctx<Services>, state: &Documentation) -> Result<ProjectFacts, NodeError> {
    let scanned = state.scanned.as_ref().ok_or_else(|| NodeError::failed("the tree was not scanned"))?;
    serde_json::from_slice(&ctx.services().records.blob(&scanned.project)?).map_err(NodeError::failed)
}

/// The run in a few lines.
fn summary(state: &Documentation) -> String {
    let mut lines = Vec::new();
    for result in &state.results {
        let title = agent(&result.agent_name).map_or(result.agent_name.as_str(), |agent| agent.title);
        lines.push(if result.status == "success" {
            format!("- {title}: {} ({:.0} of 100)", result.summary, result.confidence * 100.0)
        } else {
            format!("- {title}: failed. {}", result.warnings.join("; "))
        });
    }
    let failed = state.results.iter().filter(|result| result.status != "success").count();
    let head = match (failed, state.results.len()) {
        (0, all) => format!("{all} pages about the code base."),
        (failed, all) if failed == all => "No page was written: every agent failed.".to_owned(),
        (failed, all) => format!("{} pages about the code base; {failed} agents failed.", all - failed),
    };
    format!("{head}\n\n{}", lines.join("\n"))
}
