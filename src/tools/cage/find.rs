//! Finds a Python that has what a workbook needs, and tries whether it can be caged.

use super::interpreter;
use super::reader::Reader;
use super::run::{Ended, Needs, Python};
use super::{Cage, CageError, Folder, Limits};
use futures_util::future::BoxFuture;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The programs that `auto` looks for.
const NAMES: [&str; 2] = ["python3", "python"];

/// The Python used for workbooks, found once and tried in its cage. What was not found is looked for again.
#[derive(Clone)]
pub struct PythonFinder {
    choice: String,
    reader: Reader,
    any: Arc<OnceCell<Cage>>,
    with_openpyxl: Arc<OnceCell<Cage>>,
}

impl PythonFinder {
    /// `choice` is `auto` or the path of a Python.
    pub fn new(choice: &str, reader: Reader) -> Self {
        Self { choice: choice.to_owned(), reader, any: Arc::default(), with_openpyxl: Arc::default() }
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
        if self.choice != "auto" {
            return self.caged(Path::new(&self.choice), needs).await;
        }
        let mut why = None;
        for program in programs() {
            match self.caged(&program, needs).await {
                Ok(cage) => return Ok(cage),
                Err(reason) => why = why.or(Some(reason)),
            }
        }
        Err(why.unwrap_or_else(|| "no Python was found in your PATH".to_owned()))
    }

    async fn caged(&self, program: &Path, needs: Needs) -> Result<Cage, String> {
        let interpreter = interpreter::ask(program).await?;
        if needs == Needs::Openpyxl && !interpreter.has("openpyxl") {
            return Err(format!("{} has no openpyxl, which workbooks need", program.display()));
        }
        Cage::of(interpreter, self.reader.clone()).await
    }
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

/// Programs with one of these names on `PATH`.
fn programs() -> Vec<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).filter(|path| path.is_absolute()).collect();
    let all = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.filter(|program| program.is_file()).collect()
}
