//! Answers questions from the files: all questions of a refinement at once, each with a limited look at the code.

use super::prompts::{GIVEN, PromptBuilder, ReadFile};
use super::state::Asked;
use crate::graph::{Ctx, NodeError, ThreadId};
use crate::llm::{Message, Reply};
use crate::tools::tree::{self, ExcerptStart};
use crate::workflows::docs::board::{Board, Found};
use crate::workflows::{Picked, Services, ask_model};
use futures_util::future::join_all;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many times the model may read more files for one question.
const ROUNDS: usize = 2;

/// How many file excerpts one refinement reads, for all its questions.
const READS: usize = 4;

pub(super) struct Answered {
    pub question: String,
    pub answer: String,
    /// Whether a sibling had already found it.
    pub shared: bool,
}

/// Who answers, and from which sources.
pub(super) struct FileAnswerer<'a> {
    pub ctx: &'a Ctx<Services>,
    pub board: &'a Board,
    pub desk: &'a PromptBuilder<'a>,
    pub model: &'a Picked,
    /// The files that may be read, by path.
    pub files: Vec<String>,
    /// How many file excerpts were read.
    pub reads: AtomicUsize,
}

impl FileAnswerer<'_> {
    /// Answers what the files can answer; a person's answer is taken as it is.
    pub(super) async fn answer(&self, round: &[Asked]) -> Result<Vec<Answered>, NodeError> {
        let work = round.iter().enumerate().map(|(at, asked)| self.one(at, asked));
        let mut answered = Vec::new();
        for one in join_all(work).await {
            answered.extend(one?);
        }
        Ok(answered)
    }

    async fn one(&self, at: usize, asked: &Asked) -> Result<Option<Answered>, NodeError> {
        let done =
            |answer: String, shared: bool| Answered { question: asked.question.clone(), answer, shared };
        if let Some(said) = &asked.answer {
            return Ok(Some(done(format!("The person says: {said}"), false)));
        }
        if asked.for_person {
            return Ok(None);
        }
        let (run, agent) = (self.run(), self.desk.agent.name);
        if let Some(found) = run.as_ref().and_then(|run| self.board.answer(run, agent, &asked.question)) {
            return Ok(Some(done(found.answer, true)));
        }
        let akin = run.as_ref().map(|run| self.board.akin(run, agent, &asked.question)).unwrap_or_default();
        let answer = self.look(at, asked, &akin).await?;
        if let Some(run) = run {
            let (agent, question) = (agent.to_owned(), asked.question.clone());
            self.board.put(&run, Found { agent, question, answer: answer.clone() });
        }
        Ok(Some(done(answer, false)))
    }

    /// The run whose agents share answers.
    fn run(&self) -> Option<ThreadId> {
        ThreadId::parse(&self.desk.state.context.run).ok()
    }

    async fn look(&self, at: usize, asked: &Asked, akin: &[Found]) -> Result<String, NodeError> {
        let given: Vec<(String, String)> = self
            .likely(asked)
            .into_iter()
            .filter_map(|path| Some((path.clone(), self.read(&path, ExcerptStart::Line(1)).ok()?)))
            .take(GIVEN)
            .collect();
        let mut request = self.desk.answer(asked, &given, akin, true);
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
            self.hand_over(&reply, &mut request.messages);
        }
        Ok("The files that were read do not answer it.".to_owned())
    }

    /// Adds the file excerpts that were asked for to the messages.
    fn hand_over(&self, reply: &Reply, messages: &mut Vec<Message>) {
        messages.push(reply.message());
        for call in &reply.calls {
            let wanted = serde_json::from_value::<ReadFile>(call.args.clone()).map_err(|e| e.to_string());
            let text = match wanted {
                Ok(_) if self.reads.fetch_add(1, Ordering::Relaxed) >= READS => Err(format!(
                    "{READS} parts of files were read, and no more are; answer from what you have"
                )),
                Ok(wanted) => match (&wanted.name, wanted.line) {
                    (Some(name), _) if !name.is_empty() => self.read(&wanted.path, ExcerptStart::Name(name)),
                    (_, line) => self.read(&wanted.path, ExcerptStart::Line(line.unwrap_or(1))),
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
        if self.files.binary_search_by(|known| known.as_str().cmp(path)).is_err() {
            return Err("there is no such file among those that may be read".to_owned());
        }
        if holds_secrets(path) {
            return Err("it may hold secrets, and is not read".to_owned());
        }
        tree::excerpt(Path::new(&self.desk.state.context.dir), path, from, self.desk.excerpt())
    }

    /// Files that may answer: those the question names, then the entry files of folders it names.
    fn likely(&self, asked: &Asked) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut add = |path: &str| {
            let known = self.files.binary_search_by(|known| known.as_str().cmp(path)).is_ok();
            if known && !found.iter().any(|other| other == path) {
                found.push(path.to_owned());
            }
        };
        let words = asked
            .question
            .split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(' | ')' | ',' | '?'));
        let named = asked.files.iter().map(String::as_str).chain(words);
        for path in named.map(|word| word.trim_matches(['/', '.', ':', ';'])).filter(|word| !word.is_empty())
        {
            add(path);
            for opening in
                ["mod.rs", "lib.rs", "main.rs", "__init__.py", "index.ts", "index.js", "doc.go", "README.md"]
            {
                add(&format!("{path}/{opening}"));
            }
        }
        found
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
