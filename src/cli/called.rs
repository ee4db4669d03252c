//! The command that starts this program again: what agents are told to run, and what they are known to run.

use super::context::Context;
use super::failure::Failure;
use crate::config::{Env, Inputs};
use crate::connect::setup;
use std::path::{Path, PathBuf};

/// The command that starts this program, with the data folder in use: an agent may start it in another environment.
pub(super) fn program_as_called(context: &Context) -> Result<Vec<String>, Failure> {
    let program = text(&path_as_called(context.env())?)?;
    Ok(std::iter::once(program).chain(flags(context, context.data_folder())?).collect())
}

/// The global flags that lead to this data folder and config.
pub(super) fn flags(context: &Context, usual_data: Option<PathBuf>) -> Result<Vec<String>, Failure> {
    let Inputs { flags, env, .. } = context.inputs();
    let named = |flag: &Option<PathBuf>, variable: &str| {
        let path = flag.clone().or_else(|| env.get(variable).map(PathBuf::from))?;
        let path = context.path(&path);
        Some(std::path::absolute(&path).unwrap_or(path))
    };
    let data = named(&flags.data, "SAYSO_DATA").or(usual_data);
    let mut words = Vec::new();
    for (flag, path) in [("--data", data), ("--config", named(&flags.config, "SAYSO_CONFIG"))] {
        if let Some(path) = path {
            words.extend([flag.to_owned(), text(&path)?]);
        }
    }
    Ok(words)
}

/// A path for an agent's config, which is text.
fn text(path: &Path) -> Result<String, Failure> {
    let wrong =
        || Failure::failed(format!("{} is not UTF-8 text, so no agent can be told of it", path.display()));
    path.to_str().map(str::to_owned).ok_or_else(wrong)
}

/// Where this program is, as it was called: a link keeps its name while what it leads to may move with an upgrade.
fn path_as_called(env: &Env) -> Result<PathBuf, Failure> {
    let exe = std::env::current_exe()
        .map_err(|error| Failure::failed(format!("cannot find where sayso is installed: {error}")))?;
    let called = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let found = if called.parent().is_some_and(|folder| folder != Path::new("")) {
        std::path::absolute(&called).ok()
    } else {
        setup::on_path(env, &called)
    };
    let leads_here = |path: &PathBuf| path.canonicalize().ok() == exe.canonicalize().ok();
    Ok(found.filter(leads_here).unwrap_or(exe))
}
