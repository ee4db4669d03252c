"""How long a person waits for the program itself, beside neomutt and notmuch over the same Maildir.

usage: benches/feel.py SAYSO [--quick]

Times are medians, in milliseconds. Whether there is a card is asked by running `sayso list`, so these times are exact to
one such call.
"""

import json
import os
import pathlib
import pty
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SAYSO = str(pathlib.Path(sys.argv[1]).resolve())
QUICK = "--quick" in sys.argv
MAILS, TIMES = (1_000, 5) if QUICK else (20_000, 15)
CONFIG = """[user]
address = "ada@example.org"
[approvals]
hold_seconds = 0
[intake]
unread_only = "off"
first_limit = 50
[[mail]]
name = "home"
path = "{home}/mail"
mode = "act"
outgoing = {{ kind = "maildir", path = "{home}/outbox" }}
"""
MAIL = """From: Bob {n} <bob{n}@b.example>\r
Message-ID: <{n}@post.example>\r
To: ada@example.org\r
Subject: Lunch {n}?\r
Date: {date}\r
\r
Shall we have lunch on Friday?\r
"""


def milliseconds(work, times=TIMES):
    """The median of what `work` takes; it may return the seconds itself."""
    def one():
        begun = time.perf_counter()
        told = work()
        return told if isinstance(told, float) else time.perf_counter() - begun

    return statistics.median(one() for _ in range(times)) * 1000


def wait_for(happened, patience=60):
    """The seconds until `happened` gives something, and that."""
    begun = time.perf_counter()
    while time.perf_counter() - begun < patience:
        told = happened()
        if told:
            return time.perf_counter() - begun, told
        time.sleep(0.001)
    sys.exit("nothing happened for a minute")


class World:
    def __init__(self, home):
        self.home = pathlib.Path(home)
        for box in ("mail", "outbox"):
            for folder in ("cur", "new", "tmp"):
                (self.home / box / folder).mkdir(parents=True)
        (self.home / "data").mkdir(mode=0o700)
        (self.home / "data/config.toml").write_text(CONFIG.format(home=home))
        self.env = {"HOME": home, "PATH": os.environ["PATH"], "SAYSO_DATA": f"{home}/data", "TERM": "xterm-256color"}
        self.next = MAILS

    def deliver(self, n, folder="new"):
        date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime())
        name = f"{n}.host" + (":2,S" if folder == "cur" else "")
        (self.home / "mail" / "tmp" / name).write_bytes(MAIL.format(n=n, date=date).encode())
        (self.home / "mail" / "tmp" / name).rename(self.home / "mail" / folder / name)

    def run(self, *args, given=None):
        return subprocess.run([SAYSO, *args], env=self.env, input=given, capture_output=True, text=True)

    def card(self, about):
        """The open question about this, if there is one."""
        for item in json.loads(self.run("list", "--json").stdout or "[]"):
            if about in item["title"]:
                return item
        return None

    def mail_to_card(self):
        self.next += 1
        about = f"Lunch {self.next}?"
        self.deliver(self.next)
        return wait_for(lambda: self.card(about))[0]

    def hook_to_card(self):
        self.next += 1
        about = f"make number{self.next}"
        event = {"hook_event_name": "PermissionRequest", "session_id": "s1", "cwd": str(self.home), "tool_name": "Bash",
                 "tool_input": {"command": about}}
        args = [SAYSO, "request", "--hook", "claude-code", "--timeout", "60"]
        hook = subprocess.Popen(args, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        hook.stdin.write(json.dumps(event))
        begun = time.perf_counter()
        hook.stdin.close()
        _, item = wait_for(lambda: self.card(about))
        took = time.perf_counter() - begun
        self.run("ignore", item["id"])
        hook.wait()
        return took

    def accept_to_sent(self):
        self.next += 1
        about = f"Lunch {self.next}?"
        self.deliver(self.next)
        self.run("respond", wait_for(lambda: self.card(about))[1]["id"], "Yes, at noon.")
        _, item = wait_for(lambda: self.card(f"Re: {about}"))
        sent = len(os.listdir(self.home / "outbox/new"))
        begun = time.perf_counter()
        accept = subprocess.Popen([SAYSO, "accept", item["id"]], env=self.env, stdout=subprocess.DEVNULL)
        wait_for(lambda: len(os.listdir(self.home / "outbox/new")) > sent)
        took = time.perf_counter() - begun
        accept.wait()
        return took


def on_a_terminal(args, env):
    """Runs a program on a terminal of its own until it ends by itself."""
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(args[0], args, env)
    while True:
        try:
            if not os.read(terminal, 65536):
                break
        except OSError:
            break
    os.close(terminal)
    os.waitpid(child, 0)


def main():
    def row(what, figure):
        print(f"{what:58} {figure:10.1f} ms", flush=True)

    with tempfile.TemporaryDirectory() as home:
        world = World(home)
        for n in range(MAILS):
            world.deliver(n, "cur")
        world.run("mail", "sync")
        row("start: sayso list", milliseconds(lambda: world.run("list")))
        watch = subprocess.Popen([SAYSO, "watch"], env=world.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            # What has waited for it is over once the first mail has its card.
            world.mail_to_card()
            row("mail in the Maildir to its card", milliseconds(world.mail_to_card))
            row("a coding agent's hook event to its card", milliseconds(world.hook_to_card))
            row("accept to sent: the mail lies in the outbox", milliseconds(world.accept_to_sent))
        finally:
            watch.terminate()
            watch.wait()
        maildir = f"{home}/mail"
        if shutil.which("neomutt"):
            opened = ["neomutt", "-n", "-F", "/dev/null", "-f", maildir, "-e", "set folder=" + maildir, "-e", "push <exit>"]
            row(f"neomutt opens {MAILS:,} mails and ends", milliseconds(lambda: on_a_terminal(opened, world.env), 5))
            cached = opened[:-2] + ["-e", f"set header_cache={home}/headers"] + opened[-2:]
            on_a_terminal(cached, world.env)
            row("the same with its header cache", milliseconds(lambda: on_a_terminal(cached, world.env), 5))
        else:
            print("neomutt is not installed, left out")
        if shutil.which("notmuch"):
            (world.home / ".notmuch-config").write_text(f"[database]\npath={maildir}\n[user]\nprimary_email=ada@example.org\n")
            notmuch = lambda *args: subprocess.run(["notmuch", *args], env=world.env, capture_output=True)
            begun = time.perf_counter()
            notmuch("new")
            print(f"notmuch new, everything for the first time: {MAILS / (time.perf_counter() - begun):,.0f} mails a second")
            row("notmuch search, the newest fifty", milliseconds(lambda: notmuch("search", "--limit=50", "*")))
        else:
            print("notmuch is not installed, left out")


main()
