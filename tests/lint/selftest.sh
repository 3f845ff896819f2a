#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/selftest.sh - plants one violation of each lint in a throw-away tree and expects it to be named.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"
git init -q .
mkdir -p core/base api daemon/store
failed=0
expect() { # LINT WORDS FILE: the content of FILE comes on stdin; exactly that fault must be reported
    mkdir -p "$(dirname "$3")"
    cat >"$3"
    out=$("$here/$1" 2>&1) && { echo "selftest: $1 accepted $3"; failed=1; }
    echo "$out" | grep -q -- "$2" || { echo "selftest: $1 did not say '$2': $out"; failed=1; }
    rm "$3"
}
accept() { # LINT FILE
    mkdir -p "$(dirname "$2")"
    cat >"$2"
    out=$("$here/$1" 2>&1) || { echo "selftest: $1 refused $2: $out"; failed=1; }
    rm "$2"
}
spdx='/* SPDX-License-Identifier: Apache-2.0 */'
# a machine of 32 bits is refused by one line
if refused=$(gcc -m32 -fsyntax-only "$here/../../core/base/machine.h" 2>&1); then echo "selftest: core/base/machine.h takes 32 bits"; failed=1; fi
case $(echo "$refused" | grep -c "error:") in
1) ;;
*) case $refused in *"unrecognized command-line option"*) ;; *) echo "selftest: core/base/machine.h with 32 bits: $refused"; failed=1 ;; esac ;;
esac
accept shape.sh core/base/fine.c <<EOF
$spdx
/* core/base/fine.c - a file with nothing wrong. */
EOF
expect arrows.sh 'core/ never -> <stdio.h>' core/base/a.c <<EOF
#include <stdio.h>
EOF
expect arrows.sh 'daemon/ never -> core/' daemon/store/a.h <<EOF
#  include "core/base/status.h"
EOF
expect arrows.sh 'not a path from the top' core/base/a.c <<EOF
#include "status.h"
EOF
printf '#include "core/base/b.h"\n' >core/base/a.h
printf '#include "core/base/b_private.h"\n' >core/base/b.c
expect circles.sh 'include circle: core/base/a core/base/b' core/base/b_private.h <<EOF
#include "core/base/a.h"
EOF
accept circles.sh core/base/b_private.h <<EOF
#include "core/base/b.h"
EOF
expect circles.sh 'core/base/b_private.h is private to core/base/' api/a.c <<EOF
#include "core/base/b_private.h"
EOF
rm core/base/a.h core/base/b.c
# the door of core, and that of api
printf '#include "core/base/a.h"\n' >core/torqued.h
printf '#include "core/base/a.h"\n' >api/a.h
printf 'int a;\n' >core/base/a.h
expect doors.sh 'api/b.c: core/base/b.h is not public' api/b.c <<EOF
#include "core/base/b.h"
EOF
accept doors.sh daemon/store/b.c <<EOF
#include "api/b.h"
EOF
expect doors.sh 'daemon/store/b.c -> api/a.h -> core/base/a.h: the daemon reaches core' daemon/store/b.c <<EOF
#include "api/a.h"
EOF
rm api/a.h
expect doors.sh 'core/torqued.h: no file of api includes core/base/a.h' api/b.c <<EOF
int b;
EOF
rm core/torqued.h core/base/a.h
expect banned.sh 'sprintf is banned' api/a.c <<EOF
int f(char *s) { return sprintf (s, "x"); }
EOF
expect banned.sh 'malloc is banned' core/base/a.c <<EOF
void *f(void) { /* why */ return malloc(3); }
EOF
expect banned.sh 'exit is banned' daemon/store/a.c <<EOF
void f(void) { if ("\"/*") { exit(1); } }
EOF
expect json.sh 'JSON by hand' daemon/store/a.c <<'EOF'
int f(char *s) { return print(s, "{\"files\":%zu}"); }
EOF
expect json.sh 'JSON by hand' api/a.c <<'EOF'
const char *f(void) { return "\",\"level\":\"%s"; }
EOF
accept json.sh api/a.c <<'EOF'
const char *hint = "add \"gravity\": [0, 0, -9.81], or {\"urdf\": ...}";
EOF
accept banned.sh core/base/a.c <<EOF
/* malloc(3) */
void f(box *b) { b->free(b); tq_free(b); text("malloc(1)"); } // free(b)
EOF
accept banned.sh api/codec/number/a.c <<EOF
double f(char *s) { return strtod(s, 0); }
EOF
expect shape.sh 'no SPDX' api/a.c <<EOF
/* api/a.c - a thing. */
EOF
expect shape.sh 'one sentence' api/a.c <<EOF
$spdx
/* api/b.c - copied from another file. */
EOF
expect shape.sh 'issue number' api/a.c <<EOF
$spdx
/* api/a.c - a thing. */
/* TODO later */
EOF
expect shape.sh 'absolute path' api/a.c <<EOF
$spdx
/* api/a.c - a thing. */
const char *f = "/home/me/robot.urdf";
EOF
{ echo "$spdx"; echo "/* api/a.c - a thing. */"; yes 'int x;' | head -600; } | expect shape.sh 'longer than 600' api/a.c
expect contracts.sh 'has no Return' core/base/a.h <<EOF
/** Does a thing. */
int tq_thing(int x);
EOF
# pages name what exists, and READMEs every file of their folder
echo 'int tq_thing(int x);' >core/base/a.h
for page in 'see `tq_nothing`|no tq_nothing' 'see `core/base/b.c`|no file core/base/b.c' 'see [b](b.md)|a link to b.md' 'nothing|does not name a.h' \
    'see `tests/a.py::test_none`|no test test_none'; do
    echo "${page%|*}" >core/base/README.md
    out=$("$here/pages.py" 2>&1) && { echo "selftest: pages.py accepted ${page%|*}"; failed=1; }
    echo "$out" | grep -qF "${page#*|}" || { echo "selftest: pages.py said: $out"; failed=1; }
