//! An Exim of our own, which relays everything to a sink that records it.

use super::dovecot::{PASSWORD, certificate, end, free_port, wait_for};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub struct Exim {
    _folder: tempfile::TempDir,
    child: Child,
    pub smtps: u16,
    pub submission: u16,
    received: Arc<Mutex<Vec<String>>>,
}

impl Exim {
    /// Starts it. It accepts mail for example.com only.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        certificate(folder.path());
        // It runs as the user that its package created.
        let own = fs::metadata("/var/spool/exim4").unwrap();
        for name in ["spool", "log", "localhost.pem", "localhost.key"] {
            let path = folder.path().join(name);
            if !path.exists() {
                fs::create_dir(&path).unwrap();
            }
            chown(&path, Some(own.uid()), Some(own.gid())).unwrap();
        }
        let received = Arc::<Mutex<Vec<String>>>::default();
        let (smtps, submission, sink) = (free_port(), free_port(), sink(received.clone()));
        let config = include_str!("exim.conf")
            .replace("FOLDER", &folder.path().display().to_string())
            .replace("SMTPS_PORT", &smtps.to_string())
            .replace("SUBMISSION_PORT", &submission.to_string())
            .replace("SINK_PORT", &sink.to_string())
            .replace("PASSWORD", PASSWORD);
        let file = folder.path().join("exim.conf");
        fs::write(&file, config).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let child = daemon(&file);
        wait_for(smtps);
        Self { _folder: folder, child, smtps, submission, received }
    }

    /// The mails that arrived, once there are `count` of them.
    pub fn wait_for(&self, count: usize) -> Vec<String> {
        let deadline = Instant::now() + Duration::from_secs(120);
        loop {
            let received = self.received.lock().unwrap().clone();
            if received.len() >= count {
                return received;
            }
            assert!(Instant::now() < deadline, "{} of {count} arrived", received.len());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Exim {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

fn daemon(config: &Path) -> Child {
    let mut command = Command::new("/usr/sbin/exim4");
    command.arg("-C").arg(config).arg("-bdf");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn sink(received: Arc<Mutex<Vec<String>>>) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let received = received.clone();
            std::thread::spawn(move || receive(stream, &received));
        }
    });
    port
}

/// Receives mails, each with its recipients before it, until the client disconnects.
fn receive(stream: TcpStream, received: &Mutex<Vec<String>>) -> Option<()> {
    let mut out = stream.try_clone().ok()?;
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let mut mail = String::new();
    out.write_all(b"220 sink\r\n").ok()?;
    while let Some(line) = lines.next() {
        match line.get(..4).unwrap_or_default().to_ascii_uppercase().as_str() {
            "RCPT" => mail += &format!("{line}\n"),
            "DATA" => {
                out.write_all(b"354 go on\r\n").ok()?;
                for line in lines.by_ref().take_while(|line| line != ".") {
                    mail += &format!("{line}\n");
                }
                received.lock().unwrap().push(std::mem::take(&mut mail));
            }
            "QUIT" => return out.write_all(b"221 bye\r\n").ok(),
            _ => {}
        }
        out.write_all(b"250 fine\r\n").ok()?;
    }
    Some(())
}
