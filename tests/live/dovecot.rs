//! A Dovecot of our own, with mail in a temporary folder.

use sayso::config::{AfterHandling, Mail, MailLogin, MailMode, MailServer, MailSource, MailTls, Secret};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub const PASSWORD: &str = "live-password";
/// Whom the mail belongs to: `nobody`.
const OWNER: u32 = 65534;

/// Whether these servers can be started here; if not, prints why.
pub fn available(programs: &[&str]) -> bool {
    let is_installed = |program: &&str| Path::new("/usr/sbin").join(program).is_file();
    if !programs.iter().all(is_installed) {
        eprintln!("skipped: {programs:?} are not installed");
        return false;
    }
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        eprintln!("skipped: starting {programs:?} takes root");
    }
    is_root
}

pub fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

pub fn wait_for(port: u16) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < deadline, "nobody listens at {port}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tls").join(name)
}

/// Copies the certificate and its key into a folder.
pub fn certificate(folder: &Path) {
    for name in ["localhost.pem", "localhost.key"] {
        fs::copy(fixture(name), folder.join(name)).unwrap();
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o600)).unwrap();
    }
}

pub fn server(port: u16, tls: MailTls) -> MailServer {
    MailServer {
        host: "localhost".to_owned(),
        port,
        tls,
        user: "ada".to_owned(),
        login: MailLogin::Password(Secret::Command(format!("echo {PASSWORD}"))),
        ca_file: Some(fixture("ca.pem")),
        tls_pin: None,
    }
}

pub struct Dovecot {
    folder: tempfile::TempDir,
    child: Child,
    pub imap: u16,
    pub imaps: u16,
}

impl Dovecot {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        certificate(folder.path());
        let maildir = folder.path().join("home/ada/Maildir");
        for name in ["cur", "new", "tmp"] {
            fs::create_dir_all(maildir.join(name)).unwrap();
        }
        own(&folder.path().join("home"));
        let (imap, imaps) = (free_port(), free_port());
        let config = include_str!("dovecot.conf")
            .replace("FOLDER", &folder.path().display().to_string())
            .replace("IMAPS_PORT", &imaps.to_string())
            .replace("IMAP_PORT", &imap.to_string())
            .replace("OWNER", &OWNER.to_string())
            .replace("PASSWORD", PASSWORD);
        let path = folder.path().join("dovecot.conf");
        fs::write(&path, config).unwrap();
        let child = Command::new("/usr/sbin/dovecot")
            .args(["-F", "-c"])
            .arg(&path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_for(imaps);
        Self { folder, child, imap, imaps }
    }

    pub fn maildir(&self) -> PathBuf {
        self.folder.path().join("home/ada/Maildir")
    }

    /// Delivers a mail that says nothing much.
    pub fn deliver(&self, n: u64) {
        self.put(n, "Hello", 1_700_000_000 + n);
    }

    /// Delivers a mail that wants an answer, just now.
    pub fn ask(&self, n: u64) {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        self.put(n, "Could you please tell me by Friday whether the offer still stands? Question", now);
    }

    /// Delivers as a mail server does: beside Dovecot, by renaming.
    fn put(&self, n: u64, text: &str, time: u64) {
        let raw = format!(
            "Message-ID: <{n}@example.com>\r\nFrom: Bob <bob@example.com>\r\nTo: ada@example.org\r\nSubject: {n}\r\n\r\n{text} {n}\r\n"
        );
        let name = format!("{time}.{n}.test");
        let (tmp, new) = (self.maildir().join("tmp").join(&name), self.maildir().join("new").join(&name));
        fs::write(&tmp, raw).unwrap();
        chown(&tmp, Some(OWNER), Some(OWNER)).unwrap();
        fs::rename(tmp, new).unwrap();
    }

    /// How many files a folder has; INBOX where it is empty.
    pub fn count(&self, folder: &str) -> usize {
        let root = if folder.is_empty() { self.maildir() } else { self.maildir().join(format!(".{folder}")) };
        ["cur", "new"].iter().filter_map(|name| fs::read_dir(root.join(name)).ok()).map(Iterator::count).sum()
    }

    /// What lies in a folder.
    pub fn letters(&self, folder: &str) -> Vec<String> {
        let root = self.maildir().join(format!(".{folder}"));
        let files = ["cur", "new"].iter().filter_map(|name| fs::read_dir(root.join(name)).ok()).flatten();
        files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect()
    }

    /// Renames a folder, as another program does.
    pub fn rename(&self, from: &str, to: &str) {
        let folder = |name: &str| self.maildir().join(format!(".{name}"));
        fs::rename(folder(from), folder(to)).unwrap();
    }

    /// Makes every number void, as a restored backup does.
    pub fn forget_numbers(&self) {
        for entry in fs::read_dir(self.maildir()).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap().to_string_lossy().starts_with("dovecot") {
                fs::remove_file(path).unwrap();
            }
        }
    }

    pub fn account(&self) -> Mail {
        Mail {
            name: "live".to_owned(),
            source: MailSource::Imap {
                server: server(self.imaps, MailTls::Tls),
                folders: vec!["INBOX".to_owned()],
                drafts: None,
                sent: None,
            },
            address: "ada@example.org".to_owned(),
            aliases: Vec::new(),
            mode: MailMode::Act,
            model: None,
            handled_done: AfterHandling::Seen,
            handled_ignored: AfterHandling::None,
            outgoing: None,
        }
    }
}

fn own(path: &Path) {
    chown(path, Some(OWNER), Some(OWNER)).unwrap();
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| own(&entry.unwrap().path()));
    }
}

/// Asks a server to stop, and waits until it has.
pub fn end(child: &mut Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
    let _ = child.wait();
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}
