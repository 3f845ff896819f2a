/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bits/answers.c - one hash of the answers of all operations, to compare machines by.
 *
 *   answers N               a line an operation: count, refused ones, hash; then that of all
 *   answers N each          a line an answer before them, to find the first that differs
 *   answers N i             question and answer i
 *   answers lanes=B N ...   by this build of the kernels: portable w1 w1v w2 w4 w8
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lanes/build.h"
#include "tests/bits/questions.h"
#include "tests/support/one_call.h"

enum { N_OPERATION_MAX = 32 };

typedef struct tally {
    const char *operation;
    unsigned long n, n_refused;
    uint64_t hash;
} tally;

static uint64_t fold(uint64_t hash, const char *bytes, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        hash = (hash ^ (unsigned char)bytes[k]) * UINT64_C(0x100000001b3); /* FNV-1a */
    }
    return hash;
}

static const uint64_t start_of_hash = UINT64_C(0xcbf29ce484222325);

/* Without its warnings, which are words, and its provenance, which names what is compared here. */
static size_t without_provenance(char *text, size_t n)
{
    char *warnings = strstr(text, ",\"warnings\":[");
    char *after = warnings != NULL ? strstr(warnings, "],\"provenance\":{") : NULL;
    if (after != NULL) {
        memmove(warnings, after + 1, n - (size_t)(after + 1 - text) + 1);
        n -= (size_t)(after + 1 - warnings);
    }
    char *at = strstr(text, "\"provenance\":{");
    if (at == NULL) {
        return n;
    }
    const char *end = strchr(at, '}');
    const size_t rest = n - (size_t)(end - text);
    memmove(at, end, rest + 1);
    return (size_t)(at - text) + rest;
}

static tqt_answer answer_of(const question *q)
{
    tqt_host host = {0};
    tqt_host_open(&host);
    add_recordings(&host);
    tqt_answer answer = tqt_call(q->robot, q->body, q->n,
                                 (tqt_call_options){.operation = q->operation, .host = &host.host});
    tqt_host_close(&host);
    if (answer.text != NULL) {
        answer.n = without_provenance(answer.text, answer.n);
    }
    return answer;
}

static tally *tally_of(tally *tallies, const char *operation)
{
    while (tallies->operation != NULL && strcmp(tallies->operation, operation) != 0) {
        tallies++;
    }
    if (tallies->operation == NULL) {
        *tallies = (tally){.operation = operation, .hash = start_of_hash};
    }
    return tallies;
}

/* the method is part of the name: some stand on a library */
static const char *label_of(const question *q)
{
    static const char *const methods[] = {
        "dopri45", "dopri87", "bdf", "sdirk", "rk4", "semi-implicit-euler", "implicit-midpoint"};
    static char label[64];
    (void)snprintf(label, sizeof label, "%s", q->operation);
    for (size_t k = 0;
         strcmp(q->operation, "simulate") == 0 && k < sizeof methods / sizeof methods[0]; k++) {
        if (strstr(q->body, methods[k]) != NULL) {
            (void)snprintf(label, sizeof label, "simulate %s", methods[k]);
        }
    }
    for (size_t k = 0; k < N_OPERATION_MAX; k++) {
        static char names[N_OPERATION_MAX][64];
        if (names[k][0] == '\0') {
            memcpy(names[k], label, sizeof label);
        }
        if (strcmp(names[k], label) == 0) {
            return names[k];
        }
    }
    return label;
}

static int run(size_t n, bool each)
{
    static tally tallies[N_OPERATION_MAX + 1];
    static question q;
    uint64_t all = start_of_hash;
    for (size_t i = 0; i < n; i++) {
        ask_question(i, &q);
        tqt_answer answer = answer_of(&q);
        const char *bytes = answer.text != NULL ? answer.text : answer.problem.detail;
        const uint64_t hash =
            fold(start_of_hash, bytes, answer.text != NULL ? answer.n : strlen(bytes));
        tally *t = tally_of(tallies, label_of(&q));
        t->n++;
        t->n_refused += answer.status != 200;
        t->hash = (t->hash ^ hash) * UINT64_C(0x100000001b3);
        all = (all ^ hash) * UINT64_C(0x100000001b3);
        if (each) {
            printf("%zu %s %d %016" PRIx64 "\n", i, t->operation, answer.status, hash);
        }
        tqt_answer_clear(&answer);
    }
    for (const tally *t = tallies; t->operation != NULL; t++) {
        printf("%-32s %7lu %6lu refused  %016" PRIx64 "\n", t->operation, t->n, t->n_refused,
               t->hash);
    }
    printf("%-32s %7zu                 %016" PRIx64 "\n", "all", n, all);
    return 0;
}

static int show(size_t i)
{
    static question q;
    ask_question(i, &q);
    tqt_answer answer = answer_of(&q);
    printf("%s %s %s\n%d %s\n", q.operation, q.robot != NULL ? q.robot->name : "-", q.body,
           answer.status, answer.text != NULL ? answer.text : answer.problem.detail);
    tqt_answer_clear(&answer);
    return 0;
}

static bool force(const char *name)
{
    static const char *const names[] = {[TQ_BUILD_PORTABLE] = "portable",
                                        [TQ_BUILD_W1] = "w1",
                                        [TQ_BUILD_W1V] = "w1v",
                                        [TQ_BUILD_W2] = "w2",
                                        [TQ_BUILD_W4] = "w4",
                                        [TQ_BUILD_W8] = "w8"};
    for (unsigned k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (strcmp(names[k], name) == 0) {
            return tq_lanes_force((tq_lanes_build)k) == TQ_OK;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    (void)robot_of(0);
    static question first;
    ask_question(0, &first);
    tqt_answer answer = answer_of(&first); /* starts api, with the widest lanes */
    tqt_answer_clear(&answer);
    if (argc > 1 && strncmp(argv[1], "lanes=", 6) == 0) {
        if (!force(argv[1] + 6)) {
            (void)fprintf(stderr, "answers: no kernels %s here\n", argv[1] + 6);
            return 77;
        }
        argc--;
        argv++;
    }
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    if (n == 0 || argc > 3) {
        (void)fprintf(stderr, "usage: answers [lanes=B] N [each | i]\n");
        return 2;
    }
    if (argc == 3 && strcmp(argv[2], "each") != 0) {
        return show(strtoul(argv[2], NULL, 10));
    }
    return run(n, argc == 3);
}