done
echo 'its file: `a.h`, with `tq_thing`' >core/base/README.md
out=$("$here/pages.py" 2>&1) || { echo "selftest: pages.py refused what is there: $out"; failed=1; }
rm core/base/a.h core/base/README.md
echo page >core/base/README.md; mkdir -p tests; echo page >tests/README.md
for k in $(seq 40); do echo >"core/base/f$k.c"; done
echo | accept folders.sh core/base/f1.c
echo >core/base/f1.c
echo | expect folders.sh 'core/base: 41 files, 40 at most' core/base/g.c
rm core/base/f*.c
yes 'int x;' | head -8000 >core/base/a.h
echo | expect folders.sh 'core/base: 8001 lines, 8000 at most' core/base/g.c
rm core/base/a.h core/base/README.md tests/README.md
# functions without a caller
echo 'int tq_f(int x);' >core/base/a.h
expect unused.sh 'core/base/a.h: tq_f has no caller' core/base/a.c <<EOF
int tq_f(int x) { return x; } /* tq_f() */
EOF
printf 'int tq_f(int x) { return x; }\n' >core/base/a.c
out=$(echo 'int b(void) { return tq_f(1); }' >core/base/b.c; "$here/unused.sh" 2>&1) || true
! echo "$out" | grep -q 'tq_f has no caller' || { echo "selftest: unused.sh said: $out"; failed=1; }
rm core/base/b.c
# called in its own file alone; a comment's mark in a string hides no caller
printf 'int tq_f(int x) { return x; }\nint a(void) { return tq_f(1); }\n' >core/base/a.c
out=$("$here/unused.sh" 2>&1) && failed=1
echo "$out" | grep -q 'a.h: tq_f is called in its own file alone' || { echo "selftest: unused.sh said: $out"; failed=1; }
printf 'const char *any(void) { return "*/*"; }\nint b(void) { return tq_f(1); }\n' >core/base/b.c
out=$("$here/unused.sh" 2>&1) || true
! echo "$out" | grep -q tq_f || { echo "selftest: unused.sh said: $out"; failed=1; }
rm core/base/a.h core/base/a.c core/base/b.c
expect unused.sh 'core/base/a.h: TQ_A is used nowhere' core/base/a.h <<EOF
#define TQ_A 1
EOF
expect unused.sh 'core/base/a.h: tq_f is used nowhere' core/base/a.h <<EOF
static inline int tq_f(int x) { return x; }
EOF
# an unpacked tarball is no checkout, and a lint that finds no file has checked nothing
mv .git .hidden
expect arrows.sh 'core/ never -> <stdio.h>' core/base/a.c <<EOF
#include <stdio.h>
EOF
expect banned.sh 'malloc is banned' core/base/a.c <<EOF
void *f(void) { return malloc(3); }
EOF
expect shape.sh 'no SPDX' api/a.c <<EOF
/* api/a.c - a thing. */
EOF
expect contracts.sh 'has no Return' core/base/a.h <<EOF
/** Does a thing. */
int tq_thing(int x);
EOF
for lint in arrows circles doors banned json shape contracts folders; do
    out=$("$here/$lint.sh" 2>&1) && { echo "selftest: $lint.sh passed where there is no file"; failed=1; }
    echo "$out" | grep -q 'no file here' || { echo "selftest: $lint.sh said: $out"; failed=1; }
