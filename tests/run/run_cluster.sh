#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/run_cluster.sh - run_cluster.sh DAEMON PORT: three daemons on a scratch PostgreSQL, a proxy on PORT; ends with Ctrl-C.
# Run by tests/run/postgres.sh, whose folder holds everything and goes with it. All of it listens on 127.0.0.1 only.
set -u
daemon=$1 port=$2 folder=$(mktemp -d "${TMPDIR:-/tmp}/torqued-cluster-XXXXXX")
processes=()
leave() {
    for process in "${processes[@]}"; do kill "$process" 2>/dev/null; done
    wait
    rm -rf "$folder"
}
trap leave EXIT
trap 'exit 0' INT TERM
nodes=()
for i in 1 2 3; do
    own=$((port + i))
    "$daemon" --store "$TORQUED_POSTGRESQL" --node "node-$i" --listen "127.0.0.1:$own" --state-dir "$folder/node-$i" --workers 1 2>"$folder/node-$i.log" &
    processes+=($!)
    nodes+=("127.0.0.1:$own")
done
"$(dirname "$0")/haproxy_cluster.sh" "127.0.0.1:$port" "$folder/admin" "${nodes[@]}" >"$folder/haproxy.cfg"
if ! command -v haproxy >/dev/null; then
    echo "no haproxy (make deps-cluster): use 127.0.0.1:$((port + 1)), $((port + 2)) and $((port + 3))"
else
    haproxy -f "$folder/haproxy.cfg" -db 2>"$folder/haproxy.log" &
    processes+=($!)
fi
for _ in $(seq 100); do
    curl -fs "http://127.0.0.1:$((port + 3))/readyz" >/dev/null && break
    sleep 0.1
done
echo "http://127.0.0.1:$port is three daemons, ports $((port + 1)) to $((port + 3)), on one PostgreSQL; logs in $folder; Ctrl-C ends all"
wait -n
