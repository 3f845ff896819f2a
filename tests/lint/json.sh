#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/json.sh - JSON is written by api/codec/writer: no text of core, api or daemon holds a key with its colon and value.
# Exceptions hold constant documents, which need no memory; submission.c searches a stored one for two members.
set -eu
here=$(dirname "$0")
files=$("$here"/files.sh 'core/*.[ch]' 'api/*.[ch]' 'daemon/*.[ch]' |
    grep -vE '^api/(codec|openapi)/|^daemon/(http/answer|service/(service|index)|jobs/submission)[.]c$')
# a hint shows fields as people write them, with a space after the colon
found=$(echo "$files" | xargs grep -nE '\\":(\\"|"|[%{[0-9])' || true)
[ -z "$found" ] || { echo "$found" | sed 's/$/  <- JSON by hand: use api\/codec\/writer.h/'; exit 1; }
