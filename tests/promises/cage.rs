//! P01, P02, P03: code in the machine's own Python in its cage. What tries to escape or to use up everything leaves nothing behind.
//!
//! The attempts need Python's own library only. Where there is no Python 3, or no cage on this system, the tests say
//! so.

use crate::support::python::reader;
use crate::{report, skipped};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use sayso::tools::cage::{
    self, Cage, CageError, Cell, Ended, Folder, Limits, Needs, Observation, Python, PythonFinder,
};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Each prints ESCAPED, or the secret, or leaves a trace outside, if it got anywhere. SECRET is a file with a secret in
/// it, FOLDER its folder, CANARY a path beside it, PID a process of the same person, PORT and SOCKET somebody who
/// listens.
const ESCAPES: &[&str] = &[
    // Files.
    "print(open('SECRET').read())",
    "import os\nprint(os.read(os.open('SECRET', os.O_RDONLY), 99))",
    "import io\nprint(io.FileIO('SECRET').read())",
    "import io\nprint(io.open_code('SECRET').read())",
    "import pathlib\nprint(pathlib.Path('SECRET').read_text())",
    "import os\nf = os.open('/', os.O_PATH)\nprint(os.read(os.open('SECRET'[1:], os.O_RDONLY, dir_fd=f), 99))",
    "import os\nos.chdir('FOLDER')\nprint(open('secret.txt').read())",
    "import os\nprint(open('../' * 20 + 'SECRET'[1:]).read())",
    "print(open('/etc/passwd').read(), 'ESCAPED')",
    "print(open('/etc/shadow').read(), 'ESCAPED')",
    "print(open('/proc/self/environ').read(), 'ESCAPED')",
    "print(open('/proc/PID/environ').read(), 'ESCAPED')",
    "print(open('/proc/PID/cmdline').read(), 'ESCAPED')",
    "print(open('/proc/self/maps').read(), 'ESCAPED')",
    "open('/proc/self/mem', 'r+b')\nprint('ESCAPED')",
    "print(open('/proc/PID/fd/0').read(), 'ESCAPED')",
    "open('/proc/self/oom_score_adj', 'w').write('-1000')\nprint('ESCAPED')",
    "print(open('/sys/kernel/notes', 'rb').read(), 'ESCAPED')",
    "print(open('/dev/urandom', 'rb').read(4), 'ESCAPED')",
    "open('/dev/tty', 'w').write('x')\nprint('ESCAPED')",
    "open('/dev/shm/CANARY_NAME', 'w')\nprint('ESCAPED')",
    "import os\nprint(os.listdir('/'), 'ESCAPED')",
    "import os\nprint(os.listdir('/proc'), 'ESCAPED')",
    "import os\nprint(os.listdir(os.path.expanduser('~root')), 'ESCAPED')",
    "import os\nprint(os.listdir('FOLDER'), 'ESCAPED')",
    "import os\nfound = [x for x in os.walk('/home')] + [x for x in os.walk('/root')]\nprint('ESCAPED' if found else '')",
    "import glob\nprint('ESCAPED' if glob.glob('/etc/*') else '')",
    "open('CANARY', 'w').write('x')",
    "import os\nos.mkdir('CANARY')",
    "import os\nos.symlink('SECRET', 'link')\nprint(open('link').read())",
    "import os\nos.symlink('/', 'root')\nprint('ESCAPED')",
    "import os\nos.link('SECRET', 'hard')\nprint(open('hard').read())",
    "import os\nos.rename('SECRET', 'mine')\nprint(open('mine').read())",
    "import os\nos.rename('book.xlsx', 'CANARY')",
    "import os\nos.replace('book.xlsx', 'SECRET')",
    "import shutil\nshutil.copy('SECRET', 'mine')\nprint(open('mine').read())",
    "import shutil\nshutil.rmtree('FOLDER', ignore_errors=True)",
    "import os\nos.remove('SECRET')",
    "import os\nos.truncate('SECRET', 0)",
    "import os\nos.open('SECRET', os.O_RDONLY | os.O_TRUNC)\nprint('ESCAPED')",
    // These are answered as if they were done; what they were to change is looked at.
    "import os\nos.chmod('SECRET', 0o777)",
    "import os\nos.chmod('FOLDER', 0o777)",
    "import ctypes\nctypes.CDLL(None).syscall(452, -100, b'SECRET', 0o777, 0)",
    "import os\nos.chown('SECRET', 0, 0)\nprint('ESCAPED')",
    "import os\nos.utime('SECRET', (0, 0))",
    "import os\nos.setxattr('SECRET', 'user.x', b'x')",
    "import os, stat\nos.mknod('null', stat.S_IFCHR | 0o666, os.makedev(1, 3))\nprint('ESCAPED')",
    "import os\nos.mkfifo('pipe')\nprint('ESCAPED')",
    "import os\nos.chroot('.')\nprint('ESCAPED')",
    "import sqlite3\nsqlite3.connect('CANARY').execute('create table x (y)')",
    "import zipfile\nz = zipfile.ZipFile('z.zip', 'w')\nz.writestr('x', 'x')\nz.close()\nzipfile.ZipFile('z.zip').extractall('CANARY')",
    "import os\nf = open('own', 'w')\nos.sendfile(f.fileno(), os.open('SECRET', os.O_RDONLY), 0, 99)\nprint(open('own').read())",
    // Other programs.
    "import os\nos.fork()\nprint('ESCAPED')",
    "import os\nos.forkpty()\nprint('ESCAPED')",
    "import os\nos.posix_spawn('/bin/sh', ['sh', '-c', 'touch CANARY'], {})",
    "import subprocess\nsubprocess.run(['touch', 'CANARY'])",
    "import subprocess\nprint(subprocess.check_output(['cat', 'SECRET']))",
    "import os\nos.system('touch CANARY') and None",
    "import os\nprint(os.popen('cat SECRET').read())",
    "import os\nos.execv('/bin/sh', ['sh', '-c', 'touch CANARY'])",
    "import os\nos.execv('/usr/bin/touch', ['touch', 'CANARY'])",
    "import os, glob\nfor loader in ['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1']:\n    try:\n        os.execv(loader, ['ld', '/bin/sh', '-c', 'touch CANARY'])\n    except OSError:\n        pass",
    "import os, shutil\nopen('sh', 'wb').write(b'#!/bin/sh\\ntouch CANARY\\n')\nos.execv('./sh', ['sh'])",
    "import os, sys\nos.environ['LD_PRELOAD'] = '/lib/x86_64-linux-gnu/libc.so.6'\nos.execv(sys.executable, [sys.executable, '-c', \"open('CANARY', 'w')\"])",
    "import os, sys\nos.execve(sys.executable, [sys.executable, '-c', \"import os; os.system('touch CANARY')\"], {'PYTHONPATH': 'FOLDER'})",
    "import os, sys\nos.execv(sys.executable, [sys.executable, '-c', \"print(open('SECRET').read())\"])",
    "import multiprocessing\np = multiprocessing.get_context('fork').Process(target=print)\np.start()\nprint('ESCAPED')",
    "import multiprocessing\np = multiprocessing.get_context('spawn').Process(target=print)\np.start()\nprint('ESCAPED')",
    "import concurrent.futures as c\nprint(list(c.ProcessPoolExecutor(1).map(abs, [1])), 'ESCAPED')",
    "import pty\npty.spawn(['touch', 'CANARY'])",
    "import os\nos.openpty()\nprint('ESCAPED')",
    "import webbrowser\nprint('ESCAPED' if webbrowser.open('file://SECRET') else '')",
    "import pickle\nclass X:\n    def __reduce__(self):\n        import os\n        return (os.system, ('touch CANARY',))\npickle.loads(pickle.dumps(X()))",
    "import pickle\npickle.loads(b'cbuiltins\\neval\\n(S\"__import__(\\'os\\').execv(\\'/bin/touch\\', [\\'touch\\', \\'CANARY\\'])\"\\ntR.')",
    // Other processes.
    "import os\nos.kill(PID, 9)\nprint('ESCAPED')",
    "import os\nos.kill(PID, 0)\nprint('ESCAPED')",
    "import os\nos.kill(-1, 9)\nprint('ESCAPED')",
    "import os\nos.killpg(os.getpgid(PID), 9)\nprint('ESCAPED')",
    "import os\nos.kill(os.getppid(), 9)\nprint('ESCAPED')",
    "import os, signal\nsignal.pidfd_send_signal(os.pidfd_open(PID), 9)\nprint('ESCAPED')",
    "import os\nos.sched_setaffinity(PID, {0})\nprint('ESCAPED')",
    "import os\nos.setpriority(os.PRIO_PROCESS, PID, 19)\nprint('ESCAPED')",
    "import resource\nresource.prlimit(PID, resource.RLIMIT_CPU, (1, 1))\nprint('ESCAPED')",
    "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))\nprint('ESCAPED')",
    "import os\nos.setuid(0)\nprint('ESCAPED')",
    "import fcntl\nfcntl.fcntl(0, fcntl.F_SETOWN, PID)\nprint('ESCAPED')",
    "import fcntl, termios\nfcntl.ioctl(0, termios.TIOCSTI, b'x')\nprint('ESCAPED')",
    // The kernel, past Python.
    "import ctypes\nctypes.CDLL(None).system(b'touch CANARY')",
    "import ctypes\nc = ctypes.CDLL(None)\nprint('ESCAPED' if c.fork() >= 0 else '')",
    "import ctypes\nc = ctypes.CDLL(None)\nprint('ESCAPED' if c.vfork() >= 0 else '')",
    "import ctypes\nprint('ESCAPED' if ctypes.CDLL(None).ptrace(16, PID, 0, 0) == 0 else '')",
    "import ctypes\nprint('ESCAPED' if ctypes.CDLL(None).syscall(310, PID, 0, 0, 0, 0, 0) >= 0 else '')",
    "import ctypes\nb = ctypes.create_string_buffer(120)\nprint('ESCAPED' if ctypes.CDLL(None).syscall(425, 8, b) >= 0 else '')",
    "import ctypes\nprint('ESCAPED' if ctypes.CDLL(None).syscall(319, b'x', 0) >= 0 else '')",
    "import ctypes\nprint('ESCAPED' if ctypes.CDLL(None).unshare(0x10000000) == 0 else '')",
    "import ctypes\nprint('ESCAPED' if ctypes.CDLL(None).mount(b'none', b'.', b'tmpfs', 0, None) == 0 else '')",
    "import ctypes\nprint('ESCAPED' if ctypes.CDLL(None).syscall(321, 0, b'x' * 120, 120) >= 0 else '')",
    "import ctypes\nprint('ESCAPED' if ctypes.CDLL(None).syscall(298, b'x' * 120, 0, -1, -1, 0) >= 0 else '')",
    "import ctypes\nprint('ESCAPED' if ctypes.CDLL(None).syscall(250, 0, -3, 0, 0, 0) >= 0 else '')",
    "import ctypes\nprint('ESCAPED' if ctypes.CDLL(None).syscall(323, 0) >= 0 else '')",
    "import ctypes\nprint('ESCAPED' if ctypes.CDLL(None).syscall(304, -100, b'x' * 64, 0) >= 0 else '')",
    "import ctypes\nb = ctypes.create_string_buffer(88)\nprint('ESCAPED' if ctypes.CDLL(None).syscall(435, b, 88) >= 0 else '')",
    "import ctypes\nprint('ESCAPED' if ctypes.CDLL(None).prctl(22, 0, 0, 0, 0) == 0 else '')",
    "import ctypes\nprint('ESCAPED' if ctypes.CDLL(None).prctl(1, 0, 0, 0, 0) == 0 else '')",
    "import ctypes\nprint('ESCAPED' if ctypes.CDLL(None).syscall(41, 2, 1, 0) >= 0 else '')",
    "import os\nf = os.memfd_create('x')\nos.write(f, b'#!/bin/sh\\ntouch CANARY\\n')\nos.execv(f'/proc/self/fd/{f}', ['x'])",
    // The network, of every family.
    "import socket\nsocket.create_connection(('127.0.0.1', PORT))\nprint('ESCAPED')",
    "import socket\nsocket.socket(socket.AF_INET)\nprint('ESCAPED')",
    "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nprint('ESCAPED')",
    "import socket\nsocket.socket(socket.AF_INET6)\nprint('ESCAPED')",
    "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_RAW)\nprint('ESCAPED')",
    "import socket\nsocket.socket(socket.AF_UNIX).connect('SOCKET')\nprint('ESCAPED')",
    "import socket\nsocket.socket(socket.AF_UNIX).connect('\\0sayso')\nprint('ESCAPED')",
    "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW)\nprint('ESCAPED')",
    "import socket\nsocket.socket(socket.AF_PACKET, socket.SOCK_RAW)\nprint('ESCAPED')",
    "import socket\nsocket.socket(socket.AF_VSOCK)\nprint('ESCAPED')",
    "import socket\nsocket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)\nprint('ESCAPED')",
    "import socket\nsocket.socket(socket.AF_CAN, socket.SOCK_RAW)\nprint('ESCAPED')",
    "import socket\nsocket.socketpair()\nprint('ESCAPED')",
    "import socket\nsocket.create_server(('127.0.0.1', 0))\nprint('ESCAPED')",
    "import urllib.request\nprint(urllib.request.urlopen('http://127.0.0.1:PORT').read(), 'ESCAPED')",
    "import urllib.request\nprint(urllib.request.urlopen('file://SECRET').read())",
    "import socket\nprint(socket.getaddrinfo('example.org', 80), 'ESCAPED')",
    // What Python is made of.
    "import sys\nsys.path.insert(0, 'FOLDER')\nimport planted",
    "import sys\nclass Hook:\n    def find_spec(self, name, path, target=None):\n        print(open('SECRET').read())\nsys.meta_path.insert(0, Hook())\nimport wave",
    "import os\nopen(os.path.join(os.path.dirname(os.__file__), 'planted.py'), 'w')\nprint('ESCAPED')",
    "import sys\nopen(sys.executable, 'r+b')\nprint('ESCAPED')",
    "import runpy\nrunpy.run_path('FOLDER/planted.py')",
    "import os\nprint('ESCAPED' if 'SAYSO_CANARY' in os.environ or 'PATH' in os.environ else '')",
    "import importlib.util as u\ns = u.spec_from_file_location('p', 'FOLDER/planted.py')\ns.loader.exec_module(u.module_from_spec(s))",
];

