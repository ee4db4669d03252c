//! What is allowed without asking: revoking takes one key, restoring needs a `y`.

use crate::inbox::{GrantLine, POLICY_GRANT};
use crate::service::name_words;
use crate::tui::card::Doc;
use crate::tui::key_guard;
use crate::tui::layers::{Confirm, OnConfirm};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, InboxResult, Press};
use crate::tui::tabs::activity::Section;
use crate::tui::tabs::{self, Tab};

pub fn listed(model: &mut Model, result: InboxResult<Vec<GrantLine>>) -> Vec<Cmd> {
    match result {
        // Grants in force come first; the built-in ones can be switched on again, so they stay.
        Ok(mut grants) => {
            grants.retain(is_listed);
            grants.sort_by_key(|grant| (grant.builtin, grant.id.starts_with(POLICY_GRANT)));
            let (key, section) = (model.activity_key(), model.activity_section());
            model.grants = grants;
            let grant_to_select = model.activity.grant_to_select.take();
            let section = if grant_to_select.is_some() { Some(Section::Allowed) } else { section };
            model.keep_activity(grant_to_select.or(key), section);
        }
        Err(failure) => model.fail(failure.text),
    }
    Vec::new()
}

/// Whether a grant has a row: it is in force, or can be switched on again.
pub fn is_listed(grant: &GrantLine) -> bool {
    grant.in_force || grant.builtin
}

pub fn show(model: &mut Model, id: String) -> Vec<Cmd> {
    model.activity.grant_to_select = Some(id);
    tabs::go(model, Tab::Activity)
}

/// Revokes the selected grant at once, or asks whether to switch a built-in one on again.
pub fn revoke(model: &mut Model, press: Press) -> Vec<Cmd> {
    if !key_guard::is_deliberate(model, press) {
        return Vec::new();
    }
    let Some(grant) = model.selected_grant().cloned() else { return Vec::new() };
    if grant.id.starts_with(POLICY_GRANT) {
        model.say("The config allows this: remove it from [policy]");
        return Vec::new();
    }
    if grant.in_force {
        return vec![Cmd::Revoke(grant.id)];
    }
    model.push(Confirm::new(
        format!("Allow {} again?", name_words(&grant.tool)),
        format!("It runs without asking: {}.", grant.scope),
        Doc::default(),
        OnConfirm::Do(Cmd::Restore(grant.id)),
    ));
    Vec::new()
}

pub fn revoked(model: &mut Model, result: InboxResult<GrantLine>) -> Vec<Cmd> {
    match result {
        Ok(grant) => {
            let word = if grant.in_force { "Allowed again" } else { "Revoked" };
            model.say(format!("{word}: {}, {}", name_words(&grant.tool), grant.scope));
        }
        Err(failure) => model.fail(failure.text),
    }
    let mut cmds = vec![Cmd::Grants];
    cmds.extend(tabs::reload(model));
    cmds
}
