//! Finds a Python that has what a workbook needs, and tries whether it can be caged.

use super::environment::Environment;
use super::interpreter::{self, NAMES, on_path};
use super::reader::Reader;
use super::run::{Ended, Needs, Python};
use super::{Cage, CageError, Folder, Limits};
use futures_util::future::BoxFuture;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The Python used for workbooks, found once and tried in its cage. What was not found is looked for again.
#[derive(Clone)]
pub struct PythonFinder {
    choice: String,
    /// Where sayso makes one of its own, if it may be taken.
    environment: Option<Environment>,
    reader: Reader,
    any: Arc<OnceCell<Cage>>,
    with_openpyxl: Arc<OnceCell<Cage>>,
}

impl PythonFinder {
    /// `choice` is `auto` or the path of a Python.
    pub fn new(choice: &str, reader: Reader) -> Self {
        let (any, with_openpyxl) = (Arc::default(), Arc::default());
        Self { choice: choice.to_owned(), environment: None, reader, any, with_openpyxl }
    }

    /// Before all others, `auto` takes the one that sayso made for this.
    #[must_use]
    pub fn or_own(self, environment: Environment) -> Self {
        Self { environment: Some(environment), ..self }
    }

    /// The caged Python; the error says why there is none, and what to do.
    pub async fn get(&self, needs: Needs) -> Result<Cage, String> {
        if let Some(cage) = self.with_openpyxl.get() {
            return Ok(cage.clone());
        }
        let found = match needs {
            Needs::Nothing => &self.any,
            Needs::Openpyxl => &self.with_openpyxl,
        };
        found.get_or_try_init(|| self.find(needs)).await.cloned()
    }

    async fn find(&self, needs: Needs) -> Result<Cage, String> {
        let is_auto = self.choice == "auto";
        let own = self.environment.as_ref();
        let programs: Vec<PathBuf> = if is_auto {
            own.and_then(Environment::program).into_iter().chain(on_path(&NAMES)).collect()
        } else {
            vec![PathBuf::from(&self.choice)]
        };
        let mut why = None;
        for program in programs {
            match self.caged(&program, needs).await {
                Ok(cage) => return Ok(cage),
                Err(reason) => why = why.or(Some(reason)),
            }
        }
        let none = || Lack::Unfit("no Python was found in your PATH".to_owned());
        Err(match why.unwrap_or_else(none) {
            Lack::Unfit(why) if own.is_none() => why,
            Lack::Unfit(why) if is_auto => format!("{why}; `sayso python` makes one that has all it needs"),
            Lack::Unfit(why) => format!("{why}; with python = \"auto\", `sayso python` makes another"),
            Lack::NoCage(why) => why,
        })
    }

    async fn caged(&self, program: &Path, needs: Needs) -> Result<Cage, Lack> {
        let interpreter = interpreter::ask(program).await.map_err(Lack::Unfit)?;
        if needs == Needs::Openpyxl && !interpreter.has("openpyxl") {
            return Err(Lack::Unfit(format!("{} has no openpyxl, which workbooks need", program.display())));
        }
        Cage::of(interpreter, self.reader.clone()).await.map_err(Lack::NoCage)
    }
}

/// Why a Python cannot be used, in words.
enum Lack {
    /// Another one could do.
    Unfit(String),
    NoCage(String),
}

impl Python for PythonFinder {
    fn text(&self, needs: Needs) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(async move { Ok(self.get(needs).await?.interpreter().text()) })
    }

    fn run<'a>(
        &'a self,
        needs: Needs,
        code: &'a str,
        folder: &'a Folder,
        limits: &'a Limits,
    ) -> BoxFuture<'a, Result<Ended, CageError>> {
        Box::pin(async move {
            let cage = self.get(needs).await.map_err(CageError::Unavailable)?;
            cage.run(code, folder, limits).await
        })
    }
}
