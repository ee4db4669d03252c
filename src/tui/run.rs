//! The loop: events in, messages to `update`, jobs out, one frame per burst.
//!
//! Promises: a decision key is told apart from a burst (everything waiting is read before any of it is handled);
//! `Drawn` is sent only if a frame was flushed while no key was waiting; the driver's lock is taken when it is free and
//! tried again while it is not.

use super::key::Key;
use super::model::{Driving, Failure, Job, Model, Mouse, Msg, Press, Seen};
use super::options::{Options, Startable};
use super::signs::Glyphs;
use super::terminal::{self, Screen, TerminalError};
use super::theme::Colours;
use super::{begin, update, view};
use crate::app::{App, Driver};
use crate::engine::graph::Progress;
use crossterm::event::{Event, EventStream, KeyEventKind, MouseButton, MouseEventKind};
use futures_util::{FutureExt, StreamExt};
use jiff::Timestamp;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::Poll;
use std::time::{Duration, Instant};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant as TokioInstant, sleep_until};

/// How often animations move.
const ANIMATION_INTERVAL: Duration = Duration::from_millis(100);

/// How often a clock with seconds is drawn.
const CLOCK_INTERVAL: Duration = Duration::from_secs(1);

/// How often we look at the time otherwise: what is shown then is told in minutes.
const IDLE_INTERVAL: Duration = Duration::from_secs(30);

/// Changes are read at most this often.
const CHANGE_INTERVAL: Duration = Duration::from_millis(100);

/// How often we try for the driver's lock while another process has it.
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(500);

