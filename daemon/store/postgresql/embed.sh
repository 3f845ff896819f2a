#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# daemon/store/postgresql/embed.sh - print the steps of the schema in C: embed.sh STEP01.sql STEP02.sql ...
set -eu
echo '/* made by daemon/store/postgresql/embed.sh; do not edit */'
echo '#include "daemon/store/postgresql/postgresql.h"'
n=0
for step in "$@"; do
    n=$((n + 1))
    echo "static const char step$n[] = {"
    od -An -v -td1 -w16 "$step" | sed 's/  *\(-*[0-9][0-9]*\)/\1,/g'
    echo '0};'
done
echo 'const char *const tqd_postgresql_steps[] = {'
seq -f 'step%g,' "$n"
echo '};'
echo "const int tqd_postgresql_n_step = $n;"
