#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# api/robots/builtin/embed.sh - print a C table of the robot files given as arguments: name, bytes, size, kind.
set -eu
echo '/* made by api/robots/builtin/embed.sh from the files of api/robots/builtin; do not edit */'
echo '#include "api/robots/builtin/builtin.h"'
i=0
for f in "$@"; do
    echo "static const char bytes_$i[] = {"
    od -An -v -td1 -w16 "$f" | sed 's/  *\(-*[0-9][0-9]*\)/\1,/g'
    echo "0};"
    i=$((i + 1))
done
echo 'const tqa_builtin tqa_builtin_table[] = {'
i=0
for f in "$@"; do
    file=${f##*/}
    media=TQA_MEDIA_JSON
    [ "${file##*.}" = urdf ] && media=TQA_MEDIA_XML
    echo "    {\"${file%.*}\", bytes_$i, sizeof bytes_$i - 1, $media},"
    i=$((i + 1))
done
echo '};'
echo "const size_t tqa_builtin_table_size = $i;"
