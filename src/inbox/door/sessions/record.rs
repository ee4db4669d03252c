//! The stored record of a session, and how events change it. Pure, except for checking whether a process still runs.

use super::{News, SessionNews};
use crate::engine::store::SessionChange;
use crate::inbox::{AgentSession, SessionState};
use crate::tools::process::Process;
use crate::tools::terminal::Terminal;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// More sessions than anybody runs at once.
const MAX_SESSIONS: usize = 100;

/// If the agent's process is unknown, a session counts as ended after this much silence.
const MAX_SILENCE: SignedDuration = SignedDuration::from_hours(12);

/// A working session that reports nothing for so long may have been broken off: agents don't report that.
const SILENT_AFTER: SignedDuration = SignedDuration::from_mins(20);

/// News that changes nothing else is stored this often.
const STORE_EVERY: SignedDuration = SignedDuration::from_mins(5);

/// No hook lags behind another by more; news that seems older came after somebody set the clock back.
const MAX_LAG: SignedDuration = SignedDuration::from_mins(1);

/// The stored record of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SessionRecord {
    pub agent: String,
    pub id: String,
    folder: Option<String>,
    branch: Option<String>,
    prompt: Option<String>,
    model: Option<String>,
    #[serde(default)]
    mode: Option<String>,
    doing: SessionActivity,
    /// When it started doing that.
    since: Timestamp,
    started: Timestamp,
    /// The time of its last news; older news comes too late.
    heard: Timestamp,
    process: Option<Process>,
    pub terminal: Option<Terminal>,
    #[serde(default)]
    pub used: Used,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SessionActivity {
    Working,
    /// It asks in its own window.
    AsksThere(String),
    Idle,
}

/// What a session has used, and how much of its transcript was read for that.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Used {
    /// Tokens read, including cached ones.
    pub input: u64,
    pub output: u64,
    /// In dollars, if the agent reports it.
    pub cost: Option<f64>,
    /// The transcript file; `counted` is how many bytes of it we have counted.
    pub transcript: Option<String>,
    pub counted: u64,
    /// The last counted message with its tokens; transcripts repeat some messages.
    pub last: Option<(String, u64, u64)>,
}

impl SessionRecord {
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub fn is(&self, agent: &str, id: &str) -> bool {
        self.agent == agent && self.id == id
    }

    /// Whether it still runs, as far as we can tell.
    pub fn runs(&self, now: Timestamp) -> bool {
        match &self.process {
            Some(process) => process.is_alive(),
            None => now.duration_since(self.heard) < MAX_SILENCE,
        }
    }

    pub fn line(self, now: Timestamp) -> AgentSession {
        let (state, since, waits_for) = match self.doing {
            SessionActivity::Working if now.duration_since(self.heard) >= SILENT_AFTER => {
                (SessionState::Silent, self.heard, None)
            }
            SessionActivity::Working => (SessionState::Working, self.since, None),
            SessionActivity::AsksThere(words) => {
                (SessionState::Waiting, self.since, Some(words).filter(|words| !words.is_empty()))
            }
            SessionActivity::Idle => (SessionState::Idle, self.since, None),
        };
        let has_usage = self.used.input > 0 || self.used.output > 0;
        AgentSession {
            agent: self.agent,
            id: self.id,
            folder: self.folder,
            branch: self.branch,
            state,
            waits_for,
            interrupt: None,
            since,
            started_at: self.started,
            prompt: self.prompt,
            model: self.model,
            mode: self.mode,
            input_tokens: has_usage.then_some(self.used.input),
            output_tokens: has_usage.then_some(self.used.output),
            cost: self.used.cost,
            terminal: self.terminal.map(|terminal| terminal.name().to_owned()),
        }
    }

    fn new(news: &SessionNews) -> Self {
        Self {
            agent: news.agent.to_owned(),
            id: news.id.clone(),
            folder: None,
            branch: None,
            prompt: None,
            model: None,
            mode: None,
            doing: SessionActivity::Idle,
            since: news.at,
            started: news.at,
            heard: news.at,
            process: None,
            terminal: None,
            used: Used::default(),
        }
    }

