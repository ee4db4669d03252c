"""The road from a bare clone: seconds until the demo is on the screen, until the tests have passed, and until what people
install is built. Prints the rows of the table in docs/performance.md.

usage: benches/road.py [COMMIT]        (on a machine that does nothing else; takes about half an hour)

The crates are fetched beforehand; what is built begins with nothing. A crate that `cargo test` builds although `cargo run`
had is named.
"""

import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMIT = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
PATIENCE = 3600


def say(line):
    print(line, flush=True)


def compiled(text):
    return set(re.findall(r"Compiling (\S+ v\S+)", text))


def demo_on_screen(clone, env):
    """Runs the demo in a terminal until its first frame. Returns the seconds and what Cargo said."""
    begun, said = time.monotonic(), b""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(clone)
        os.execvpe("cargo", ["cargo", "run", "--locked", "--color", "never", "--", "demo"], env)
    # Lines, columns: a terminal without any shows nothing.
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    while time.monotonic() - begun < PATIENCE:
        if select.select([terminal], [], [], 1)[0]:
            try:
                said += os.read(terminal, 1 << 16)
            except OSError:
                break
        # The alternate screen, and words on it.
        if re.search(rb"\x1b\[\?1049h.*Inbox", said, re.DOTALL):
            seconds = time.monotonic() - begun
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)
            os.close(terminal)
            return seconds, said.decode(errors="replace")
    sys.exit(f"the demo did not come:\n{said.decode(errors='replace')[-2000:]}")


def timed(clone, env, *command):
    begun = time.monotonic()
    done = subprocess.run(["cargo", *command], cwd=clone, env=env, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"cargo {' '.join(command)} failed:\n{done.stdout[-4000:]}")
    return time.monotonic() - begun, done.stdout


def main():
    with tempfile.TemporaryDirectory() as folder:
        clone = pathlib.Path(folder) / "clone"
        subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
        subprocess.run(["git", "-C", clone, "checkout", "-q", COMMIT], check=True)
        home = {"CARGO_HOME": os.environ.get("CARGO_HOME", os.path.expanduser("~/.cargo")),
                "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", os.path.expanduser("~/.rustup")),
                "HOME": folder, "PATH": os.environ["PATH"], "TERM": "xterm-256color", "CARGO_TERM_COLOR": "never"}
        subprocess.run(["cargo", "fetch", "-q", "--locked"], cwd=clone, env=home, check=True)
        say(f"processors: {os.cpu_count()}, load {os.getloadavg()[0]:.1f}, {time.strftime('%Y-%m-%d')}")
        shown, first = demo_on_screen(clone, home)
        say(f"| B1 | clone until the demo is on the screen | {shown:.0f} s |")
        built, second = timed(clone, home, "test", "--locked", "--no-run")
        ran, _ = timed(clone, home, "test", "--locked")
        again = compiled(first) & compiled(second)
        say(f"| B2 | then `cargo test`, to the last line | {built + ran:.0f} s, of which building {built:.0f} |")
        release = {**home, "CARGO_TARGET_DIR": str(clone / "target/installed")}
        installed, _ = timed(clone, release, "build", "--release", "--locked")
        megabytes = (clone / "target/installed/release/sayso").stat().st_size / 1e6
        packages = (clone / "Cargo.lock").read_text().count("[[package]]")
        say(f"| B3 | `cargo build --release` | {installed:.0f} s |")
        say(f"| B4 | the binary; packages in `Cargo.lock` | {megabytes:.1f} MB; {packages} |")
        say("built by both commands: " + (", ".join(sorted(again)) or "nothing"))


main()
