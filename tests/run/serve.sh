#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/serve.sh - start the daemon in the foreground; once it is ready, print a request that works.
set -u
daemon=$1
url=http://127.0.0.1:8420
# Three samples of a quintic move of the panda from its ready pose: 0.3 rad in joints 1, 2 and 4 in one second.
body='{"q":[[0,-0.7854,0,-2.3562,0,1.5708,0.7854],[0.0311,-0.7543,0,-2.3251,0,1.5708,0.7854],[0.15,-0.6354,0,-2.2062,0,1.5708,0.7854]],'
body+='"qd":[[0,0,0,0,0,0,0],[0.3164,0.3164,0,0.3164,0,0,0],[0.5625,0.5625,0,0.5625,0,0,0]],'
body+='"qdd":[[0,0,0,0,0,0,0],[1.6875,1.6875,0,1.6875,0,0,0],[0,0,0,0,0,0,0]]}'

announce() { # PID: only for this very process; a port that is taken is the daemon's to report
    for _ in $(seq 300); do
        kill -0 "$1" 2>/dev/null || return
        if curl -fs -m 1 -o /dev/null "$url/readyz"; then
            sleep 0.2
            kill -0 "$1" 2>/dev/null || return
            printf '\n%s is ready. Torques of the panda along a short move:\n\n' "$url"
            printf "curl -s %s/v1/robots/panda/inverse-dynamics -H 'Content-Type: application/json' -d '%s'\n\n" "$url" "$body"
            return
        fi
        sleep 0.1
    done
}

announce $$ &
exec "$daemon" --listen 127.0.0.1:8420
