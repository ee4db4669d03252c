//! Files a person attaches. They are read when the person names them, with a size limit, and stored by digest, so we
//! send what was shown.

use super::state::{Attached, Email};
use crate::agent::Services;
use crate::engine::graph::{Ctx, NodeError};
use crate::workflows::email::input;
use std::collections::BTreeMap;
use std::path::Path;

/// The maximum total size of a mail's files.
const MAX_TOTAL_BYTES: u64 = 25 * 1024 * 1024;

/// Reads the files a person named, each time they name them. Returns those of `paths` that changed since they were
/// shown or cannot be read.
pub(super) async fn read(
    ctx: &Ctx<Services>,
    state: &Email,
    call: &str,
    paths: &[String],
) -> Result<BTreeMap<String, Attached>, NodeError> {
    if paths.is_empty() {
        return Ok(BTreeMap::new());
    }
    let changed_files = async {
        let mut changed = BTreeMap::new();
        let mut total = 0;
        for path in paths {
            let file = read_one(ctx, path, &mut total).await?;
            if file.error.is_some() || state.attached.get(path) != Some(&file) {
                changed.insert(path.clone(), file);
            }
        }
        Ok(changed)
    };
    ctx.call(&format!("attach:{call}"), changed_files).await
}

async fn read_one(ctx: &Ctx<Services>, path: &str, total: &mut u64) -> Result<Attached, NodeError> {
    let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_else(|| "file".to_owned());
    let with_error = |text: String| Attached { name: name.clone(), error: Some(text), ..Attached::default() };
    let full_path = ctx.services().user.path(path);
    if !full_path.is_absolute() {
        // The process that reads the file may run in another folder than the person typed in.
        let text = format!("{path} is not a full path: begin it with / or ~/, such as ~/plan.pdf");
        return Ok(with_error(text));
    }
    let Some(path_text) = full_path.to_str().map(str::to_owned) else {
        return Ok(with_error(format!("{path} leads to a name that is no text")));
    };
    let read =
        tokio::task::spawn_blocking(move || input::read_file(&path_text)).await.map_err(NodeError::failed)?;
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(text) => return Ok(with_error(text)),
    };
    let length = bytes.len() as u64;
    if *total + length > MAX_TOTAL_BYTES {
        return Ok(with_error(format!(
            "{path}: all files together are longer than {} MB",
            MAX_TOTAL_BYTES / 1024 / 1024
        )));
    }
    *total += length;
    let digest = ctx.services().records.put_blob(bytes).await?;
    Ok(Attached { name, digest, bytes: length, error: None })
}
