//! One driver at a time, ensured by an OS file lock that no crash can leave behind.

use crate::engine::store::StoreError;
use crate::text::io_error_text;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

const FILE: &str = "driver.lock";

/// Held by the process that drives threads; released when dropped.
#[derive(Debug)]
pub struct DriverLock(File);

/// The result of trying to take the lock.
#[derive(Debug)]
pub enum LockAttempt {
    Ours(DriverLock),
    /// Another process has it; its pid, if we could read it.
    Theirs(Option<u32>),
}

impl DriverLock {
    /// Tries to take the lock of a data folder.
    pub fn take(folder: &Path) -> Result<LockAttempt, StoreError> {
        let mut file = open(folder)
            .map_err(|e| StoreError::ViewOnly(format!("the driver's lock: {}", io_error_text(&e))))?;
        match file.try_lock() {
            Ok(()) => {
                // The pid is only for people. The lock is what counts, so a failed write does not matter.
                let _ = file.set_len(0);
                let _ = file.write_all(std::process::id().to_string().as_bytes());
                Ok(LockAttempt::Ours(Self(file)))
            }
            Err(TryLockError::WouldBlock) => Ok(LockAttempt::Theirs(pid(&mut file))),
            Err(TryLockError::Error(e)) => {
                Err(StoreError::ViewOnly(format!("the driver's lock: {}", io_error_text(&e))))
            }
        }
    }

    /// The process that is driving now, if any.
    pub fn holder(folder: &Path) -> Option<u32> {
        let mut file = File::open(folder.join(FILE)).ok()?;
        // If the file has no pid, nobody drives; trying the lock anyway could keep somebody from taking it.
        let number = pid(&mut file)?;
        match file.try_lock_shared() {
            Ok(()) => None,
            Err(TryLockError::WouldBlock) => Some(pid(&mut file).unwrap_or(number)),
            Err(TryLockError::Error(_)) => None,
        }
    }
}

impl Drop for DriverLock {
    fn drop(&mut self) {
        let _ = self.0.set_len(0);
        let _ = self.0.unlock();
    }
}

fn open(folder: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options.open(folder.join(FILE))
}

fn pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