done
mv .hidden .git
# a library's header that includes more than its own: what it brings along today is no promise
mkdir -p library
printf '#include <stdint.h>\n#include <stddef.h>\nvoid *library_new(size_t n);\n' >library/stranger.h
export CPATH=$tree/library
for bad in 'return SIZE_MAX;' 'return (size_t)UINT8_C(1);'; do
    printf '#include <stranger.h>\n#include <stddef.h>\nsize_t f(void);\nsize_t f(void) { %s }\n' "$bad" >api/a.c
    out=$("$here/includes.sh" api/a.c 2>&1) && { echo "selftest: includes.sh accepted $bad"; failed=1; }
    echo "$out" | grep -q 'names of <stdint.h> come only' || { echo "selftest: includes.sh said: $out"; failed=1; }
done
printf '#include <stddef.h>\n#include <stdint.h>\n' >api/a.h
printf '#include <stranger.h>\n#include "api/a.h"\nsize_t f(void);\nsize_t f(void) { return SIZE_MAX; }\n' >api/a.c
out=$("$here/includes.sh" api/a.c 2>&1) || { echo "selftest: includes.sh refused what one of our headers includes: $out"; failed=1; }
printf '#include <stranger.h>\nint f(void) { return nothing; }\n' >api/a.c
! "$here/includes.sh" api/a.c >/dev/null 2>&1 || { echo "selftest: includes.sh accepted what does not compile"; failed=1; }
# what passed once is taken from the cache until the file or one of its headers changes; what failed never is
export XDG_CACHE_HOME=$tree/cache
printf '#define LEAST 1\n' >api/a.h
printf '#include "api/a.h"\nint f(void);\nint f(void) { return LEAST; }\n' >api/a.c
runs() { "$here/seen.sh" api/a.c -I. sh -c 'echo x >>runs; grep -q 1 api/a.h' || :; grep -c . runs; }
[ "$(runs) $(runs)" = '1 1' ] || { echo "selftest: seen.sh runs again on the same text"; failed=1; }
printf '#define LEAST 2\n' >api/a.h
[ "$(runs) $(runs)" = '2 3' ] || { echo "selftest: seen.sh keeps what did not pass, or does not notice a header"; failed=1; }
# many files at once: no process for those whose whole text has passed
printf '#include "api/b.h"\n#define LEAST 1\n' >api/a.h
printf '#define OTHER 1\n' >api/b.h
: >whole
all() { echo api/a.c | FLAGS=-I. "$here/seen_all.py" out sh -c 'echo x >>whole; grep -q 1 api/b.h' >/dev/null || :; grep -c . whole; }
[ ! -f /var/lib/dpkg/status ] || [ "$(all) $(all)" = '1 1' ] || { echo "selftest: seen_all.py runs again on the same text"; failed=1; }
printf '#define OTHER 2\n' >api/b.h
[ "$(all) $(all)" != '1 1' ] || { echo "selftest: seen_all.py keeps what did not pass, or does not notice a header of a header"; failed=1; }
# of a header counts what a linter reads for this file
again() { # WORDS SED: does it run again when the header changes so?
    runs >/dev/null
    before=$(grep -c . runs)
    sed -i "$2" api/a.h
    [ "$(runs)" = $((before + $3)) ] || { echo "selftest: seen.sh $([ "$3" = 1 ] && echo 'does not run again' || echo 'runs again') after $1"; failed=1; }
}
printf '/* 1 */\n#define LEAST 1\nint g(int x);\nstruct s {\n    int a; /* of s */\n};\nstatic inline int h(void)\n{\n    /* of h */\n    return LEAST;\n}\n' >api/a.h
printf '#include "api/a.h"\nint f(void);\nint f(void) { return LEAST + g(1); }\n' >api/a.c
again 'nothing' '' 0
again 'a comment' '1s/.*/\/* 1; int g(long); *\/\n\/\/ { "/' 0
again 'a comment of a field' 's/of s/of t/' 0
again 'a prototype that nothing names' 's/^int g/int not_g(int (*x)(void)) __attribute__((unused));\nint g/' 0
again 'a prototype of what is called' 's/int x)/long x)/' 1
again 'a field' 's/int a;/long a;/' 1
again 'a statement of a function' 's/return LEAST/return 1 + LEAST/' 1
again 'a comment in a function' 's/of h/of i/' 1
again 'a word to the linter' '1s/.*/\/* 1 NOLINT *\//' 1
again 'a variable' '$s/$/\nextern int v;/' 1
unset XDG_CACHE_HOME
# the contract: each line breaks it in one way, by a rule of sed and the words that must be said
cat >published.yaml <<'EOF'
x-fields-without-unit-suffix:
  - {why: a standard symbol, units: [rad], fields: [q]}
