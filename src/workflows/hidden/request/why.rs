//! Why a program's question is asked: who asked and from where, why nothing allowed it beforehand, when it expires.

use super::card::who;
use super::state::{Request, RequestInput};
use crate::engine::graph::{AnyState, Warning};
use crate::inbox::{Block, Question, act_words};
use crate::text::Visible;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

pub(super) fn explain(state: &AnyState, question: Option<&Question>, zone: &TimeZone) -> Vec<Block> {
    let Some(state) = state.get::<Request>() else { return Vec::new() };
    let request = &state.asked;
    let mut fields = who(state);
    let asked_at = request.asked.as_ref().and_then(|at| Timestamp::from_millisecond(at.wall_ms).ok());
    let format_time =
        |at: Timestamp| at.to_zoned(zone.clone()).strftime("%a %-d %b %Y, %H:%M:%S").to_string();
    fields.extend(asked_at.map(|at| ("asked at", format_time(at))));
    let expiry = match (request.expires_in, asked_at) {
        (None, _) => "the asker set no time limit".to_owned(),
        (Some(seconds), asked_at) => {
            let duration = SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX));
            let when = asked_at
                .and_then(|at| at.checked_add(duration).ok())
                .map(|at| format!(", at {}", format_time(at)));
            let when = when.unwrap_or_default();
            format!("{duration:#} after it was asked{when}; then it closes without allowing anything")
        }
    };
    fields.push(("expires", expiry));
    vec![
        Block::fields(fields),
        Block::Heading(Visible::line("Why it was not already allowed")),
        Block::text(&why_asked(request, question)),
    ]
}

fn why_asked(request: &RequestInput, question: Option<&Question>) -> String {
    if request.notice {
        return "It only tells you something; that is always shown.".to_owned();
    }
    if request.action.is_none() || request.question {
        return "It needs an answer in your words, which no grant can give.".to_owned();
    }
    let warnings = question.map_or(&[][..], |question| &question.warnings);
    if Warning::need_confirmation(warnings) {
        let codes: Vec<&str> = warnings.iter().map(|warning| warning.code.as_str()).collect();
        return format!(
            "It has a warning ({}), and anything with a warning is always asked, whatever is allowed.",
            codes.join(", ")
        );
    }
    if let Some(question) = question
        && let Some(call) = &question.grantable.call
    {
        let what = match call.act_asked_about() {
            None => "it".to_owned(),
            Some(act) => format!("`{}` in {}", act_words(act), act.folder),
        };
        return format!(
            "When it was asked, no grant allowed {what} by {}. A accepts it and offers one; `sayso grants` lists those \
             there are.",
            call.by
        );
    }
    let missing = match &request.folder {
        None => "this program named no folder",
        Some(_) if request.source.is_none() => "this program gave no name",
        Some(_) if request.untold => "this program does not say all of what it would do",
        Some(_) => "this runs what it reads, or writes into a program that is already running",
    };
    format!(
        "Only calls whose effect is on the card can be allowed in advance, and only for a program that gives its name and \
         folder; {missing}, so it is always asked."
    )
}
