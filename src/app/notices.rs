//! Runs the user's notice command when something new waits.
//!
//! Promises: items that waited before the start are not announced. New items are announced once, together, no more
//! often than the config says and never in quiet hours; items decided meanwhile are left out. No shell is involved: the
//! texts are arguments and variables, Visible, short and never an option. A command that fails or hangs hurts nothing.
//! It runs in the process that drives.

use super::background::Background;
use crate::config::{Config, NoticeCommand};
use crate::engine::graph::BoxFuture;
use crate::inbox::door::Inbox;
use crate::inbox::{InboxError, ItemQuery, Question};
use crate::text::short_line;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::Instant;

/// How many items are read at once.
const PAGE: usize = 200;
/// How long a command may take.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);
/// How often the quiet hours are checked while a notice waits.
const QUIET_CHECK_EVERY: Duration = Duration::from_secs(30);
/// Most characters of a title or gist.
const MAX_TEXT: usize = 160;

#[derive(Debug, PartialEq, Eq)]
struct Notice {
    title: String,
    gist: String,
    kind: String,
    id: String,
    count: usize,
}

/// The notice command, with the time zone of its quiet hours.
pub(super) struct Notices {
    inbox: Inbox,
    command: NoticeCommand,
    zone: TimeZone,
}

impl Notices {
    /// The background task; `None` if the config names no notice command.
    pub(super) fn task(inbox: &Inbox, config: &Config) -> Option<Arc<dyn Background>> {
        let (command, zone) = (config.notice_command.clone()?, config.user.time_zone.clone());
        Some(Arc::new(Self { inbox: inbox.clone(), command, zone }))
    }
}

impl Background for Notices {
    fn run(&self) -> BoxFuture<'_, ()> {
        Box::pin(announce(&self.inbox, &self.command, &self.zone))
    }
}

async fn announce(inbox: &Inbox, config: &NoticeCommand, zone: &TimeZone) {
    let mut changes = inbox.engine().store().changes();
    let mut last = None;
    // Items that wait already are not news.
    if let Err(error) = new_items(inbox, &mut last).await {
        tracing::warn!(%error, "notices cannot be given");
    }
    let mut waiting: Vec<Question> = Vec::new();
    let mut last_notice: Option<Instant> = None;
    loop {
        match new_items(inbox, &mut last).await {
            Ok(new) => waiting.extend(new.into_iter().filter(|item| is_announced(config, item))),
            Err(error) => tracing::warn!(%error, "notices cannot be given"),
        }
        let due = last_notice.map(|last_notice| last_notice + config.every);
        let is_due = due.is_none_or(|due| due <= Instant::now());
        let quiet = config.is_quiet(inbox.engine().store().now(), zone);
        if !waiting.is_empty() && is_due && !quiet {
            let mut open = Vec::new();
            for item in waiting.drain(..) {
                let outcome = inbox.threads().outcome(item.thread.clone()).await;
                if outcome.is_ok_and(|outcome| outcome.interrupts.contains(&item.id)) {
                    open.push(item);
                }
            }
            if let Some(notice) = combine(&open) {
                last_notice = Some(Instant::now());
                run(&config.command, &notice).await;
            }
        }
        let wake_at = match (waiting.is_empty(), due) {
            (true, _) => None,
            (false, Some(due)) if !quiet => Some(due),
            (false, _) => Some(Instant::now() + QUIET_CHECK_EVERY),
        };
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { std::future::pending::<()>().await },
            () = wait_until(wake_at) => {}
        }
    }
}

async fn wait_until(when: Option<Instant>) {
    match when {
        Some(when) => tokio::time::sleep_until(when).await,
        None => std::future::pending().await,
    }
}

/// The items asked since `last`; moves `last` forward.
async fn new_items(inbox: &Inbox, last: &mut Option<i64>) -> Result<Vec<Question>, InboxError> {
    let mut items = Vec::new();
    loop {
        let page = inbox
            .decisions()
            .questions(ItemQuery { after: *last, limit: PAGE, ..ItemQuery::default() })
            .await?;
        let more = page.rows.len() >= PAGE;
        items.extend(page.rows);
        *last = page.last.or(*last);
        if !more {
            return Ok(items);
        }
    }
}

