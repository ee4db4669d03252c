#!/usr/bin/env bash
# Counts the instructions of a durable turn with callgrind: what N more turns cost, so that starting costs nothing.
# usage: benches/instructions.sh        (needs valgrind)
set -euo pipefail
cd "$(dirname "$0")/.."
bench=$(cargo bench --bench engine --no-run --message-format=json 2>/dev/null |
    sed -n 's/.*"executable":"\([^"]*engine-[^"]*\)".*/\1/p' | tail -1)
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" --bench --count "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : //p'
}
for threads in 1 64; do
    few=$((threads == 1 ? 200 : 5)) many=$((threads == 1 ? 600 : 15))
    before=$(count "$threads" "$few") after=$(count "$threads" "$many")
    echo "E0 $threads threads: $(((after - before) / (threads * (many - few)))) instructions a turn"
done