paths:
  /v1/a:
    post:
      parameters: [{name: form, in: query, schema: {enum: [x, y]}}]
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Request'}}}}
      responses: {'200': {content: {application/json: {schema: {type: object, required: [z], properties: {z: {type: number}}}}}}}
components:
  schemas:
    Request:
      type: object
      required: [q]
      properties:
        q: {type: array, items: {type: number}, description: rad}
        duration_s: {type: [number, string], minimum: 0, description: s}
EOF
python=$here/../../build/venv/bin/python
[ -x "$python" ] || python=python3
if "$python" -c 'import yaml' 2>/dev/null; then
    change() { # SED WORDS: "" as words accepts
        sed -E "$1" published.yaml >openapi.yaml
        if [ -z "$2" ]; then
            out=$("$python" "$here/contract.py" openapi.yaml published.yaml 2>&1) || { echo "selftest: contract.py refused $1: $out"; failed=1; }
        else
            out=$("$python" "$here/contract.py" openapi.yaml published.yaml 2>&1) && { echo "selftest: contract.py accepted $1"; failed=1; }
            echo "$out" | grep -qF -- "$2" || { echo "selftest: contract.py did not say '$2' of $1: $out"; failed=1; }
        fi
    }
    change '' ''
    change 's|(minimum: )0|\1-1|' ''
    change 's|(properties: [{]z)|\1z: {type: string}, z|' ''
    change 's|^( *)duration_s:.*|&\n\1gain_hz: {type: number, description: "Hz: more"}|' ''
    change 's|/v1/a:|/v1/b:|' '/v1/a: the path is removed'
    change 's|post:|put:|' 'post is removed'
    change 's|name: form|name: forms|' 'the query parameter form is removed'
    change 's|\[x, y\]|[x]|' "the value 'y' is removed"
    change 's|in: query,|in: query, required: true,|' 'the query parameter form is now required'
    change 's|required: \[q\]|required: [q, duration_s]|' 'duration_s is now required'
    change 's|required: \[z\], ||' 'z is now left out at times'
    change 's|duration_s:|length_s:|' 'duration_s: the property is removed'
    change 's|\[number, string\]|number|' 'type is changed'
    change 's|z: [{]type: number|z: {type: [number, "null"]|' 'type is changed'
    change 's|minimum: 0|minimum: 1|' 'minimum is narrowed from 0 to 1'
    change 's|minimum: 0|minimum: 0, maximum: 9|' 'maximum is narrowed from None to 9'
    change "s|'200'|'201'|" 'the answer 200 is removed'
    change 's|^( *)duration_s:.*|&\n\1delay: {type: number, description: "Of the input, s"}|' 'delay: in s'
    change 's|^( *)duration_s:.*|&\n\1delay: {type: number, x-unit: s}|' 'delay: in s'
    change 's|^( *)duration_s:.*|&\n\1delay_s: {type: number, description: "ms"}|' 'the suffix _s says s, the description ms'
    change 's|description: rad|description: m|' 'q goes without a suffix in rad, and is in m here'
    change 's|fields: \[q|&, nothing|' 'there is no field nothing'
else
    echo "selftest: contract.py SKIPPED, PyYAML is not installed"
fi
exit $failed
