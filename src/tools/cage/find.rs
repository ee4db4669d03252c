//! Finds a Python that has what workbooks need, and tries whether it can be caged.

use super::Cage;
use super::interpreter;
use crate::tools::sandbox::Sandbox;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The programs that `auto` looks for.
const NAMES: [&str; 2] = ["python3", "python"];

/// The Python used for workbooks, found once and tried in its cage.
#[derive(Clone)]
pub struct PythonFinder {
    choice: String,
    sandbox: Sandbox,
    cage: Arc<OnceCell<Result<Cage, String>>>,
}

impl PythonFinder {
    /// `choice` is `auto`, `embedded` or the path of a Python.
    pub fn new(choice: &str, sandbox: Sandbox) -> Self {
        Self { choice: choice.to_owned(), sandbox, cage: Arc::default() }
    }

    /// The caged Python; otherwise why the embedded one is used, or `None` if the embedded one was asked for.
    pub async fn get(&self) -> Result<Cage, Option<String>> {
        if self.choice == "embedded" {
            return Err(None);
        }
        self.cage.get_or_init(|| self.find()).await.clone().map_err(Some)
    }

    /// The Python that a task was started with.
    pub async fn reopen(&self, program: &Path) -> Result<Cage, String> {
        if let Ok(cage) = self.get().await
            && cage.interpreter().program == program
        {
            return Ok(cage);
        }
        self.caged(program).await
    }

    async fn find(&self) -> Result<Cage, String> {
        if self.choice != "auto" {
            return self.caged(Path::new(&self.choice)).await;
        }
        let programs = programs();
        let mut why = None;
        for program in programs {
            match self.caged(&program).await {
                Ok(cage) => return Ok(cage),
                Err(reason) => why = why.or(Some(reason)),
            }
        }
        Err(why.unwrap_or_else(|| "no Python was found".to_owned()))
    }

    async fn caged(&self, program: &Path) -> Result<Cage, String> {
        let interpreter = interpreter::ask(program).await?;
        if !interpreter.has("openpyxl") {
            let shown = program.display();
            return Err(format!(
                "{shown} has no openpyxl; `{shown} -m pip install openpyxl pandas` gives it"
            ));
        }
        Cage::of(interpreter, self.sandbox.clone()).await
    }
}

/// Programs with one of these names on `PATH`.
fn programs() -> Vec<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).filter(|path| path.is_absolute()).collect();
    let all = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.filter(|program| program.is_file()).collect()
}
