//! The log: one file a day in the data folder, readable only by its owner; the last few are kept.
//!
//! Promises: it never writes to stdout, and to stderr only when asked. It contains no terminal escapes, and no secret
//! of eight characters or more, whether it came from a variable, a file or a command. Other crates log only warnings
//! and errors, because their traces may contain headers and bodies. If the folder does not exist or cannot be written
//! to, nothing is logged there.

use crate::config::{Config, Level, without_secrets};
use crate::text::Visible;
use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;

const DAYS_KEPT: usize = 7;

/// Starts logging. Works once per process; a second call changes nothing.
pub(super) fn start(config: &Config, verbose: u8) {
    let level = filter(config.log);
    let file = (level != LevelFilter::OFF).then(|| {
        let daily = Arc::new(Daily { folder: config.data.join("log"), open: Mutex::default() });
        layer(level, Lines(daily))
    });
    let stderr = (verbose > 0).then(|| {
        let minimum = if verbose > 1 { LevelFilter::DEBUG } else { LevelFilter::INFO };
        layer(level.max(minimum), Lines(Arc::new(Stderr)))
    });
    let subscriber = tracing_subscriber::registry().with(file).with(stderr);
    let _ = tracing::subscriber::set_global_default(subscriber);
}

fn layer<S, W>(level: LevelFilter, lines: Lines<W>) -> impl Layer<S>
where
    S: tracing::Subscriber + for<'s> tracing_subscriber::registry::LookupSpan<'s>,
    W: Sink + 'static,
{
    let targets = Targets::new().with_target("sayso", level).with_default(level.min(LevelFilter::WARN));
    let layer = tracing_subscriber::fmt::layer().with_ansi(false).log_internal_errors(false);
    layer.with_writer(lines).with_filter(targets)
}

fn filter(level: Level) -> LevelFilter {
    match level {
        Level::Off => LevelFilter::OFF,
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
        Level::Trace => LevelFilter::TRACE,
    }
}

/// Takes finished lines.
trait Sink: Send + Sync {
    fn put(&self, line: &[u8]) -> io::Result<()>;
}

struct Stderr;

impl Sink for Stderr {
    fn put(&self, line: &[u8]) -> io::Result<()> {
        io::stderr().write_all(line)
    }
}

/// Takes whole lines, removes secrets and escapes, and passes them on.
struct Lines<W>(Arc<W>);

impl<W> Clone for Lines<W> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<W: Sink> Write for Lines<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = Visible::line(String::from_utf8_lossy(line).trim_end()).into_string();
        self.0.put(format!("{}\n", without_secrets(text)).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W: Sink> MakeWriter<'_> for Lines<W> {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// One file a day. Several processes may append to it, because each line is one write.
struct Daily {
    folder: PathBuf,
    open: Mutex<Option<(Date, File)>>,
}

impl Sink for Daily {
    fn put(&self, line: &[u8]) -> io::Result<()> {
        let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.as_ref().is_none_or(|(day, _)| *day != today) {
            *open = Some((today, self.begin(today)?));
        }
        match open.as_mut() {
            Some((_, file)) => file.write_all(line),
            None => Ok(()),
        }
    }
}

impl Daily {
    fn begin(&self, today: Date) -> io::Result<File> {
        // The data folder itself is made by the store.
        match DirBuilder::new().mode(0o700).create(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let name = format!("sayso.{today}.log");
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(self.folder.join(name))?;
        self.prune()?;
        Ok(file)
    }

    /// Removes old files. Names sort by day, so the oldest come first.
    fn prune(&self) -> io::Result<()> {
        let ours = |name: &str| name.starts_with("sayso.") && name.ends_with(".log");
        let mut names: Vec<String> = fs::read_dir(&self.folder)?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| ours(name))
            .collect();
        names.sort();
        for old in names.iter().rev().skip(DAYS_KEPT) {
            fs::remove_file(self.folder.join(old))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Env, Secret};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_file_a_day_and_only_the_last_few() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        fs::create_dir(&log).unwrap();
        for day in 1..=9 {
            fs::write(log.join(format!("sayso.2020-01-0{day}.log")), "old\n").unwrap();
        }
        fs::write(log.join("mine.txt"), "kept").unwrap();
        let daily = Arc::new(Daily { folder: log.clone(), open: Mutex::default() });
        let env = Env::from_iter([("KEY", "canary-in-env")]);
        Secret::Command("echo canary-from-command".to_owned()).read(&env).unwrap();
        Secret::Env("KEY".to_owned()).read(&env).unwrap();
        let mut lines = Lines(daily);
        lines.write_all(b"key=canary-from-command \x1b[2J\nforged canary-in-env line\n").unwrap();
        let mut names: Vec<_> =
            fs::read_dir(&log).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names.len(), DAYS_KEPT + 1, "{names:?}");
        assert_eq!(names[1], "sayso.2020-01-04.log");
        let today = log.join(&names[DAYS_KEPT]);
        assert_eq!(fs::read_to_string(&today).unwrap(), "key=[secret] ⟨U+001B⟩[2J forged [secret] line\n");
        assert_eq!(fs::metadata(today).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