/// Why the screen could not be run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The terminal is missing or not good enough.
    #[error(transparent)]
    Terminal(#[from] TerminalError),
    /// A key in the config is not possible.
    #[error("{0}")]
    Keys(String),
    /// The terminal failed while the screen was running.
    #[error("the terminal failed: {0}")]
    Io(#[from] std::io::Error),
}

/// Runs the inbox until the user quits. Drives all threads if no other process does; otherwise keeps trying to.
pub async fn run(app: App, mut options: Options) -> Result<(), RunError> {
    options.colours = Colours::of_terminal(|name| std::env::var_os(name));
    options.glyphs = Glyphs::of_terminal(|name| std::env::var_os(name));
    let specs = app.engine().registry().iter().filter(|spec| !spec.hidden && !spec.for_programs);
    let workflows = specs.map(|spec| Startable {
        name: spec.workflow.name().to_owned(),
        about: spec.about.to_owned(),
        schema: spec.workflow.input_schema(),
    });
    let workflows = workflows.collect();
    let size = crossterm::terminal::size().unwrap_or((80, 24));
    let model =
        Model::new(options, workflows, size, Instant::now(), Timestamp::now()).map_err(RunError::Keys)?;
    let screen = Screen::take()?;
    let (stop, stopped) = oneshot::channel();
    let (send, receive) = mpsc::unbounded_channel();
    let driver = tokio::spawn(drive(app.clone(), send.clone(), stopped));
    let mut session = Session {
        app,
        model,
        screen,
        send,
        receive,
        events: Some(EventStream::new()),
        waiting: VecDeque::new(),
        is_dirty: true,
        is_unseen: false,
        was_lent: false,
    };
    let ended = session.run().await;
    let Session { screen, app, .. } = session;
    drop(screen);
    let _ = stop.send(());
    // An effect in progress may record its outcome; that takes a moment at most.
    let _ = driver.await;
    drop(app);
    ended
}

struct Session {
    app: App,
    model: Model,
    screen: Screen,
    send: mpsc::UnboundedSender<Msg>,
    receive: mpsc::UnboundedReceiver<Msg>,
    /// `None` while another program has the terminal.
    events: Option<EventStream>,
    /// Events that were read but not handled yet.
    waiting: VecDeque<Event>,
    is_dirty: bool,
    /// Whether a key was waiting when the last frame was flushed.
    is_unseen: bool,
    /// Whether another program had the terminal and no key has come since.
    was_lent: bool,
}

/// Whether the loop continues.
enum Flow {
    Continue,
    End,
}

impl Session {
    async fn run(&mut self) -> Result<(), RunError> {
        let mut changes = self.app.inbox().changes();
        let _watcher = self.app.engine().store().watch_others();
        let mut progress = self.app.engine().progress();
        let mut signals = ExitSignals::new()?;
        let mut change_due: Option<TokioInstant> = None;
        let mut last_change = TokioInstant::now();
        let mut last_tick = last_change;
        if let Flow::End = self.begin().await? {
            return Ok(());
        }
        loop {
            if self.is_dirty {
                self.draw().await?;
            }
            // Counted from the last tick, so that other events do not delay it.
            let tick = last_tick + self.tick_interval();
            if let Some(event) = self.waiting.pop_front() {
                match self.input(event).await? {
                    Flow::Continue => continue,
                    Flow::End => return Ok(()),
                }
            }
            let flow = tokio::select! {
                biased;
                signal = signals.wait() => self.signalled(signal)?,
                event = next(&mut self.events) => match event {
                    Some(Ok(event)) => self.input(event).await?,
                    Some(Err(error)) => return Err(error.into()),
                    None => Flow::End,
                },
                msg = self.receive.recv() => match msg {
                    Some(msg) => self.tell(msg)?,
                    None => Flow::End,
                },
                () = sleep_until(tick) => {
                    last_tick = TokioInstant::now();
                    self.tell(Msg::Tick(Instant::now(), Timestamp::now()))?
                }
                changed = changes.changed(), if change_due.is_none() => {
                    if changed.is_err() {
                        return Ok(());
                    }
                    change_due = Some((last_change + CHANGE_INTERVAL).max(TokioInstant::now()));
                    Flow::Continue
                }
                () = sleep_until(change_due.unwrap_or(tick)), if change_due.is_some() => {
                    change_due = None;
                    last_change = TokioInstant::now();
                    changes.borrow_and_update();
                    self.tell(Msg::Changed)?
                }
                received = progress.recv() => self.progressed(received, &mut progress)?,
            };
            if let Flow::End = flow {
                return Ok(());
            }
        }
    }

    /// Waits for the first lines, though not for long, so that the first frame is not empty.
    async fn begin(&mut self) -> Result<Flow, RunError> {
        for job in begin(&mut self.model) {
            self.start(job)?;
        }
        let until = TokioInstant::now() + Duration::from_millis(150);
        while self.model.inbox.reading {
            let Ok(Some(msg)) = tokio::time::timeout_at(until, self.receive.recv()).await else { break };
            if let Flow::End = self.tell(msg)? {
                return Ok(Flow::End);
            }
        }
        Ok(Flow::Continue)
    }

    fn tick_interval(&self) -> Duration {
        match (self.model.needs_ticks(), self.model.shows_seconds()) {
            (true, _) => ANIMATION_INTERVAL,
            (false, true) => CLOCK_INTERVAL,
            (false, false) => IDLE_INTERVAL,
        }
    }

    fn signalled(&mut self, signal: SignalAction) -> Result<Flow, RunError> {
        Ok(match signal {
            // Ctrl-C while another program had the terminal was meant for that program.
            SignalAction::Interrupt if std::mem::take(&mut self.was_lent) => Flow::Continue,
            SignalAction::End | SignalAction::Interrupt => Flow::End,
            SignalAction::Resume => {
                self.screen.retake()?;
                self.is_dirty = true;
                Flow::Continue
            }
        })
    }

    /// Reads everything that is waiting before any of it is handled.
    async fn input(&mut self, first: Event) -> Result<Flow, RunError> {
        self.was_lent = false;
        let at = Instant::now();
        let mut events = vec![first];
        self.read_waiting().await;
        events.extend(self.waiting.drain(..));
        let is_press = |event: &Event| matches!(event, Event::Key(key) if key.kind != KeyEventKind::Release);
        let burst = events.iter().filter(|event| is_press(event)).count() > 1;
        for event in events {
            let msg = match event {
                Event::Key(key) if key.kind != KeyEventKind::Release => {
                    let burst = burst || key.kind == KeyEventKind::Repeat;
                    Msg::Key(Press { key: Key::from_event(&key), at, burst })
                }
                Event::Paste(text) => Msg::Paste(text),
                Event::Resize(columns, rows) => Msg::Resized(columns, rows),
                Event::Mouse(mouse) => {
                    let kind = match mouse.kind {
                        MouseEventKind::Down(MouseButton::Left) => Mouse::Click,
                        MouseEventKind::ScrollDown => Mouse::WheelDown,
                        MouseEventKind::ScrollUp => Mouse::WheelUp,
                        _ => continue,
                    };
                    Msg::Mouse(kind, mouse.column, mouse.row)
                }
                Event::Key(_) | Event::FocusGained | Event::FocusLost => continue,
            };
            if let Flow::End = self.tell(msg)? {
                return Ok(Flow::End);
            }
        }
        // Once no more keys come, the same frame is drawn again so that it counts as seen.
        self.is_dirty |= self.is_unseen;
        Ok(Flow::Continue)
    }

    /// Takes in the events that have arrived, without waiting for more.
    ///
    /// Polls with this task's own waker, because the stream keeps the last waker it was polled with.
    async fn read_waiting(&mut self) {
        let Some(events) = &mut self.events else { return };
        while let Poll::Ready(Some(Ok(event))) = poll_fn(|cx| Poll::Ready(events.poll_next_unpin(cx))).await {
            self.waiting.push_back(event);
        }
    }

    /// Streamed text arrives in many small pieces; the next tick draws all that came by then.
    fn progressed(
        &mut self,
        received: Result<Progress, RecvError>,
        more: &mut broadcast::Receiver<Progress>,
    ) -> Result<Flow, RunError> {
        let is_dirty = self.is_dirty;
        let mut next = match received {
            Ok(first) => Some(first),
            // Missed progress was only for display.
            Err(RecvError::Lagged(_)) => None,
            Err(RecvError::Closed) => return Ok(Flow::End),
        };
        while let Some(progress) = next {
            if let Flow::End = self.tell(Msg::Progress(progress))? {
                return Ok(Flow::End);
            }
            next = more.try_recv().ok();
        }
        self.is_dirty = is_dirty;
        Ok(Flow::Continue)
    }

    fn tell(&mut self, msg: Msg) -> Result<Flow, RunError> {
        self.is_dirty = true;
        for job in update(&mut self.model, msg) {
            if let Flow::End = self.start(job)? {
                return Ok(Flow::End);
            }
        }
        Ok(Flow::Continue)
    }

    fn start(&mut self, job: Job) -> Result<Flow, RunError> {
        match job {
            Job::Work(work) => {
                let (inbox, send) = (self.app.inbox().clone(), self.send.clone());
                tokio::spawn(async move {
                    let _ = send.send(Msg::Ended(work.run(inbox).await));
                });
            }
            Job::Quit => return Ok(Flow::End),
            Job::Redraw => self.screen.clear()?,
            Job::Copy(text) => {
                self.screen.copy(&text)?;
                self.model.say("Copied, if your terminal allows it (OSC 52)");
            }
            Job::Notice(text) => self.screen.notice(self.model.options.notices, &text)?,
            Job::Suspend => self.lend(terminal::stop)??,
            Job::Edit(text, ending, take) => {
                let edited = self.lend(move || terminal::edit(&text, ending))?.map_err(Failure::new);
                let _ = self.send.send(Msg::Ended(Box::new(|model| take(model, edited))));
            }
            Job::Pipe(command, text) => {
                if let Err(text) = self.lend(move || terminal::pipe(&command, &text))? {
                    self.model.fail(text);
                }
            }
        }
        Ok(Flow::Continue)
    }

    /// Lends the terminal: the borrower reads the keys, so we drop our own reader first.
    fn lend<T>(&mut self, work: impl FnOnce() -> T) -> Result<T, RunError> {
        self.events = None;
        self.was_lent = true;
        let result = self.screen.lend(work)?;
        self.events = Some(EventStream::new());
        if let Ok((columns, rows)) = crossterm::terminal::size() {
            let _ = self.send.send(Msg::Resized(columns, rows));
        }
        Ok(result)
    }

    async fn draw(&mut self) -> Result<(), RunError> {
        self.is_dirty = false;
        let model = &self.model;
        let mut seen = Seen::default();
        self.screen.draw(|frame| seen = view(model, frame))?;
        // Keys typed before this frame was visible are not about this frame.
        self.read_waiting().await;
        self.is_unseen = !self.waiting.is_empty() || terminal::keys_wait();
        if !self.is_unseen {
            update(&mut self.model, Msg::Drawn(seen, Instant::now()));
        }
        Ok(())
    }
}

async fn next(events: &mut Option<EventStream>) -> Option<std::io::Result<Event>> {
    match events {
        Some(events) => events.next().await,
        None => std::future::pending().await,
    }
}

enum SignalAction {
    End,
    /// Ends the program if it was meant for us.
    Interrupt,
    /// We were stopped and are now continued.
    Resume,
}

/// The signals that end the program, and the one that continues it.
struct ExitSignals {
    signals: [tokio::signal::unix::Signal; 3],
    resume: tokio::signal::unix::Signal,
}

impl ExitSignals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let resume = SignalKind::from_raw(rustix::process::Signal::CONT.as_raw());
        Ok(Self {
            signals: [
                signal(SignalKind::terminate())?,
                signal(SignalKind::hangup())?,
                signal(SignalKind::interrupt())?,
            ],
            resume: signal(resume)?,
        })
    }

    async fn wait(&mut self) -> SignalAction {
        let [terminate, hangup, interrupt] = &mut self.signals;
        tokio::select! {
            _ = terminate.recv() => SignalAction::End,
            _ = hangup.recv() => SignalAction::End,
            _ = interrupt.recv() => SignalAction::Interrupt,
            _ = self.resume.recv() => SignalAction::Resume,
        }
    }
}

/// Drives threads whenever no other process does, until told to stop.
async fn drive(app: App, send: mpsc::UnboundedSender<Msg>, stopped: oneshot::Receiver<()>) {
    let stopped = stopped.shared();
    let mut last_driving = Driving::Unknown;
    loop {
        let (driving, worker) = match Driver::take(app.engine().clone()).await {
            Ok(Ok(worker)) => (Driving::Ours, Some(worker)),
            Ok(Err(pid)) => (Driving::Theirs(pid), None),
            Err(error) => (Driving::Nobody(error.to_string()), None),
        };
        if driving != last_driving {
            let _ = send.send(Msg::Driving(driving.clone()));
            last_driving = driving;
        }
        if let Some(mut worker) = worker {
            let stop = stopped.clone().map(|_| ());
            match app.drive(&mut worker, stop).await {
                Ok(_) => {}
                Err(error) => {
                    let text = error.to_string();
                    let _ = send.send(Msg::Ended(Box::new(|model| model.fail(text))));
                }
            }
        }
        tokio::select! {
            _ = stopped.clone() => return,
            () = tokio::time::sleep(LOCK_RETRY_INTERVAL) => {}
        }
    }
}
