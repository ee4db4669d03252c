//! The Python of this machine, for `sheet`: the program itself sees no `PATH` here.

use crate::support::python::machine;
use sayso::tools::cage::Needs;
use std::path::PathBuf;

/// Its path, if it can be caged; otherwise why not.
pub fn program() -> Result<PathBuf, String> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let cage = machine().await?.get(Needs::Nothing).await?;
        Ok(cage.interpreter().program.clone())
    })
}

/// The lines of a config that name it.
pub fn config(program: &std::path::Path) -> String {
    format!("[sheet]\npython = \"{}\"\n", program.display())
}
