#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clients/examples/shell/payloads.sh - payloads.sh ROBOT LINK LOG.csv KG...: greatest torque of each joint along a log, for each payload.
# The log's first line names its columns: t, then q_JOINT, qd_JOINT, qdd_JOINT of each joint. curl and jq; $TORQUED_URL or the default.
set -eu
url=${TORQUED_URL:-http://127.0.0.1:8420}
robot=$1 link=$2 log=$3
shift 3
joints=$(curl -sS --fail-with-body "$url/v1/robots/$robot" | jq -c '[.joints[] | select((.v.count // 0) > 0) | .name]')

# CSV -> {q, qd, qdd}, in the robot's order of joints
samples() {
    jq -Rsc --argjson joints "$joints" '
        (split("\n") | map(select(length > 0) | split(","))) as $table
        | ($table[0] | to_entries | map({(.value): .key}) | add) as $at
        | reduce ("q", "qd", "qdd") as $kind ({};
            .[$kind] = [$table[1:][] as $row | [$joints[] | $row[$at["\($kind)_\(.)"]] | tonumber]])' "$log"
}

body=$(mktemp)
trap 'rm -f "$body"' EXIT
samples >"$body"
printf 'payload_kg'
echo "$joints" | jq -r '"\t" + join("\t")'
for kg in "$@"; do
    jq -c --arg link "$link" --argjson kg "$kg" '. + {payload: {link: $link, mass: $kg, com: [0, 0, 0]}}' "$body" |
        curl -sS --fail-with-body "$url/v1/robots/$robot/inverse-dynamics" -H 'Content-Type: application/json' --data-binary @- |
        jq -r --argjson kg "$kg" '[$kg, (.tau | transpose[] | map(fabs) | max)] | map(tostring) | join("\t")'
done
