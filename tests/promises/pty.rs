//! A pseudo-terminal with the inbox in it.

use crate::process::{FOLDER, HOLD};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Long enough for any machine; nothing waits this long unless it fails.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    pub child: Box<dyn Child + Send + Sync>,
    seen: Arc<Mutex<Seen>>,
}

fn size(number: u16) -> std::num::NonZero<u16> {
    std::num::NonZero::new(number).unwrap()
}

struct Seen {
    parser: vt100::Parser,
    raw: Vec<u8>,
}

impl Pty {
    /// Opens the inbox of a folder.
    pub fn open(folder: &Path, hold: Duration) -> Self {
        Self::with(folder, hold, &[])
    }

    pub fn with(folder: &Path, hold: Duration, env: &[(&str, &str)]) -> Self {
        let exe = std::env::current_exe().unwrap();
        let mut command = CommandBuilder::new(exe);
        command.args(["--ignored", "--exact", "process::screen", "--nocapture", "--test-threads=1"]);
        command.env(FOLDER, folder);
        command.env(HOLD, hold.as_millis().to_string());
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        env.iter().for_each(|(name, value)| command.env(name, value));
        Self::spawn(command)
    }

    pub fn spawn(command: CommandBuilder) -> Self {
        let pair = native_pty_system()
            .openpty(PtySize { rows: 30, cols: 110, pixel_width: 0, pixel_height: 0 })
            .unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let seen = Arc::new(Mutex::new(Seen {
            parser: vt100::Parser::new(size(30), size(110), 0),
            raw: Vec::new(),
        }));
        let shared = seen.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read) = reader.read(&mut bytes) {
                if read == 0 {
                    return;
                }
                let mut seen = shared.lock().unwrap();
                seen.raw.extend_from_slice(&bytes[..read]);
                seen.parser.process(&bytes[..read]);
            }
        });
        Self { master: pair.master, writer, child, seen }
    }

    pub fn text(&self) -> String {
        self.seen.lock().unwrap().parser.screen().contents()
    }

    pub fn raw(&self) -> Vec<u8> {
        self.seen.lock().unwrap().raw.clone()
    }

    /// Whether the other screen is up, and mouse and paste are reported.
    pub fn is_taken(&self) -> bool {
        let seen = self.seen.lock().unwrap();
        let screen = seen.parser.screen();
        screen.alternate_screen() || screen.bracketed_paste() || screen.hide_cursor()
    }

    /// Whether the other screen is up.
    pub fn is_over(&self) -> bool {
        self.seen.lock().unwrap().parser.screen().alternate_screen()
    }

    #[track_caller]
    pub fn until(&self, what: &str, fits: impl Fn(&Self) -> bool) {
        let began = Instant::now();
        while !fits(self) {
            assert!(began.elapsed() < PATIENCE, "never came: {what}\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[track_caller]
    pub fn wait(&self, text: &str) {
        self.until(text, |pty| pty.text().contains(text));
    }

    pub fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Presses a decision key until it is taken: what was shown for too short a time is not decided, and says so.
    #[track_caller]
    pub fn decide(&mut self, key: &str, then: &str) {
        let began = Instant::now();
        while !self.text().contains(then) {
            assert!(began.elapsed() < PATIENCE, "never came: {then}\n{}", self.text());
            self.send(key);
            std::thread::sleep(Duration::from_millis(400));
        }
    }

    pub fn resize(&mut self, cols: u16, rows: u16) {
        self.seen.lock().unwrap().parser.screen_mut().set_size(size(rows), size(cols));
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    pub fn signal(&self, name: &str) {
        let pid = self.child.process_id().unwrap();
        self.signal_to(name, pid);
    }

    pub fn signal_to(&self, name: &str, pid: u32) {
        let status = std::process::Command::new("kill").arg(format!("-{name}")).arg(pid.to_string()).status();
        assert!(status.unwrap().success());
    }

    #[track_caller]
    pub fn ended(&mut self) {
        let began = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < PATIENCE, "it never ended\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
        self.until("the terminal given back", |pty| !pty.is_taken());
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
