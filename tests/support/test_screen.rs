//! A screen over a real store, with a clock of its own: every key is a second after the one before it.

use crate::support::fake_model::FakeModel;
use crate::support::samples;
use crate::support::test_inbox::{Folder, TestInbox, decide, eager};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::terminal::Terminal;
use sayso::app::{Driver, Scope, Until};
use sayso::engine::graph::{Decision, InterruptId, ThreadId};
use sayso::engine::store::MemoryCause;
use sayso::inbox::door::{Inbox, NewRequest};
use sayso::inbox::{DecisionView, GrantLine, MemoryView, Status, TraceView};
use sayso::tui::{
    Callback, Job, Key, Model, Msg, Options, Press, Seen, Startable, TakeText, begin, update, view,
};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// How long what was decided can be taken back.
const HOLD: Duration = Duration::from_secs(10);

pub struct TestScreen {
    pub inbox: TestInbox,
    pub model: Model,
    pub at: Instant,
    /// What only a terminal can do, in order.
    pub outside: Vec<Job>,
    terminal: Terminal<TestBackend>,
    runtime: Runtime,
    last: Seen,
}

pub fn wall() -> Timestamp {
    "2026-03-02T10:00:00Z".parse().unwrap()
}

fn inbox(folder: impl Into<Folder>) -> TestInbox {
    samples::inbox(folder, HOLD).clock(Arc::new(wall)).open()
}

/// Waits for work beside the screen.
pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    runtime().block_on(work)
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Files by their names, with what is in them.
type Files = Vec<(OsString, Vec<u8>)>;

/// Asks all of these in a folder, driven as far as they go; the same ones are driven once and copied from then on.
fn prepare(folder: &Path, samples: &[(&str, Value)]) {
    static PREPARED: Mutex<BTreeMap<String, Files>> = Mutex::new(BTreeMap::new());
    let data = folder.join("data");
    let mut prepared = PREPARED.lock().unwrap_or_else(PoisonError::into_inner);
    let name = serde_json::to_string(samples).unwrap();
    if let Some(files) = prepared.get(&name) {
        std::fs::create_dir(&data).unwrap();
        files.iter().for_each(|(name, bytes)| std::fs::write(data.join(name), bytes).unwrap());
        return;
    }
    // Closed at the end, so that the files are all there is.
    let (inbox, runtime) = (inbox(folder), runtime());
    runtime.block_on(async {
        for (workflow, input) in samples {
            inbox.start(workflow, input.clone()).await;
            drive(&inbox, Duration::from_secs(120)).await;
        }
    });
    drop((inbox, runtime));
    let files = std::fs::read_dir(&data).unwrap().map(|file| {
        let file = file.unwrap();
        (file.file_name(), std::fs::read(file.path()).unwrap())
    });
    prepared.insert(name, files.collect());
}

impl TestScreen {
    /// A screen with one of each.
    pub fn full(size: (u16, u16)) -> Self {
        Self::with(size, samples::samples())
    }