/// The mode of a file, when it was changed, and when its mode, times or attributes were.
fn marks(path: &Path) -> (u32, i64, i64) {
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::metadata(path).unwrap();
    (meta.mode(), meta.mtime_nsec(), meta.ctime_nsec())
}

struct Outside {
    folder: tempfile::TempDir,
    /// The secret's, and the mode of its folder.
    marks: ((u32, i64, i64), u32),
    victim: Child,
    tcp: TcpListener,
    unix: UnixListener,
}

impl Outside {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secret.txt"), "TOPSECRET").unwrap();
        std::fs::write(folder.path().join("planted.py"), "print('ESCAPED')").unwrap();
        let victim = Command::new("sleep").arg("600").spawn().unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        tcp.set_nonblocking(true).unwrap();
        let unix = UnixListener::bind(folder.path().join("socket")).unwrap();
        unix.set_nonblocking(true).unwrap();
        let marks = (marks(&folder.path().join("secret.txt")), marks(folder.path()).0);
        Self { folder, marks, victim, tcp, unix }
    }

    fn canary(&self) -> PathBuf {
        self.folder.path().join("canary")
    }

    fn filled(&self, code: &str) -> String {
        let path = |name: &str| self.folder.path().join(name).to_str().unwrap().to_owned();
        code.replace("SECRET", &path("secret.txt"))
            .replace("SOCKET", &path("socket"))
            .replace("CANARY_NAME", "sayso-canary")
            .replace("CANARY", &path("canary"))
            .replace("FOLDER", self.folder.path().to_str().unwrap())
            .replace("PORT", &self.tcp.local_addr().unwrap().port().to_string())
            .replace("PID", &self.victim.id().to_string())
    }

    /// That nothing outside was changed, read or reached.
    fn is_whole(&mut self, attempt: &str, observation: &Observation) {
        let text = format!("{} {:?} {:?}", observation.stdout, observation.value, observation.error);
        assert!(!text.contains("TOPSECRET"), "{attempt}: {text}");
        assert!(!observation.stdout.contains("ESCAPED"), "{attempt}: {text}");
        assert!(!self.canary().exists(), "{attempt}");
        assert!(!Path::new("/dev/shm/sayso-canary").exists(), "{attempt}");
        let secret = self.folder.path().join("secret.txt");
        assert_eq!(std::fs::read_to_string(&secret).unwrap(), "TOPSECRET", "{attempt}");
        assert_eq!(marks(&secret), self.marks.0, "{attempt}");
        assert_eq!(marks(self.folder.path()).0, self.marks.1, "{attempt}");
        assert!(self.victim.try_wait().unwrap().is_none(), "{attempt}");
        assert!(self.tcp.accept().is_err() && self.unix.accept().is_err(), "{attempt}");
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

/// A Python of this machine in its cage, or why there is none.
async fn caged() -> Result<Caged, String> {
    let finder = PythonFinder::new("auto", reader());
    finder.get(Needs::Nothing).await.map(Caged)
}

/// The same Python for every kind of workbook.
struct Caged(Cage);

impl Python for Caged {
    fn text(&self, _: Needs) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(async { Ok(self.0.interpreter().text()) })
    }

    fn run<'a>(
        &'a self,
        _: Needs,
        code: &'a str,
        folder: &'a Folder,
        limits: &'a Limits,
    ) -> BoxFuture<'a, Result<Ended, CageError>> {
        Box::pin(self.0.run(code, folder, limits))
    }
}

