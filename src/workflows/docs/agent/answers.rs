//! Answers the questions of a refinement, all at once, each with a limited look into the code. What a sibling asked is
//! not asked again.

use super::prompts::{PromptBuilder, fit};
use crate::agent::reading::look_and_answer;
use crate::agent::{Picked, Services};
use crate::engine::graph::{Ctx, NodeError, ThreadId};
use crate::tools::library::{Library, Start};
use crate::workflows::docs::facts::{ProjectFacts, Question};
use crate::workflows::docs::pool::Pool;
use futures_util::future::join_all;
use std::fmt::Write;
use std::sync::Arc;

/// How many times the model may look into files for one question.
const LOOKS: usize = 3;

/// How many names of a question are looked up before the model is asked, and how many bytes of each it is given.
const NAMES: usize = 2;
const PART_BYTES: usize = 4_000;

pub(super) struct Answered {
    pub question: String,
    pub answer: String,
    /// Whether a sibling had asked it.
    pub shared: bool,
}

/// Who answers, and from which sources.
pub(super) struct FileAnswerer<'a> {
    pub ctx: &'a Ctx<Services>,
    pub pool: &'a Pool,
    pub run: &'a ThreadId,
    pub prompts: &'a PromptBuilder<'a>,
    pub model: &'a Picked,
    pub project: &'a ProjectFacts,
    pub library: Arc<Library>,
}

impl FileAnswerer<'_> {
    /// Answers what the files can answer; a person's answer is taken as it is.
    pub(super) async fn answer(&self, round: &[Question]) -> Result<Vec<Answered>, NodeError> {
        let work = round.iter().enumerate().map(|(at, asked)| self.answer_one(at, asked));
        let answers: Result<Vec<_>, _> = join_all(work).await.into_iter().collect();
        Ok(answers?.into_iter().flatten().collect())
    }

    async fn answer_one(&self, at: usize, asked: &Question) -> Result<Option<Answered>, NodeError> {
        let entry = self.pool.ask(self.run, &asked.question);
        let answered = |answer: &str, shared: bool| Answered {
            question: asked.question.clone(),
            answer: answer.to_owned(),
            shared,
        };
        if let Some(text) = &asked.answer {
            let said = format!("The person says: {text}");
            let _ = entry.answer.set(said.clone());
            return Ok(Some(answered(&said, false)));
        }
        if asked.for_person {
            return Ok(entry.answer.get().map(|answer| answered(answer, true)));
        }
        let mut shared = true;
        let answer = entry.answer.get_or_try_init(|| async {
            shared = false;
            self.look_up(at, asked).await
        });
        let answer = answer.await?;
        Ok(Some(answered(answer, shared)))
    }

    async fn look_up(&self, at: usize, asked: &Question) -> Result<String, NodeError> {
        let request = self.prompts.answer(asked, &self.named_parts(asked));
        let name = format!("answer-{at}");
        look_and_answer(self.ctx, &name, self.model, request, &self.library, LOOKS).await
    }

    /// The functions and types that a question names, as they are written.
    fn named_parts(&self, asked: &Question) -> String {
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
        let words = asked.question.split(|c| !is_name(c)).map(|word| word.trim_matches(['.', ':']));
        // A plain word is not taken for a name.
        let is_code = |word: &&str| word.contains(['_', '.']) || word.contains("::");
        let mut text = String::new();
        for name in words.filter(is_code).take(NAMES) {
            let modules = self.project.modules.iter();
            let declaring = modules.filter(|module| module.names.iter().any(|one| is_same(&one.name, name)));
            // A file that the question names is more likely the one that is meant.
            let path = declaring.map(|module| &module.path).max_by_key(|path| asked.files.contains(path));
            let part = path.and_then(|path| Some((path, self.library.read(path, Start::Name(name)).ok()?)));
            if let Some((path, part)) = part {
                let _ = write!(text, "\n=== {path}, from `{name}` on ===\n{}\n", fit(&part, PART_BYTES));
            }
        }
        text
    }
}

/// Whether a declared name is the one that is named, in full or without its type.
fn is_same(declared: &str, name: &str) -> bool {
    let name = name.replace("::", ".");
    declared == name || declared.rsplit('.').next() == Some(name.as_str())
}
