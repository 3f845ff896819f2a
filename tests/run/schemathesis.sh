#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/schemathesis.sh - schemathesis over the contract of a daemon of its own: no answer is a fault, undocumented, or against its schema.
# usage: schemathesis.sh DAEMON; PHASES=examples,coverage,fuzzing,stateful SECONDS_MAX=0 (no bound) PART=regular expression of addresses SEED=1
set -u
daemon=$1
tool=$PWD/build/venv-schemathesis/bin/schemathesis
if [ ! -x "$tool" ]; then
    echo "SKIP schemathesis: it is not installed (make deps-schemathesis)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
work=$(mktemp -d)
pid=
finish() {
    [ -z "$pid" ] || { kill "$pid" && wait "$pid"; } 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT
"$(realpath "$daemon")" --listen 127.0.0.1:0 --state-dir "$work/state" 2>"$work/log" &
pid=$!
url=
for _ in $(seq 600); do
    url=$(sed -n 's/.*"event":"listening","url":"\([^"]*\)".*/\1/p' "$work/log")
    [ -z "$url" ] || break
    kill -0 $pid 2>/dev/null || break
    sleep 0.1
done
[ -n "$url" ] || { cat "$work/log"; exit 1; }
report=$PWD/build/schemathesis
config=$PWD/tests/run/schemathesis.toml
mkdir -p "$report"
cd "$work" || exit 1 # it keeps notes of its own there
NO_PROXY='*' no_proxy='*' "$tool" --config-file "$config" run "$url/openapi.json" --phases "${PHASES:-examples,coverage}" --seed "${SEED:-1}" \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance,unsupported_method \
    --exclude-path-regex 'events$' --continue-on-failure --generation-database none --request-timeout 120 --no-color \
    --report ndjson --report-dir "$report" ${PART:+--include-path-regex "$PART"} ${SECONDS_MAX:+--max-time "$SECONDS_MAX"}
status=$?
if ! kill -0 $pid 2>/dev/null; then
    echo "the daemon has ended:"
    tail -5 "$work/log"
    status=1
fi
grep '"level":"error"' "$work/log" | head -20
exit $status
