//! Which lines may enter or leave a profile without the person seeing them.
//!
//! The mail may have talked the model into anything, so we do not search for hostile lines. A line passes only if every
//! word is known to be harmless in its place: a wish about wording, times and places ([`wording`]). Any other line, in any spelling or language, waits for the
//! person.

use super::wording;
use crate::agent::lesson::MemoryFacts;
use crate::workflows::email::defaults;

/// Longer lines are not read at all.
const MAX_LINE: usize = 200;

/// Whether a model may add this line without asking.
pub(super) fn may_be_added(facts: &MemoryFacts, line: &str) -> bool {
    // Without its dash, or indented, it could continue the sentence above it.
    let Some(text) = line.strip_prefix("- ").filter(|text| text.len() <= MAX_LINE) else { return false };
    match defaults::shared(&facts.namespace) {
        defaults::RESPONSE => wording::is_about_wording(facts, text) || wording::is_sign_off(facts, text),
        defaults::CALENDAR => wording::is_about_meetings(facts, text) || wording::is_place(facts, text),
        _ => false,
    }
}

/// Whether a model may drop this line without asking: only if the line is as harmless as one it may add.
pub(super) fn may_be_dropped(facts: &MemoryFacts, line: &str) -> bool {
    let text = line.trim_start().trim_start_matches(['-', '*', '•']).trim_start();
    if text.len() > MAX_LINE || text.starts_with('#') {
        return false;
    }
    match defaults::shared(&facts.namespace) {
        defaults::RESPONSE => wording::is_about_wording(facts, text) || wording::has_sign_off(text),
        defaults::CALENDAR => wording::is_about_meetings(facts, text) || wording::has_place(text),
        _ => false,
    }
}

/// Why a line may not be added, for the card.
pub(super) fn why_held(facts: &MemoryFacts, line: &str) -> &'static str {
    match defaults::shared(&facts.namespace) {
        _ if line.contains('@') => "It names an address",
        defaults::RESPONSE => "It is about more than wording",
        defaults::CALENDAR => "It is about more than times and places",
        _ => "This profile never changes without your approval",
    }
}