fn is_announced(config: &NoticeCommand, item: &Question) -> bool {
    config.kinds.iter().any(|kind| kind == item.kind.word())
}

/// Several items in one notice: their count, and the titles of the first ones.
fn combine(items: &[Question]) -> Option<Notice> {
    let first = items.first()?;
    let (title, gist) = match items.len() {
        1 => (first.title.clone(), first.gist.clone()),
        count => {
            let titles: Vec<&str> = items.iter().take(3).map(|item| item.title.as_str()).collect();
            (format!("{count} new in sayso"), titles.join(" · "))
        }
    };
    Some(Notice {
        title: safe_text(&title),
        gist: safe_text(&gist),
        kind: first.kind.word().to_owned(),
        id: first.id.to_string(),
        count: items.len(),
    })
}

/// Text that no program takes for an option or a terminal command.
fn safe_text(text: &str) -> String {
    let short = short_line(text.trim(), MAX_TEXT);
    match short.strip_prefix('-') {
        Some(rest) => format!("–{rest}"),
        None => short,
    }
}

async fn run(command: &[String], notice: &Notice) {
    let Some((program, args)) = command.split_first() else { return };
    let mut child = Command::new(program);
    child.args(args).arg(&notice.title).arg(&notice.gist);
    child.env("SAYSO_NOTICE_TITLE", &notice.title).env("SAYSO_NOTICE_GIST", &notice.gist);
    child.env("SAYSO_NOTICE_KIND", &notice.kind).env("SAYSO_NOTICE_ID", &notice.id);
    child.env("SAYSO_NOTICE_COUNT", notice.count.to_string());
    child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    match tokio::time::timeout(COMMAND_TIMEOUT, child.status()).await {
        Ok(Ok(status)) if status.success() => {}
        Ok(Ok(status)) => tracing::warn!(%status, "the command for notices failed"),
        Ok(Err(error)) => tracing::warn!(%error, "the command for notices cannot be run"),
        Err(_) => tracing::warn!("the command for notices did not end, and was stopped"),
    }
}

impl NoticeCommand {
    fn is_quiet(&self, now: Timestamp, zone: &TimeZone) -> bool {
        let Some((from, until)) = self.quiet else { return false };
        let time = now.to_zoned(zone.clone()).time();
        // The span may cross midnight.
        if from <= until { from <= time && time < until } else { from <= time || time < until }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::time;

    #[test]
    fn quiet_hours_are_by_the_persons_clock_and_may_pass_midnight() {
        let zone = TimeZone::get("Europe/Paris").unwrap();
        let quiet = |from, until, now: &str| {
            let config = NoticeCommand { quiet: Some((from, until)), ..NoticeCommand::default() };
            config.is_quiet(now.parse().unwrap(), &zone)
        };
        let (evening, morning, noon) = (time(22, 0, 0, 0), time(7, 0, 0, 0), time(12, 0, 0, 0));
        // Paris is an hour ahead of UTC.
        assert!(
            quiet(evening, morning, "2026-11-15T21:00:00Z")
                && quiet(evening, morning, "2026-11-15T05:59:59Z")
        );
        assert!(
            !quiet(evening, morning, "2026-11-15T06:00:00Z")
                && !quiet(evening, morning, "2026-11-15T20:59:00Z")
        );
        assert!(
            quiet(morning, noon, "2026-11-15T08:00:00Z") && !quiet(morning, noon, "2026-11-15T12:00:00Z")
        );
        assert!(!NoticeCommand::default().is_quiet("2026-11-15T21:00:00Z".parse().unwrap(), &zone));
    }

    #[test]
    fn words_are_no_option_and_no_order() {
        assert_eq!(safe_text("--icon=/etc/passwd"), "–-icon=/etc/passwd");
        assert_eq!(safe_text(" a\u{1b}]9;x\u{7}\nb "), "a⟨U+001B⟩]9;x⟨U+0007⟩ b");
        assert!(safe_text(&"x".repeat(5000)).chars().count() <= MAX_TEXT);
    }
}
