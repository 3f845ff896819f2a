#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# daemon/service/embed.sh - print files as a tqd_dashboard_file table in C, compressed: embed.sh HEADER TABLE FILE...
set -eu
echo '/* made by daemon/service/embed.sh; do not edit */'
echo "#include \"$1\""
table=$2
shift 2
rows=
k=0
for file in "$@"; do
    case $file in
    *.html) media='text/html; charset=utf-8' ;;
    *.js) media='text/javascript; charset=utf-8' ;;
    *.css) media='text/css; charset=utf-8' ;;
    *.json) media='application/json' ;;
    *) echo "embed.sh: what is $file?" >&2 && exit 1 ;;
    esac
    echo "static const unsigned char file_$k[] = {"
    gzip -9nc "$file" | od -An -v -tu1 -w16 | sed 's/  *\([0-9][0-9]*\)/\1,/g'
    echo "};"
    rows="$rows    {\"$(basename "$file")\", \"$media\", $(wc -c <"$file"), file_$k, sizeof file_$k},
"
    k=$((k + 1))
done
echo "const tqd_dashboard_file $table[] = {"
printf '%s' "$rows"
echo "    {0}};"
