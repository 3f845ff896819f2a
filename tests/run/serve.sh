#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/serve.sh - start the daemon in the foreground; once it is ready, print where it is, how to stop it, and a request with its answer.
# usage: serve.sh DAEMON [PORT]
set -u
daemon=$1
port=${2:-8420}
url=http://127.0.0.1:$port
# A panda at its ready pose: joint 1 turns, joint 2 speeds up. The first request of README.
body='{"q": [0, -0.7854, 0, -2.3562, 0, 1.5708, 0.7854], "qd": [0.1, 0, 0, 0.1, 0, 0, 0], "qdd": [0, 0.5, 0, 0, 0, 0, 0]}'

is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

if ! [[ $port =~ ^[0-9]{1,5}$ ]] || [ "$port" -gt 65535 ]; then
    echo "PORT=$port is no port: a number up to 65535" >&2
    exit 2
fi
if ! is_free "$port"; then
    next=$((port + 1))
    while [ $next -lt 65536 ] && ! is_free $next; do next=$((next + 1)); done
    holder="another program"
    curl -fs -m 2 --noproxy '*' -H 'Accept: application/json' "$url/" 2>/dev/null | grep -q '"name":"torqued"' && holder="a torqued"
    echo "port $port is taken: $holder listens there. Take another one:  make run PORT=$next" >&2
    exit 1
fi
state=$("$daemon" --check-config | sed -n 's/^state_dir = //p')

announce() { # PID: for this very process only
    local started=$EPOCHREALTIME
    for _ in $(seq 300); do
        kill -0 "$1" 2>/dev/null || return
        if curl -fs -m 1 --noproxy '*' -o /dev/null "$url/readyz"; then
            kill -0 "$1" 2>/dev/null || return
            local ms=$(((${EPOCHREALTIME/[.,]/} - ${started/[.,]/}) / 1000))
            cat <<TEXT

  torqued is ready after $ms ms:  $url/

    documentation   $url/docs
    state           $state  (robots, datasets, jobs: kept when it stops)
    stop            Ctrl-C
    another port    make run PORT=$((port + 1))

  Torques of a panda, N m, one number a joint:

curl -s $url/v1/robots/panda/inverse-dynamics -H 'Content-Type: application/json' -d '$body'

TEXT
            curl -s -m 5 --noproxy '*' "$url/v1/robots/panda/inverse-dynamics" -H 'Content-Type: application/json' -d "$body" |
                sed -n 's/^{"tau":\[\([^]]*\)\].*/\1/p' | tr ',' '\n' | awk '{ printf "    joint %d  %9.4f\n", NR, $1 } END { print "" }'
            return
        fi
        sleep 0.1
    done
}

announce $$ &
exec "$daemon" --listen "127.0.0.1:$port"
