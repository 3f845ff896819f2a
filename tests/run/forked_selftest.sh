#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/run/forked_selftest.sh - tests that pass, fail, die, skip and run away: forked.c must count them as Criterion does.
# usage: tests/run/forked_selftest.sh [compiler]
set -eu
cc=${1:-gcc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/all.c" <<'C'
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static int ready, broken;
static void setup(void) { ready++; }
static void teardown(void) { cr_expect(not(broken)); }
TestSuite(with, .init = setup, .fini = teardown);
Test(with, passes) { cr_assert(eq(int, ready, 1)); }
Test(with, setup_is_of_each_test) { cr_assert(eq(int, ready, 1)); }
Test(with, setup_of_both, .init = setup) { cr_assert(eq(int, ready, 2)); }
Test(with, fails_in_teardown) { broken = 1; }
Test(with, fails_and_is_torn_down_all_the_same) { cr_assert(eq(int, 1, 2)); }
Test(no, fails_in_words) { cr_assert(0, "%d", 3); }
Test(no, fails_by_expect_and_goes_on) { cr_expect(eq(str, (char *)"a", (char *)"b")); cr_expect(lt(int, 2, 1)); }
Test(no, fails_unconditionally) { cr_fatal("no"); }
Test(no, dies) { raise(SIGSEGV); }
Test(no, does_not_die, .signal = SIGABRT) {}
Test(no, dies_of_another, .signal = SIGABRT) { raise(SIGTERM); }
Test(no, leaves_by_status) { _exit(3); }
Test(yes, dies_as_announced, .signal = SIGABRT) { abort(); }
Test(yes, leaves_as_announced, .exit_code = 3) { exit(3); }
Test(skip, skips) { cr_skip("no reason"); }
Test(yes, named) { cr_assert(getpid() == 0); }
ParameterizedTestParameters(each, one)
{
    static int n[] = {1, 2, 3, 4};
    return cr_make_param_array(int, n, 4);
}
ParameterizedTest(int *n, each, one) { cr_assert(ne(int, *n, 3)); }
C
echo "yes/named by its name" >"$work/skips"
"$cc" -std=c17 -D_GNU_SOURCE -I. -Itests/support/include -w -c "$work/all.c" -o "$work/all.o"
"$cc" -std=c17 -D_GNU_SOURCE -I. -Itests/support/include -Wall -Wextra -Werror -c tests/run/forked.c -o "$work/forked.o"
"$cc" "$work/all.o" "$work/forked.o" -lcriterion -o "$work/forked"
"$cc" "$work/all.o" -lcriterion -o "$work/all"
FORKED_SKIPS=$work/skips "$work/forked" >"$work/forked.log" 2>&1 && { echo "forked: status 0 in spite of failures"; exit 1; }
"$work/all" --filter '!(yes/named)' >"$work/all.log" 2>&1 || true
fails() { sed -n 's/^\[FAIL\] \([a-z]*\)[:/]*\([a-z_]*\):.*/\1 \2/p' "$1" | sort; }
# Criterion 2.4.1 has counted a test before its teardown
{ fails "$work/all.log"; echo "with fails_in_teardown"; } | sort >"$work/expected"
fails "$work/forked.log" | diff "$work/expected" - || { echo "forked: other failures than Criterion's"; exit 1; }
grep -q 'Tested: 18 | Passing: 8 | Failing: 10' "$work/forked.log" || { tail -1 "$work/forked.log"; exit 1; }
[ "$(grep -c '^\[SKIP\]' "$work/forked.log")" = 2 ] || { echo "forked: skips"; exit 1; }
echo "forked: as Criterion"