    /// The record after the news.
    fn after(mut self, news: &SessionNews) -> Self {
        let doing = match &news.what {
            News::Prompted(words) => {
                self.prompt = words.clone().or(self.prompt);
                SessionActivity::Working
            }
            News::Asked | News::Working => SessionActivity::Working,
            News::AsksThere(words) => SessionActivity::AsksThere(words.clone()),
            // Claude Code reports a start in the middle of a turn after it compacts the conversation.
            News::Started => self.doing.clone(),
            News::TurnEnded | News::Ended => SessionActivity::Idle,
        };
        if doing != self.doing || matches!(news.what, News::Prompted(_)) {
            (self.doing, self.since) = (doing, news.at);
        }
        self.heard = news.at;
        self.folder = news.folder.clone().or(self.folder);
        self.branch = news.branch.clone();
        self.model = news.model.clone().or(self.model);
        self.mode = news.mode.clone().or(self.mode);
        self.process = news.process.clone().or(self.process);
        self.terminal = news.terminal.clone().or(self.terminal);
        self.used = news.used.clone().unwrap_or(self.used);
        self
    }

    /// Whether the record says nothing that `before` did not say.
    fn says_no_more_than(&self, before: &Self) -> bool {
        let same = Self { heard: before.heard, ..self.clone() } == *before;
        same && self.heard.duration_since(before.heard).abs() < STORE_EVERY
    }
}

fn name(agent: &str, id: &str) -> String {
    format!("{agent}:{id}")
}

/// How the news changes the stored records of all sessions.
pub(super) fn changes(rows: &[(String, String)], news: &SessionNews) -> Vec<SessionChange> {
    let own_name = name(news.agent, &news.id);
    let mut changes: Vec<SessionChange> = Vec::new();
    let mut others = Vec::new();
    let mut before = None;
    for (name, text) in rows {
        match SessionRecord::read(text) {
            Some(record) if *name == own_name => before = Some(record),
            Some(record) if record.runs(news.at) => others.push((record.heard, name)),
            Some(_) | None => changes.push((name.clone(), None)),
        }
    }
    others.sort_by_key(|(heard, _)| Reverse(*heard));
    changes.extend(others.into_iter().skip(MAX_SESSIONS - 1).map(|(_, name)| (name.clone(), None)));
    let begins = matches!(news.what, News::Started | News::Prompted(_) | News::Asked);
    match before {
        Some(_) if news.what == News::Ended => changes.push((own_name, None)),
        Some(before) => {
            let after = before.clone().after(news);
            // Hooks run concurrently, so an older one may arrive last.
            let behind = before.heard.duration_since(news.at);
            let late = behind.is_positive() && behind < MAX_LAG;
            if !late && !after.says_no_more_than(&before) {
                changes.extend(text(&after).map(|text| (own_name, Some(text))));
            }
        }
        None if begins => {
            changes.extend(text(&SessionRecord::new(news).after(news)).map(|text| (own_name, Some(text))))
        }
        None => {}
    }
    changes
}