async fn run(cage: &Caged, code: &str, limits: Limits) -> Observation {
    let workbook = reader().convert("book.csv", &limits, b"a,b\n1,2\n").await.unwrap();
    let cell =
        Cell { code: code.to_owned(), name: "book.xlsx".to_owned(), workbook, limits, ..Cell::default() };
    cage::run(cage, &reader(), &cell).await.unwrap().observation
}

/// Descendants of this process that run code, or whose parent is gone.
fn left_over() -> Vec<String> {
    let read = |pid: u32, name: &str| std::fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
    let parent = |pid: u32| {
        let stat = String::from_utf8_lossy(&read(pid, "stat")).into_owned();
        stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse::<u32>().ok())
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let line = String::from_utf8_lossy(&read(pid, "cmdline")).into_owned();
        let mut above = std::iter::successors(parent(pid), |pid| parent(*pid)).take(5);
        if line.contains("def write_plain")
            && (parent(pid) == Some(1) || above.any(|pid| pid == std::process::id()))
        {
            found.push(line);
        }
    }
    found
}

/// One test, so that what is left over is known to be its own.
#[tokio::test]
async fn p01_p02_p03_nothing_escapes_from_the_cage_or_outlives_it() {
    let cage = match caged().await {
        Ok(cage) => cage,
        Err(why) => return ["P01", "P02", "P03"].map(|row| skipped(row, &why)).into_iter().collect(),
    };
    no_escape_succeeds(&cage).await;
    bombs_are_stopped(&cage).await;
    the_inbox_goes_on_and_a_stop_is_a_stop(&cage).await;
    report("P01", "escapes from the cage", ESCAPES.len());
    report("P02", "bombs in the cage", BOMBS.len());
    report("P03", "a stop from outside", 1);
}

