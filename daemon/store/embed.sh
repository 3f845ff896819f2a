#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# daemon/store/embed.sh - print the steps of a schema in C: embed.sh HEADER NAME STEP01.sql STEP02.sql ...
set -eu
header=$1
name=$2
shift 2
echo '/* made by daemon/store/embed.sh; do not edit */'
echo "#include \"$header\""
n=0
for step in "$@"; do
    n=$((n + 1))
    echo "static const char step$n[] = {"
    od -An -v -td1 -w16 "$step" | sed 's/  *\(-*[0-9][0-9]*\)/\1,/g'
    echo '0};'
done
echo 'static const char *const steps[] = {'
seq -f 'step%g,' "$n"
echo '};'
echo "const tqd_schema $name = {steps, $n};"
