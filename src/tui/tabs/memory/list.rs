//! Reads the list of the Memory tab and what is behind its lines, and changes it.

use crate::inbox::door::Inbox;
use crate::inbox::{DecisionEnd, InboxError, MemoryItem, MemoryVersion, MemoryView, RowKey, RowView};
use crate::tui::model::{Model, Tab, Versions, Wanted};

pub fn read(model: &mut Model) {
    model.read(async |inbox: Inbox| inbox.memory().list().await, listed);
}

/// Reads what is behind the selected line; a newly selected one is shown from the top.
pub fn read_selected(model: &mut Model) {
    if let Some(key) = model.memory.row().map(|line| line.row.key.clone()) {
        return read_row(model, key);
    }
    let Some(namespace) = model.memory.profile().map(|line| line.namespace.clone()) else { return };
    if model.memory.versions.as_ref().is_none_or(|versions| versions.namespace != namespace) {
        model.memory.page_top = Default::default();
    }
    let name = namespace.clone();
    let read = async move |inbox: Inbox| {
        let view = inbox.memory().show(name.clone()).await?;
        Ok::<_, InboxError>((view, inbox.memory().history(name).await?))
    };
    model.read(read, |model, (view, history)| show_versions(model, namespace, view, history));
}

/// Reads the mails that a row decided.
fn read_row(model: &mut Model, key: RowKey) {
    if model.memory.row.as_ref().is_none_or(|row| row.line.row.key != key) {
        (model.memory.row, model.memory.page_top) = Default::default();
    }
    let work = async move |inbox: Inbox| inbox.memory().row(key).await;
    model.read(work, |model, row: RowView| model.memory.row = Some(row));
}

fn listed(model: &mut Model, items: Vec<MemoryItem>) {
    // The rows come first: they are what sayso does by itself.
    let (rows, profiles): (Vec<_>, Vec<_>) =
        items.into_iter().partition(|item| matches!(item, MemoryItem::Row(_)));
    let items = rows.into_iter().chain(profiles).collect();
    model.memory.list.replace(items, |item| match item {
        MemoryItem::Row(line) => line.row.key.to_string(),
        MemoryItem::Profile(line) => line.namespace.clone(),
    });
    let list = &mut model.memory.list;
    let is_wanted = |item: &MemoryItem| match (&model.memory.wanted, item) {
        (Some(Wanted::Version(name, _)), MemoryItem::Profile(line)) => line.namespace == *name,
        (Some(Wanted::Row(key)), MemoryItem::Row(line)) => line.row.key == *key,
        _ => false,
    };
    let wanted = list.rows.iter().position(is_wanted);
    list.select(wanted.unwrap_or(list.cursor));
    model.memory.wanted.take_if(|wanted| matches!(wanted, Wanted::Row(_)));
    read_selected(model);
}

/// Goes to a version of a profile, or to a row.
pub fn show(model: &mut Model, wanted: Wanted) {
    model.memory.wanted = Some(wanted);
    model.memory.page_top = Default::default();
    model.go(Tab::Memory);
}

fn show_versions(model: &mut Model, namespace: String, view: MemoryView, history: Vec<MemoryVersion>) {
    // Users who look at an earlier version stay with it, whatever is learned meanwhile.
    let earlier = model
        .memory
        .versions
        .take()
        .filter(|versions| versions.namespace == namespace && versions.shown_index > 0);
    let is_wanted = |wanted: &mut Wanted| matches!(wanted, Wanted::Version(name, _) if *name == namespace);
    let version = match model.memory.wanted.take_if(is_wanted) {
        Some(Wanted::Version(_, version)) => Some(version),
        _ => earlier.and_then(|versions| Some(versions.shown()?.version)),
    };
    let index = version.and_then(|version| history.iter().position(|entry| entry.version == version));
    model.memory.versions =
        Some(Versions { namespace, history, pinned: view.pinned, shown_index: index.unwrap_or(0) });
}

/// Changes a profile or a row and says so; the list shows it either way.
pub fn change<F>(model: &mut Model, work: impl FnOnce(Inbox) -> F + Send + 'static)
where
    F: Future<Output = Result<String, InboxError>> + Send + 'static,
{
    model.start(work, |model, result| {
        if let Some(text) = model.ok_or_fail(result) {
            model.report(DecisionEnd::Done, text);
        }
        read(model);
    });
}