/// Runs code with its limits, some at a time.
async fn run_all<'a>(cage: &Caged, codes: Vec<(&'a str, String, Limits)>) -> Vec<(&'a str, Observation)> {
    let runs = codes.into_iter().map(async |(name, code, limits)| (name, run(cage, &code, limits).await));
    futures_util::stream::iter(runs).buffered(4).collect().await
}

async fn no_escape_succeeds(cage: &Caged) {
    let mut outside = Outside::new();
    let limits = || Limits { seconds: 20, ..Limits::default() };
    let codes = ESCAPES.iter().map(|attempt| (*attempt, outside.filled(attempt), limits()));
    for (attempt, observation) in run_all(cage, codes.collect()).await {
        outside.is_whole(attempt, &observation);
    }
    assert_eq!(left_over(), Vec::<String>::new());
}

/// What would use up everything, and what the person is told.
const BOMBS: &[(&str, &str)] = &[
    ("while True: pass", "seconds"),
    ("import select\nselect.select([], [], [], 3600)", "seconds"),
    ("import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass", "seconds"),
    ("import re\nre.match('(a+)+$', 'a' * 60 + 'b')", "seconds"),
    ("x = 9 ** 9 ** 9", "seconds"),
    ("while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass", "seconds"),
    ("x = 'a' * 10 ** 12", "memory"),
    ("x = []\nwhile True: x.append('a' * 10 ** 6)", "memory"),
    ("x = list(range(10 ** 10))", "memory"),
    ("while True: print('x' * 1000)", "KB"),
    ("print('x' * 10 ** 7)", "KB"),
    ("def f(): return f()\nf()", "recursion"),
    ("import sys\nsys.setrecursionlimit(10 ** 9)\nf = lambda: f()\nf()", ""),
    ("import os\nos.kill(os.getpid(), 9)", ""),
    ("import signal\nsignal.raise_signal(9)", "ended Python"),
    ("import os\nos._exit(0)", "ended Python"),
    ("import ctypes\nctypes.string_at(0)", "ended Python"),
    ("f = open('big', 'wb')\nwhile True: f.write(b'x' * 10 ** 7)", ""),
    ("n = 0\nwhile True:\n    open(str(n), 'w').write('x')\n    n += 1", ""),
    ("import os\nwhile True:\n    os.mkdir('d')\n    os.chdir('d')", ""),
    ("import os\nn = 0\nwhile True:\n    os.makedirs(f'{n}/a/b')\n    n += 1", ""),
    ("import os\nos.mkdir('closed', 0)\nwhile True: pass", ""),
    (
        "import threading\nwhile True: threading.Thread(target=lambda: __import__('select').select([], [], [], 99)).start()",
        "",
    ),
    ("import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass", "seconds"),
    ("open('book.xlsx', 'wb').write(b'PK' + b'x' * 10 ** 6)", "cannot be read"),
    ("import os\nos.remove('book.xlsx')", "book.xlsx"),
    ("import os\nos.remove('book.xlsx')\nos.mkfifo('book.xlsx')", "book.xlsx"),
];

