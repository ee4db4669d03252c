//! Files a person attaches. They are read when the person names them, with a size limit, and stored by digest, so we
//! send what was shown.

use super::input;
use super::state::{Attached, Email, Forwarded};
use crate::agent::Services;
use crate::config::User;
use crate::engine::graph::{Ctx, NodeError};
use crate::mail;
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
            let file = read_one(ctx, state, path, &mut total).await?;
            if file.error.is_some() || state.attached.get(path) != Some(&file) {
                changed.insert(path.clone(), file);
            }
        }
        Ok(changed)
    };
    ctx.call(&format!("attach:{call}"), changed_files).await
}

/// The name in a mail's list of attachments for the `n`th attachment of the mail it forwards, counted from 1.
pub(super) fn forwarded_name(n: usize, name: &str) -> String {
    format!("mail:{n}/{name}")
}

/// Which attachment of the forwarded mail is meant; `None` for a path.
pub(super) fn of_forwarded(path: &str) -> Option<usize> {
    path.strip_prefix("mail:")?.split('/').next()?.parse().ok()
}

/// A file that the person named by its path. The error says why it cannot be read.
pub(super) fn read_file(user: &User, path: &str) -> Result<Vec<u8>, String> {
    let full_path = user.path(path);
    if !full_path.is_absolute() {
        // The process that reads the file may run in another folder than the person typed in.
        return Err(format!("{path} is not a full path: begin it with / or ~/, such as ~/plan.pdf"));
    }
    let full_path = full_path.to_str().ok_or_else(|| format!("{path} leads to a name that is no text"))?;
    input::read_file(full_path)
}

fn read_forwarded(services: &Services, forwarded: Option<&Forwarded>, n: usize) -> Result<Vec<u8>, String> {
    let gone = || format!("the forwarded mail has no attachment {n}");
    let raw = services.records.blob(&forwarded.ok_or_else(gone)?.raw).map_err(|error| error.to_string())?;
    let mail = mail::parse(&raw).map_err(|error| error.to_string())?;
    let file = n.checked_sub(1).and_then(|at| mail.attachments.get(at)).ok_or_else(gone)?;
    mail::attachment(&raw, &file.digest).ok_or_else(gone)
}

async fn read_one(
    ctx: &Ctx<Services>,
    state: &Email,
    path: &str,
    total: &mut u64,
) -> Result<Attached, NodeError> {
    let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_else(|| "file".to_owned());
    let with_error = |text: String| Attached { name: name.clone(), error: Some(text), ..Attached::default() };
    let read = match of_forwarded(path) {
        Some(n) => read_forwarded(ctx.services(), state.forwarded.as_ref(), n),
        None => {
            let (user, path) = (ctx.services().user.clone(), path.to_owned());
            let read = tokio::task::spawn_blocking(move || read_file(&user, &path));
            read.await.map_err(NodeError::failed)?
        }
    };
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