    pub fn with(size: (u16, u16), samples: Vec<(&str, Value)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path(), &samples);
        Self::over(inbox(folder), size)
    }

    pub fn over(inbox: TestInbox, size: (u16, u16)) -> Self {
        let options = Options { time_zone: TimeZone::UTC, ..Options::default() };
        let registry = inbox.engine().registry();
        let workflows = registry.iter().map(|spec| Startable {
            name: spec.workflow.name().to_owned(),
            about: spec.about.to_owned(),
            schema: spec.workflow.input_schema(),
        });
        let at = Instant::now();
        let model = Model::new(options, workflows.collect(), size, at, wall()).unwrap();
        let terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
        let (runtime, outside, last) = (runtime(), Vec::new(), Seen::default());
        let mut screen = Self { inbox, model, at, outside, terminal, runtime, last };
        let jobs = begin(&mut screen.model);
        screen.perform(jobs);
        screen.drawn();
        screen
    }

    /// The screen of another process that opens the same folder.
    pub fn reopen(self) -> Self {
        let size = self.model.size;
        Self::over(self.inbox.restart(samples::holding(HOLD)), size)
    }

    /// Does what is to be done, and what comes of that, until nothing is left.
    fn perform(&mut self, jobs: Vec<Job>) {
        let mut queue: VecDeque<Job> = jobs.into();
        while let Some(job) = queue.pop_front() {
            match job {
                Job::Work(work) => {
                    let ended = self.runtime.block_on(work.run((*self.inbox).clone()));
                    queue.extend(update(&mut self.model, Msg::Ended(ended)));
                    // What took how long differs from run to run.
                    if let Some(review) = &mut self.model.threads.review {
                        settled(&mut review.view.trace, &mut wall());
                        review.rebuild();
                    }
                }
                job => self.outside.push(job),
            }
        }
    }

    /// What happens when a job ends.
    pub fn call(&mut self, callback: impl FnOnce(&mut Model) + Send + 'static) -> &mut Self {
        let callback: Callback = Box::new(callback);
        self.tell(Msg::Ended(callback))
    }

    pub fn tell(&mut self, msg: Msg) -> &mut Self {
        let jobs = update(&mut self.model, msg);
        self.perform(jobs);
        self
    }

    pub fn draw(&mut self) {
        let model = &self.model;
        let mut seen = Seen::default();
        self.terminal.draw(|frame| seen = view(model, frame)).unwrap();
        self.last = seen;
    }

    /// A frame is on the screen, and nobody typed meanwhile.
    pub fn drawn(&mut self) -> &mut Self {
        self.draw();
        let seen = self.last.clone();
        self.tell(Msg::Drawn(seen, self.at))
    }

    pub fn key(&mut self, key: Key, after: Duration, burst: bool) {
        self.at += after;
        let press = Press { key, at: self.at, burst };
        self.tell(Msg::Key(press));
    }

    /// Time passes, as the loop tells it.
    pub fn pass(&mut self, time: Duration) -> &mut Self {
        let until = self.at + time;
        while self.at < until {
            self.at = (self.at + Duration::from_millis(50)).min(until);
            let (at, wall) = (self.at, self.model.wall);
            self.tell(Msg::Tick(at, wall));
        }
        self.drawn()
    }

    /// Keys as a person presses them, one a second, looking at the screen in between.
    pub fn press(&mut self, keys: &str) -> &mut Self {
        for key in row(keys) {
            self.key(key, Duration::from_secs(1), false);
            self.drawn();
        }
        self
    }

    /// Keys that were all waiting when they were read.
    pub fn burst(&mut self, keys: &str) -> &mut Self {
        for key in row(keys) {
            self.key(key, Duration::ZERO, true);
        }
        self.drawn();
        self
    }

    pub fn type_in(&mut self, text: &str) -> &mut Self {
        for letter in text.chars() {
            self.key(Key::plain(letter), Duration::from_millis(200), false);
        }
        self.drawn();
        self
    }

    /// Selects the sample of a mail; what is more urgent stands above it.
    pub fn on_the_mail(&mut self) -> &mut Self {
        self.press("ggjjjjjj").selects("Quarterly figures")
    }

    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        self.terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        self.tell(Msg::Resized(columns, rows)).drawn()
    }

    pub fn buffer(&mut self) -> Buffer {
        // From nothing: unlike a terminal, the test backend keeps what a wide character once covered.
        let (columns, rows) = self.model.size;
        self.terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        self.draw();
        self.terminal.backend().buffer().clone()
    }

    /// What is drawn, with every id the same in every run.
    pub fn dump(&mut self) -> String {
        let mut text = dump(&self.buffer());
        let model = &self.model;
        let listed = model.inbox.list.all().iter().flat_map(|row| [row.id.clone(), row.thread.to_string()]);
        let threads = model.threads.list.rows.iter().chain(&model.running).map(|line| line.id.to_string());
        let grants = model.grants.iter().filter(|grant| !grant.builtin).map(|grant| grant.id.clone());
        for id in listed.chain(threads).chain(grants) {
            // Cut where its row ends.
            for left in 3..5 {
                text = text.replace(&format!(" {}…", &id[..left]), &format!(" {}…", "#".repeat(left)));
            }
            // A box may lie over a part of it.
            for left in (5..=id.len()).rev() {
                text = text.replace(&id[..left], &"#".repeat(left));
                text = text.replace(&id[id.len() - left..], &"#".repeat(left));
            }
        }
        text
    }

    /// Everything that was ever decided.
    pub fn decisions(&self) -> Vec<DecisionView> {
        self.runtime.block_on(async {
            let mut all = Vec::new();
            for line in self.inbox.lines().await {
                all.extend(self.inbox.threads().answers(line.id).await.unwrap());
            }
            all
        })
    }

    pub fn titles(&self) -> Vec<String> {
        (0..self.model.inbox.list.len())
            .map(|n| self.model.inbox.list.row(n).unwrap().title.clone())
            .collect()
    }

    pub fn selected(&self) -> String {
        self.model.inbox.list.selected().map(|row| row.title.clone()).unwrap_or_default()
    }

    /// What the line above the footer says: the note, or else what was done or learned last.
    pub fn note(&self) -> String {
        let note = self.model.note.as_ref().map(|note| note.text.clone());
        note.or_else(|| Some(self.model.reports.last()?.text.clone())).unwrap_or_default()
    }

    /// Something happens behind the screen's back.
    pub fn behind(&mut self, work: impl AsyncFnOnce(&Inbox)) {
        let inbox = self.inbox.clone();
        self.runtime.block_on(work(&inbox));
        self.tell(Msg::Changed).drawn();
    }

    pub fn grants(&self) -> Vec<GrantLine> {
        let all = self.runtime.block_on(self.inbox.grants().list()).unwrap();
        all.into_iter().filter(|grant| grant.in_force && !grant.builtin).collect()
    }

    pub fn profile(&self) -> MemoryView {
        self.runtime.block_on(self.inbox.memory().show("response_preferences".to_owned())).unwrap()
    }

    pub fn remember(&mut self) -> &mut Self {
        self.learn("email/response_preferences", "Prefers short replies.\nSigns with “Ada”.")
    }

    pub fn learn(&mut self, namespace: &str, profile: &str) -> &mut Self {
        let store = self.inbox.store().clone();
        let cause = MemoryCause { kind: "answer".to_owned(), thread: None, interrupt: None };
        self.runtime
            .block_on(store.memory().remember(namespace.to_owned(), 0, profile.to_owned(), cause))
            .unwrap();
        self
    }

    pub fn start(&mut self, workflow: &str, input: Value) -> ThreadId {
        let inbox = self.inbox.clone();
        let thread = self.runtime.block_on(async {
            let thread = inbox.start(workflow, input).await;
            drive(&inbox, Duration::from_millis(400)).await;
            thread
        });
        self.tell(Msg::Changed).drawn();
        thread
    }
}

