//! Folders: by their name in the config, or by the purpose the server states (RFC 6154).

use super::names::{self, Folder};
use super::session::{Arg, ImapError, Session};
use super::value::Value;
use crate::mail::Destination;
use crate::text::there_are;
use crate::tools::web::safe_excerpt;

/// A folder in the server's list.
#[derive(Clone, Debug)]
pub(super) struct ListedFolder {
    pub(super) folder: Folder,
    flags: Vec<String>,
}

impl ListedFolder {
    fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|own_flag| own_flag.eq_ignore_ascii_case(flag))
    }
}

/// What a folder is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FolderPurpose {
    Sent,
    Drafts,
    Archive,
    Trash,
    Junk,
}

impl FolderPurpose {
    /// The server's words for it, best first. Gmail has no archive: what leaves the inbox is still in `\All`.
    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Sent => &["\\Sent"],
            Self::Drafts => &["\\Drafts"],
            Self::Archive => &["\\Archive", "\\All"],
            Self::Trash => &["\\Trash"],
            Self::Junk => &["\\Junk"],
        }
    }

    /// Common names for such folders if the server does not say, best first.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Sent => &["Sent", "Sent Items", "Sent Messages", "Sent Mail"],
            Self::Drafts => &["Drafts", "Draft"],
            Self::Archive => Destination::Archive.usual_names(),
            Self::Trash => Destination::Trash.usual_names(),
            Self::Junk => Destination::Spam.usual_names(),
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Drafts => "drafts",
            Self::Archive => "archive",
            Self::Trash => "trash",
            Self::Junk => "junk",
        }
    }

    /// The name of such a folder if we have to create it.
    pub(super) fn name_to_create(self) -> &'static str {
        self.names().first().copied().unwrap_or_default()
    }
}

/// All folders that can be opened.
pub(super) async fn list(session: &mut Session) -> Result<Vec<ListedFolder>, ImapError> {
    let reports_purpose = session.can("SPECIAL-USE") && session.can("LIST-EXTENDED");
    let line = if reports_purpose { "LIST \"\" \"*\" RETURN (SPECIAL-USE)" } else { "LIST \"\" \"*\"" };
    let answers = session.command(&[Arg::Raw(line)]).await?;
    let listed = answers.data.iter().filter_map(|data| match data.as_slice() {
        [word, flags, _, name, ..] if word.is("LIST") => {
            let wire = name.text()?;
            let flags = flags.list().iter().filter_map(Value::text).collect();
            Some(ListedFolder { folder: Folder { name: names::decode(&wire), wire }, flags })
        }
        _ => None,
    });
    Ok(listed.filter(|listed| !listed.has("\\Noselect") && !listed.has("\\NonExistent")).collect())
}

/// The folder for a purpose: the configured one, or else the one the server says.
pub(super) async fn find_by_purpose(
    session: &mut Session,
    configured: Option<&str>,
    purpose: FolderPurpose,
) -> Result<Option<Folder>, ImapError> {
    if let Some(name) = configured {
        return Ok(Some(Folder::named(name)));
    }
    let listed = list(session).await?;
    let by_flag = purpose.flags().iter().find_map(|flag| listed.iter().find(|listed| listed.has(flag)));
    let is_called = |listed: &&ListedFolder, name: &str| {
        let last = listed.folder.name.rsplit(['/', '.']).next().unwrap_or_default();
        last.eq_ignore_ascii_case(name)
    };
    let by_name =
        || purpose.names().iter().find_map(|name| listed.iter().find(|listed| is_called(listed, name)));
    Ok(by_flag.or_else(by_name).map(|listed| listed.folder.clone()))
}

/// The error for a missing folder; lists some that exist.
pub(super) async fn unknown(session: &mut Session, name: &str) -> ImapError {
    let others = match list(session).await {
        Ok(listed) => listed,
        Err(error) if error.ends_session() => return error,
        Err(_) => Vec::new(),
    };
    let names: Vec<String> = others.iter().map(|listed| safe_excerpt(&listed.folder.name)).collect();
    let existing = there_are(&names);
    ImapError::Permanent(format!("{} has no folder {}; {existing}", session.place(), safe_excerpt(name)))
}

/// The error for a purpose without a folder; says what to do.
pub(super) fn missing(session: &Session, purpose: FolderPurpose) -> ImapError {
    let key = purpose.key();
    ImapError::Permanent(format!("{} does not say which folder is for {key}; set {key}", session.place()))
}
