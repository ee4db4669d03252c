#!/usr/bin/env bash
# All benches and the programs they are compared with, in one run on one machine: LangGraph with its SQLite saver,
# notmuch, neomutt, and raw SQLite (which is part of the engine's bench). What is not installed is taken from PyPI and
# Debian; what cannot be had is named and left out.
# usage: benches/peers.sh [--quick]
set -uo pipefail
cd "$(dirname "$0")/.."
quick=${1:-}

say() { printf '\n== %s\n' "$1"; }
has() { command -v "$1" >/dev/null 2>&1; }

say 'what this needs'
for package in notmuch neomutt valgrind; do
    has "$package" || { [ "$(id -u)" = 0 ] && has apt-get &&
        { apt-get install -y -qq --no-install-recommends "$package" ||
            { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$package"; }; }; } >/dev/null 2>&1
    has "$package" && echo "$package: $("$package" --version 2>/dev/null | head -n 1)" || echo "$package: not to be had here, left out"
done
python=target/peers/bin/python
[ -x "$python" ] || { python3 -m venv target/peers &&
    "$python" -m pip install -q langgraph langgraph-checkpoint-sqlite aiosqlite; } >/dev/null 2>&1
if "$python" -c 'import langgraph.checkpoint.sqlite.aio' 2>/dev/null; then
    export LANGGRAPH_PYTHON=$PWD/$python
    echo "langgraph: $("$python" -m pip show langgraph | sed -n 's/^Version: //p')"
else
    echo 'langgraph: not to be had here, left out'
fi
cargo build --release || exit 1
cargo bench --no-run || exit 1
echo "processors: $(nproc), $(sed -n 's/^model name.*: //p' /proc/cpuinfo 2>/dev/null | head -n 1), load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null)"

for bench in engine mail ui year; do
    say "$bench"
    case "$bench $quick" in
        "ui --quick") cargo bench -q --bench ui -- --small ;;
        *) cargo bench -q --bench "$bench" -- $quick ;;
    esac
done

if has valgrind; then
    say 'instructions'
    benches/instructions.sh
fi

say 'what a person feels, on the program itself'
python3 benches/feel.py target/release/sayso $quick