/// The same trace in every run: nodes of 40 ms, one after the other.
fn settled(span: &mut TraceView, at: &mut Timestamp) {
    span.at = *at;
    span.children.iter_mut().for_each(|child| settled(child, at));
    if span.children.is_empty() {
        span.ms = 40;
        *at += Duration::from_millis(40);
    } else {
        span.ms = u64::try_from(at.as_millisecond() - span.at.as_millisecond()).unwrap();
    }
}

/// Drives until nothing is left to do, though not longer than this: some work never ends.
pub async fn drive(inbox: &Inbox, longest: Duration) {
    let mut driver = Driver::take(inbox.engine().clone()).await.unwrap().unwrap();
    // By the machine's clock: the runtime's is put forward below.
    let begun = std::time::Instant::now();
    let stop = async {
        while begun.elapsed() < longest {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        ended = driver.run(&Scope::All, Until::Idle, stop) => drop(ended.unwrap()),
        () = past_holds(inbox) => {}
    }
}

/// Holds run on the runtime's clock: where nothing else is left to wait for, it is put forward.
async fn past_holds(inbox: &Inbox) {
    loop {
        tokio::time::sleep(Duration::from_millis(5)).await;
        let left = inbox.engine().store().threads().runnable().unwrap().threads;
        if !left.is_empty() && left.iter().all(|thread| thread.status == Status::Held) {
            tokio::time::pause();
            tokio::time::advance(HOLD).await;
            tokio::time::resume();
        }
    }
}

/// `jj<esc>a` as keys: letters by themselves, names in pointed brackets.
pub fn row(keys: &str) -> Vec<Key> {
    let mut found = Vec::new();
    let mut rest = keys;
    while let Some(letter) = rest.chars().next() {
        match rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
            Some((name, after)) => {
                found.extend(Key::parse_row(name).unwrap());
                rest = after;
            }
            None => {
                found.push(Key::plain(letter));
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    found
}

/// The letters of a buffer, a line a row; what a wide one covers is left out.
pub fn dump(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(sayso::text::width(symbol).max(1)).unwrap();
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// What is seen after a key.
impl TestScreen {
    /// Checks that all of these are drawn.
    #[track_caller]
    pub fn shows<const N: usize>(&mut self, parts: [&str; N]) -> &mut Self {
        let shown = self.dump();
        for part in parts {
            assert!(shown.contains(part), "{part:?} is not shown:\n{shown}");
        }
        self
    }

    /// Checks that none of these is drawn.
    #[track_caller]
    pub fn hides<const N: usize>(&mut self, parts: [&str; N]) -> &mut Self {
        let shown = self.dump();
        for part in parts {
            assert!(!shown.contains(part), "{part:?} is shown:\n{shown}");
        }
        self
    }

    /// Checks the line at the bottom; `…` at either end stands for any words.
    #[track_caller]
    pub fn says(&mut self, expected: &str) -> &mut Self {
        let note = self.note();
        let words = expected.trim_matches('…');
        let is = match (expected.starts_with('…'), expected.ends_with('…')) {
            (true, true) => note.contains(words),
            (true, false) => note.ends_with(words),
            (false, true) => note.starts_with(words),
            (false, false) => note == words,
        };
        assert!(is, "{note:?} is not {expected:?}:\n{}", self.dump());
        self
    }

    /// Checks which item is selected; none, by an empty title.
    #[track_caller]
    pub fn selects(&mut self, title: &str) -> &mut Self {
        assert_eq!(self.selected(), title, "{}\n{}", self.note(), self.dump());
        self
    }

    /// Checks how much was ever decided.
    #[track_caller]
    pub fn decided(&mut self, count: usize) -> &mut Self {
        assert_eq!(self.decisions().len(), count, "{}\n{}", self.note(), self.dump());
        self
    }

    /// Somebody drives until nothing is left to do.
    pub fn goes_on(&mut self) -> &mut Self {
        self.behind(async |inbox| drive(inbox, Duration::from_secs(60)).await);
        self
    }

    /// Some program asks a question.
    pub fn asked(&mut self, input: Value) {
        let request = NewRequest { input, key: None };
        self.behind(async |inbox| drop(inbox.requests().ask(request).await.unwrap()));
    }

    /// A screen to which coding agents bring these questions, with the first one selected.
    pub fn with_requests(questions: Vec<Value>) -> Self {
        let inbox =
            TestInbox::builder().with_model(FakeModel::default()).settings(eager()).clock(Arc::new(wall));
        let mut screen = Self::over(inbox.open(), (100, 30));
        questions.into_iter().for_each(|question| screen.asked(question));
        screen.press("gg");
        screen
    }

    /// The editor that was asked for last: the text it edits, and who takes what becomes of it.
    pub fn editor(&mut self) -> (String, TakeText) {
        match self.outside.pop() {
            Some(Job::Edit(text, _, take)) => (text, take),
            _ => panic!("no editor is asked for"),
        }
    }

    /// The editor is closed with this text.
    pub fn edited(&mut self, take: TakeText, text: impl Into<String>) -> &mut Self {
        let text = text.into();
        self.call(move |model| take(model, Ok(text)))
    }

    /// The selected item is ignored in another process.
    pub fn ignored_elsewhere(&mut self) {
        let id = InterruptId::parse(&self.model.inbox.list.selected().unwrap().id).unwrap();
        self.behind(async |inbox| drop(decide(inbox, &id, Decision::Ignore).await.unwrap()));
    }
}