async fn bombs_are_stopped(cage: &Caged) {
    let codes = BOMBS.iter().map(|(code, expected)| {
        // Where another limit is to be met first, a slow machine has time for that.
        let seconds = if matches!(*expected, "seconds" | "") { 1 } else { 20 };
        (*code, (*code).to_owned(), Limits { memory: 300 << 20, seconds, ..Limits::default() })
    });
    let began = Instant::now();
    let done = run_all(cage, codes.collect()).await;
    assert!(began.elapsed() < Duration::from_secs(120), "{:?}", began.elapsed());
    for ((code, observation), (_, expected)) in done.into_iter().zip(BOMBS) {
        let error = observation.error.clone().unwrap_or_default();
        assert!(!error.is_empty() && error.contains(expected), "{code}: {observation:?}");
        assert!(observation.stdout.len() <= 70 << 10, "{code}");
    }
    assert_eq!(left_over(), Vec::<String>::new());
}

/// Whoever waits for code is not kept from anything else, and whoever stops waiting has stopped it.
async fn the_inbox_goes_on_and_a_stop_is_a_stop(cage: &Caged) {
    let mut bomb = Box::pin(run(cage, "while True: pass", Limits { seconds: 600, ..Limits::default() }));
    let mut ticks = 0;
    // Until it runs; nothing here waits for it.
    while left_over().is_empty() {
        tokio::select! {
            observation = &mut bomb => panic!("{observation:?}"),
            () = tokio::time::sleep(Duration::from_millis(20)) => ticks += 1,
        }
        assert!(ticks < 3_000, "it never started");
    }
    drop(bomb);
    for _ in 0..500 {
        if left_over().is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{:?}", left_over());
}
