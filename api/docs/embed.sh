#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# api/docs/embed.sh - print the texts of api/docs.h in C: embed.sh HTML JS.
set -eu
echo '/* made by api/docs/embed.sh; do not edit */'
echo '#include "api/docs.h"'
for name in html js; do
    echo "const char tqa_docs_$name[] = {"
    od -An -v -td1 -w16 "$1" | sed 's/  *\(-*[0-9][0-9]*\)/\1,/g'
    echo "0};"
    shift
done