fn text(record: &SessionRecord) -> Option<String> {
    serde_json::to_string(record).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(second: i64, what: News) -> SessionNews {
        SessionNews {
            agent: "claude-code",
            id: "s1".to_owned(),
            at: Timestamp::from_second(1_800_000_000 + second).unwrap(),
            what,
            folder: Some("/app".to_owned()),
            branch: Some("main".to_owned()),
            model: None,
            mode: None,
            process: Some(Process::current()),
            terminal: None,
            used: None,
        }
    }

    /// The records after all this news, and how many writes that took.
    fn records_after(all: &[SessionNews]) -> (Vec<(String, String)>, usize) {
        let (mut rows, mut written) = (Vec::<(String, String)>::new(), 0);
        for news in all {
            for (name, text) in changes(&rows, news) {
                written += 1;
                rows.retain(|(known, _)| *known != name);
                rows.extend(text.map(|text| (name, text)));
            }
        }
        (rows, written)
    }

    fn line(all: &[SessionNews]) -> Option<AgentSession> {
        line_at(all, all.last()?.at)
    }

    fn line_at(all: &[SessionNews], now: Timestamp) -> Option<AgentSession> {
        let record = records_after(all).0.first().and_then(|(_, text)| SessionRecord::read(text))?;
        Some(record.line(now))
    }

    #[test]
    fn a_turn_that_is_never_reported_as_over_does_not_look_like_work_forever() {
        let broken_off = [news(0, News::Prompted(None)), news(600, News::Working)];
        let state = |second: i64| {
            line_at(&broken_off, news(second, News::Working).at).map(|line| (line.state, line.since))
        };
        let (begun, heard) = (news(0, News::Working).at, news(600, News::Working).at);
        assert_eq!(state(600 + 19 * 60), Some((SessionState::Working, begun)));
        assert_eq!(state(600 + 20 * 60), Some((SessionState::Silent, heard)));
    }

    #[test]
    fn a_session_is_followed_through_its_turns() {
        let asks = News::AsksThere("Claude needs your permission".to_owned());
        let steps = [
            (news(0, News::Started), SessionState::Idle, 0),
            (news(5, News::Prompted(Some("Do it.".to_owned()))), SessionState::Working, 5),
            (news(6, News::Working), SessionState::Working, 5),
            (news(7, asks), SessionState::Waiting, 7),
            (news(8, News::Working), SessionState::Working, 8),
            (news(9, News::TurnEnded), SessionState::Idle, 9),
        ];
        for n in 1..=steps.len() {
            let all: Vec<SessionNews> = steps[..n].iter().map(|(news, ..)| news.clone()).collect();
            let (_, state, since) = &steps[n - 1];
            let line = line(&all).unwrap();
            assert_eq!((line.state, line.since.as_second() - 1_800_000_000), (*state, *since), "{n}");
        }
        let all: Vec<SessionNews> = steps.iter().map(|(news, ..)| news.clone()).collect();
        let shown = line(&all).unwrap();
        assert_eq!((shown.prompt.as_deref(), shown.about().as_str()), (Some("Do it."), "your turn"));
        assert_eq!(line(&[all, vec![news(10, News::Ended)]].concat()), None);
    }

    #[test]
    fn news_that_come_late_or_say_nothing_new_write_nothing() {
        let prompted = News::Prompted(None);
        let begun = [news(0, News::Started), news(5, prompted.clone())];
        assert_eq!(records_after(&begun).1, 2);
        let more = [&begun[..], &[news(6, News::Working), news(7, News::Working)]].concat();
        assert_eq!(records_after(&more).1, 2);
        // The turn had ended before this tool's hook arrived.
        let late = [&begun[..], &[news(9, News::TurnEnded), news(8, News::Working)]].concat();
        assert_eq!(line(&late).unwrap().state, SessionState::Idle);
        // A session that reports a start within a turn continues that turn.
        let anew = [&begun[..], &[news(6, News::Started)]].concat();
        assert_eq!(line(&anew).unwrap().state, SessionState::Working);
        // A clock that was set back does not keep news from being stored.
        let back = [&begun[..], &[news(-90, News::TurnEnded)]].concat();
        assert_eq!(line(&back).unwrap().state, SessionState::Idle);
        // News from the middle of a turn does not start a session that is over.
        assert_eq!(records_after(&[news(0, News::Working), news(1, News::TurnEnded)]).1, 0);
    }

    #[test]
    fn what_is_kept_has_an_end() {
        let other = |n: i64| SessionNews { id: format!("s{n}"), ..news(n, News::Started) };
        let many: Vec<SessionNews> = (0..MAX_SESSIONS as i64 + 20).map(other).collect();
        let (rows, _) = records_after(&many);
        assert_eq!(rows.len(), MAX_SESSIONS);
        assert!(
            rows.iter().any(|(name, _)| name == "claude-code:s119")
                && rows.iter().all(|(name, _)| name != "claude-code:s0")
        );
        let dead = Process { pid: Process::current().pid, born: 1 };
        let gone = SessionNews { id: "gone".to_owned(), process: Some(dead), ..news(0, News::Started) };
        let (rows, _) = records_after(&[gone.clone(), news(1, News::Started)]);
        assert_eq!(rows.len(), usize::from(cfg!(target_os = "linux")).max(1));
        let silent = SessionNews { id: "silent".to_owned(), process: None, ..news(0, News::Started) };
        let later = news(13 * 3600, News::Started);
        assert_eq!(records_after(&[silent, later]).0.len(), 1);
        let damaged = [("claude-code:x".to_owned(), "nonsense".to_owned())];
        assert_eq!(changes(&damaged, &news(0, News::Working)), [("claude-code:x".to_owned(), None)]);
    }
}
