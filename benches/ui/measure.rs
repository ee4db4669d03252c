//! What is measured: the time from a key, or from the start, to a drawn frame.

use crate::seed;
use jiff::Timestamp;
use ratatui::backend::TestBackend;
use ratatui::terminal::Terminal;
use sayso::inbox::door::Inbox;
use sayso::tui::{Job, Key, Model, Msg, Options, Press, begin, update, view};
use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

const SIZE: (u16, u16) = (160, 45);

struct Screen {
    inbox: Inbox,
    model: Model,
    terminal: Terminal<TestBackend>,
    runtime: Runtime,
}

impl Screen {
    fn open(folder: &Path) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let inbox = seed::open(folder);
        let model =
            Model::new(Options::default(), Vec::new(), SIZE, Instant::now(), Timestamp::now()).unwrap();
        let terminal = Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).unwrap();
        Self { inbox, model, terminal, runtime }
    }

    fn draw(&mut self) {
        let model = &self.model;
        self.terminal
            .draw(|frame| {
                view(model, frame);
            })
            .unwrap();
    }

    /// Does what is to be done until nothing is left.
    fn perform(&mut self, jobs: Vec<Job>) {
        let mut queue: VecDeque<Job> = jobs.into();
        while let Some(job) = queue.pop_front() {
            if let Job::Work(work) = job {
                let ended = self.runtime.block_on(work.run(self.inbox.clone()));
                queue.extend(update(&mut self.model, Msg::Ended(ended)));
            }
        }
    }

    /// Everything there is to read is read.
    fn loaded(folder: &Path) -> Self {
        let mut screen = Self::open(folder);
        let jobs = begin(&mut screen.model);
        screen.perform(jobs);
        screen.draw();
        screen
    }

    fn press(&mut self, key: Key) -> Vec<Job> {
        update(&mut self.model, Msg::Key(Press { key, at: Instant::now(), burst: false }))
    }
}

fn at_percent(mut times: Vec<Duration>, percent: usize) -> Duration {
    times.sort();
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

/// From nothing to the first frame with its lines, opening the store included: the median of many.
pub fn first_frame(folder: &Path) -> Duration {
    let times = (0..31).map(|_| {
        let began = Instant::now();
        let mut screen = Screen::open(folder);
        let first = begin(&mut screen.model).into_iter().next();
        if let Some(Job::Work(work)) = first {
            let ended = screen.runtime.block_on(work.run(screen.inbox.clone()));
            update(&mut screen.model, Msg::Ended(ended));
        }
        screen.draw();
        let taken = began.elapsed();
        drop(screen);
        taken
    });
    at_percent(times.collect(), 50)
}

pub struct Keys {
    /// To the frame that answers the key.
    pub frame: Duration,
    /// To the frame that has the card of what the key selected.
    pub card: Duration,
}

/// A person moving about: lines, pages, ends, marks, a search.
pub fn keys(folder: &Path) -> Keys {
    let mut screen = Screen::loaded(folder);
    let keys: Vec<Key> =
        ["j", "j", "k", "space", "ctrl-d", "J", "G", "ctrl-u", "k", "gg", "enter", "j", "h", "esc"]
            .iter()
            .flat_map(|keys| Key::parse_row(keys).unwrap())
            .collect();
    let (mut frames, mut cards) = (Vec::new(), Vec::new());
    for round in 0..3000 {
        let key = keys[round % keys.len()];
        let began = Instant::now();
        let jobs = screen.press(key);
        screen.draw();
        frames.push(began.elapsed());
        if !jobs.is_empty() {
            screen.perform(jobs);
            screen.draw();
            cards.push(began.elapsed());
        }
    }
    Keys { frame: at_percent(frames, 99), card: at_percent(cards, 99) }
}

/// Bytes resident in this process once everything is read and drawn.
pub fn resident(folder: &Path) -> u64 {
    let mut screen = Screen::loaded(folder);
    for key in ["G", "gg", "j", "ctrl-d"] {
        for key in Key::parse_row(key).unwrap() {
            let jobs = screen.press(key);
            screen.perform(jobs);
            screen.draw();
        }
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap_or(0) * 1024
}
