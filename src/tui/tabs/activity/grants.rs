//! What is allowed without asking: revoking takes one key, restoring needs a `y`.

use crate::inbox::door::{Inbox, name_words};
use crate::inbox::{DecisionEnd, GrantLine, InboxError, POLICY_GRANT};
use crate::tui::card::Doc;
use crate::tui::layers::Confirm;
use crate::tui::model::{Model, Tab};

/// Reads the grants. Those in force come first; the built-in ones can be switched on again, so they stay.
pub fn read(model: &mut Model) {
    let work = async |inbox: Inbox| inbox.grants().list().await;
    model.read(work, |model, mut grants| {
        grants.retain(is_listed);
        grants.sort_by_key(|grant| (grant.builtin, grant.id.starts_with(POLICY_GRANT)));
        model.list_activity(|model| model.grants = grants);
        if let Some(id) = model.activity.grant_to_select.take() {
            model.select_grant(&id);
        }
    });
}

/// Whether a grant has a row: it is in force, or can be switched on again.
pub fn is_listed(grant: &GrantLine) -> bool {
    grant.in_force || grant.builtin
}

pub fn show(model: &mut Model, id: String) {
    model.activity.grant_to_select = Some(id);
    model.go(Tab::Activity);
}

/// Revokes the selected grant at once, or asks whether to switch a built-in one on again.
pub fn revoke(model: &mut Model) {
    let Some(grant) = model.selected_grant().cloned() else { return };
    if grant.id.starts_with(POLICY_GRANT) {
        return model.say("The config allows this: remove it from [policy]");
    }
    if grant.in_force {
        return change(model, async move |inbox: Inbox| inbox.grants().revoke(grant.id).await);
    }
    model.push(Confirm::new(
        format!("Allow {} again?", name_words(&grant.tool)),
        format!("It runs without asking: {}.", grant.scope),
        Doc::default(),
        move |model| change(model, async move |inbox: Inbox| inbox.grants().restore(grant.id).await),
    ));
}

fn change<F>(model: &mut Model, work: impl FnOnce(Inbox) -> F + Send + 'static)
where
    F: Future<Output = Result<GrantLine, InboxError>> + Send + 'static,
{
    model.start(work, |model, result| {
        if let Some(grant) = model.ok_or_fail(result) {
            let word = if grant.in_force { "Allowed again" } else { "Revoked" };
            let text = format!("{word}: {}, {}", name_words(&grant.tool), grant.scope);
            model.report(DecisionEnd::Done, text);
        }
        read(model);
        model.reload();
    });
}
