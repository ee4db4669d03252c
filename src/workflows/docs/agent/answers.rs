//! Answers questions from the files: all questions of a refinement at once, each with a limited look at the code.

use super::prompts::{FILES_PER_QUESTION, PromptBuilder, ReadFile};
use super::state::OpenQuestion;
use crate::graph::{Ctx, NodeError, ThreadId};
use crate::llm::{Message, Reply};
use crate::tools::tree::{self, ExcerptStart};
use crate::workflows::docs::shared_answers::{Finding, SharedAnswers};
use crate::workflows::{Picked, Services, ask_model};
use futures_util::future::join_all;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many times the model may read more files for one question.
const ROUNDS: usize = 2;

/// How many more excerpts of files the model may ask for in one refinement.
const MAX_EXCERPTS: usize = 4;

pub(super) struct Answered {
    pub question: String,
    pub answer: String,
    /// Whether a sibling had already found it.
    pub shared: bool,
}

/// Who answers, and from which sources.
pub(super) struct FileAnswerer<'a> {
    pub ctx: &'a Ctx<Services>,
    pub shared: &'a SharedAnswers,
    pub prompts: &'a PromptBuilder<'a>,
    pub model: &'a Picked,
    /// The files that may be read, by path.
    pub files: Vec<String>,
    /// How many file excerpts were read.
    pub reads: AtomicUsize,
}

impl FileAnswerer<'_> {
    /// Answers what the files can answer; a person's answer is taken as it is.
    pub(super) async fn answer(&self, round: &[OpenQuestion]) -> Result<Vec<Answered>, NodeError> {
        let work = round.iter().enumerate().map(|(at, asked)| self.answer_one(at, asked));
        let mut answered = Vec::new();
        for answer in join_all(work).await {
            answered.extend(answer?);
        }
        Ok(answered)
    }

    async fn answer_one(&self, at: usize, asked: &OpenQuestion) -> Result<Option<Answered>, NodeError> {
        let answered =
            |answer: String, shared: bool| Answered { question: asked.question.clone(), answer, shared };
        if let Some(text) = &asked.answer {
            return Ok(Some(answered(format!("The person says: {text}"), false)));
        }
        if asked.for_person {
            return Ok(None);
        }
        let (run, agent) = (self.run(), self.prompts.agent.name);
        if let Some(finding) = run.as_ref().and_then(|run| self.shared.answer(run, agent, &asked.question)) {
            return Ok(Some(answered(finding.answer, true)));
        }
        let similar =
            run.as_ref().map(|run| self.shared.similar(run, agent, &asked.question)).unwrap_or_default();
        let answer = self.look_up(at, asked, &similar).await?;
        if let Some(run) = run {
            let (agent, question) = (agent.to_owned(), asked.question.clone());
            self.shared.put(&run, Finding { agent, question, answer: answer.clone() });
        }
        Ok(Some(answered(answer, false)))
    }

    /// The run whose agents share answers.
    fn run(&self) -> Option<ThreadId> {
        ThreadId::parse(&self.prompts.state.context.run).ok()
    }

    async fn look_up(
        &self,
        at: usize,
        asked: &OpenQuestion,
        similar: &[Finding],
    ) -> Result<String, NodeError> {
        let files: Vec<(String, String)> = self
            .likely_files(asked)
            .into_iter()
            .filter_map(|path| Some((path.clone(), self.read(&path, ExcerptStart::Line(1)).ok()?)))
            .take(FILES_PER_QUESTION)
            .collect();
        let mut request = self.prompts.answer(asked, &files, similar);
        for round in 0..=ROUNDS {
            if round == ROUNDS {
                // Enough was read: the model has to answer now.
                request.tools.clear();
            }
            let name = format!("answer-{at}-{round}");
            let reply = ask_model(self.ctx, &name, self.model, &request).await?;
            if reply.calls.is_empty() {
                return Ok(reply.text);
            }
            self.add_excerpts(&reply, &mut request.messages);
        }
        Ok("The files that were read do not answer it.".to_owned())
    }

    /// Adds the file excerpts that were asked for to the messages.
    fn add_excerpts(&self, reply: &Reply, messages: &mut Vec<Message>) {
        messages.push(reply.message());
        for call in &reply.calls {
            let args = serde_json::from_value::<ReadFile>(call.args.clone()).map_err(|e| e.to_string());
            let text = match args {
                Ok(_) if self.reads.fetch_add(1, Ordering::Relaxed) >= MAX_EXCERPTS => Err(format!(
                    "{MAX_EXCERPTS} parts of files were read, and no more are; answer from what you have"
                )),
                Ok(args) => match (&args.name, args.line) {
                    (Some(name), _) if !name.is_empty() => self.read(&args.path, ExcerptStart::Name(name)),
                    (_, line) => self.read(&args.path, ExcerptStart::Line(line.unwrap_or(1))),
                },
                Err(why) => Err(why),
            };
            messages.push(match text {
                Ok(text) => Message::result(call, text),
                Err(why) => Message::failure(call, why),
            });
        }
    }

    /// An excerpt of a scanned file. Files excluded by .gitignore were not scanned, and files with secrets are not
    /// read.
    fn read(&self, path: &str, from: ExcerptStart<'_>) -> Result<String, String> {
        if self.files.binary_search_by(|file| file.as_str().cmp(path)).is_err() {
            return Err("there is no such file among those that may be read".to_owned());
        }
        if holds_secrets(path) {
            return Err("it may hold secrets, and is not read".to_owned());
        }
        tree::excerpt(Path::new(&self.prompts.state.context.dir), path, from, self.prompts.excerpt())
    }

    /// Files that may answer: those the question names, then the entry files of folders it names.
    fn likely_files(&self, asked: &OpenQuestion) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        let mut add = |path: &str| {
            let is_listed = self.files.binary_search_by(|file| file.as_str().cmp(path)).is_ok();
            if is_listed && !paths.iter().any(|other| other == path) {
                paths.push(path.to_owned());
            }
        };
        let words = asked
            .question
            .split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(' | ')' | ',' | '?'));
        let candidates = asked.files.iter().map(String::as_str).chain(words);
        for path in
            candidates.map(|word| word.trim_matches(['/', '.', ':', ';'])).filter(|word| !word.is_empty())
        {
            add(path);
            for entry_file in
                ["mod.rs", "lib.rs", "main.rs", "__init__.py", "index.ts", "index.js", "doc.go", "README.md"]
            {
                add(&format!("{path}/{entry_file}"));
            }
        }
        paths
    }
}

/// Whether a file name is typical for secrets.
fn holds_secrets(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let endings = [".pem", ".key", ".p12", ".pfx", ".keystore", ".jks"];
    name == ".env"
        || name.starts_with(".env.")
        || name.starts_with("id_rsa")
        || name.starts_with("id_ed25519")
        || matches!(
            name.as_str(),
            ".netrc" | ".npmrc" | ".pypirc" | "credentials" | "secrets.toml" | "secrets.yaml"
        )
        || endings.iter().any(|ending| name.ends_with(ending))
}
