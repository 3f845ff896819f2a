/* SPDX-License-Identifier: Apache-2.0 */
/* tests/contract/tqc_drive.c - libtqc as a program: numbers in on stdin, out on stdout. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/c/tqc.h"

/* Allocations of anybody in this process, while `is_counting`. */
static unsigned long n_allocation;
static bool is_counting;
#ifndef TQD_SANITIZED
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t n);
void *malloc(size_t n)
{
    n_allocation += is_counting;
    return __libc_malloc(n);
}
void *calloc(size_t n, size_t size)
{
    n_allocation += is_counting;
    return __libc_calloc(n, size);
}
void *realloc(void *old, size_t n)
{
    n_allocation += is_counting;
    return __libc_realloc(old, n);
}
#endif

static tqc_error error;

static int end(tqc_code code)
{
    if (code != TQC_OK) {
        fprintf(stderr, "%d\n%d\n%s\n%s\n%s\n%s\n%s\n%s\n", (int)error.code, error.status,
                error.type, error.title, error.detail, error.pointer, error.hint, error.request_id);
    }
    return (int)code;
}

static double *read_doubles(size_t n)
{
    double *values = malloc(n * sizeof *values);
    if (values == NULL || fread(values, sizeof *values, n, stdin) != n) {
        exit(99);
    }
    return values;
}

/* dynamics OPERATION ROBOT n nq nv */
static int dynamics(tqc_client *client, char **a)
{
    const size_t n = strtoul(a[2], NULL, 10), nq = strtoul(a[3], NULL, 10),
                 nv = strtoul(a[4], NULL, 10);
    double *q = read_doubles(n * nq), *qd = read_doubles(n * nv), *third = read_doubles(n * nv);
    double *ret = malloc(n * nv * sizeof *ret);
    const tqc_code code =
        strcmp(a[0], "inverse") == 0
            ? tqc_inverse_dynamics(client, a[1], n, nq, nv, q, qd, third, ret, &error)
            : tqc_forward_dynamics(client, a[1], n, nq, nv, q, qd, third, ret, &error);
    if (code == TQC_OK) {
        fwrite(ret, sizeof *ret, n * nv, stdout);
    }
    free(q);
    free(qd);
    free(third);
    free(ret);
    return end(code);
}

/* call OPERATION ROBOT n nq nv times timeout_us: prints allocations and reconnections to stderr */
static int call(const tqc_options *options, char **a)
{
    const size_t n = strtoul(a[2], NULL, 10), nq = strtoul(a[3], NULL, 10),
                 nv = strtoul(a[4], NULL, 10);
    const unsigned long times = strtoul(a[5], NULL, 10);
    double *q = read_doubles(n * nq), *qd = read_doubles(n * nv), *third = read_doubles(n * nv);
    double *ret = malloc(n * nv * sizeof *ret);
    tqc_call *c = tqc_call_open(
        options, a[1], strcmp(a[0], "inverse") == 0 ? TQC_INVERSE_DYNAMICS : TQC_FORWARD_DYNAMICS,
        nq, nv, n, &error);
    tqc_code code = c != NULL ? TQC_OK : error.code;
    is_counting = true;
    for (unsigned long k = 0; code == TQC_OK && k < times; k++) {
        code = tqc_call_run(c, n, q, qd, third, ret, strtol(a[6], NULL, 10), &error);
    }
    is_counting = false;
    if (code == TQC_OK) {
        fwrite(ret, sizeof *ret, n * nv, stdout);
        fprintf(stderr, "%lu %lu\n", n_allocation, tqc_call_reconnects(c));
    }
    tqc_call_close(c);
    free(q);
    free(qd);
    free(third);
    free(ret);
    return end(code);
}

/* compute ROBOT OPERATION FIELDS rows columns IN... -- room OUT...: arrays of one shape in */
static int compute(tqc_client *client, char **a)
{
    tqc_array in[8];
    tqc_result out[8];
    size_t n_in = 0, n_out = 0;
    const size_t rows = strtoul(a[3], NULL, 10), columns = strtoul(a[4], NULL, 10);
    char **at = a + 5;
    for (; strcmp(*at, "--") != 0; at++) {
        const tqc_array one = {*at, read_doubles((rows > 0 ? rows : 1) * columns), rows, columns};
        in[n_in++] = one;
    }
    const size_t room = strtoul(*++at, NULL, 10);
    while (*++at != NULL) {
        const tqc_result one = {*at, malloc(room * sizeof(double)), room, 0, 0, 0};
        out[n_out++] = one;
    }
    const tqc_code code = tqc_compute(client, strcmp(a[0], "-") != 0 ? a[0] : NULL, a[1],
                                      a[2][0] != '\0' ? a[2] : NULL, in, n_in, out, n_out, &error);
    for (size_t i = 0; i < n_out; i++) {
        if (code == TQC_OK) {
            fprintf(stderr, "%s %zu %zu %zu\n", out[i].name, out[i].n, out[i].rows, out[i].columns);
            fwrite(out[i].values, sizeof(double), out[i].n, stdout);
        }
        free(out[i].values);
    }
    for (size_t i = 0; i < n_in; i++) {
        free((void *)(uintptr_t)in[i].values);
    }
    return end(code);
}

/* send METHOD PATH BODY KEY room */
static int send_one(tqc_client *client, char **a)
{
    const size_t room = strtoul(a[4], NULL, 10);
    char *memory = malloc(room + 1);
    const tqc_request request = {
        .method = a[0],
        .path = a[1],
        .body = a[2],
        .n_body = strlen(a[2]),
        .content_type = a[2][0] != '\0' ? "application/json" : NULL,
        .idempotency_key = a[3],
        .prefer = a[3][0] != '\0' ? "respond-async" : NULL,
        .memory = memory,
        .memory_size = room,
    };
    tqc_answer answer;
    const tqc_code code = tqc_send(client, &request, &answer, &error);
    if (code == TQC_OK) {
        fwrite(memory, 1, answer.n, stdout);
        fprintf(stderr, "%d %d %zu %s %s\n", answer.status, answer.tries, answer.n,
                answer.content_type, answer.location);
    }
    free(memory);
    return end(code);
}

static void put_state(const tqc_session *session, const tqc_result *q)
{
    fprintf(stderr, "%llu %s %s: %s\n", session->step, session->hash, session->ended_joint,
            session->ended);
    fwrite(&session->t, sizeof session->t, 1, stdout);
    fwrite(q->values, sizeof(double), q->n, stdout);
}

/* session REQUEST nv steps times: torques on stdin; step, hash, ended_joint and ended of each state
 * to stderr, t and q to stdout; a fork of the start, and the start again. */
static int lock_step(tqc_client *client, char **a)
{
    const size_t nv = strtoul(a[1], NULL, 10);
    const unsigned steps = (unsigned)strtoul(a[2], NULL, 10);
    double *tau = read_doubles(nv), *q = malloc(nv * sizeof *q);
    tqc_result result = {.name = "q", .values = q, .room = nv};
    tqc_session session, fork = {.id = ""};
    tqc_code code = tqc_session_open(client, a[0], &session, &result, 1, &error);
    for (unsigned long k = strtoul(a[3], NULL, 10); code == TQC_OK; k--) {
        put_state(&session, &result);
        if (k == 0) {
            break;
        }
        code = tqc_session_step(client, &session, nv, tau, steps, &result, 1, &error);
    }
    if (code == TQC_OK &&
        (code = tqc_session_fork(client, &session, 0, &fork, &result, 1, &error)) == TQC_OK) {
        put_state(&fork, &result);
        code = tqc_session_close(client, &fork, &error);
    }
    if (code == TQC_OK &&
        (code = tqc_session_rewind(client, &session, 0, &result, 1, &error)) == TQC_OK) {
        put_state(&session, &result);
        code = tqc_session_close(client, &session, &error);
    }
    free(tau);
    free(q);
    return end(code);
}

int main(int argc, char **argv)
{
    char key[33], other[33];
    tqc_options options = {.client = "drive"};
    if (argc < 4 || tqc_make_key(key) != TQC_OK || tqc_make_key(other) != TQC_OK ||
        strcmp(key, other) == 0) {
        return 98;
    }
    options.address = argv[1];
    options.retries = (int)strtol(argv[2], NULL, 10);
    options.token = getenv("DRIVE_TOKEN");
    options.token_file = getenv("DRIVE_TOKEN_FILE");
    options.timeout_ms =
        getenv("DRIVE_TIMEOUT") != NULL ? strtol(getenv("DRIVE_TIMEOUT"), NULL, 10) : 0;
    if (strcmp(argv[3], "call") == 0) {
        return call(&options, argv + 4);
    }
    tqc_client *client = tqc_open(&options, &error);
    if (client == NULL) {
        return end(error.code);
    }
    const int status = strcmp(argv[3], "dynamics") == 0  ? dynamics(client, argv + 4)
                       : strcmp(argv[3], "compute") == 0 ? compute(client, argv + 4)
                       : strcmp(argv[3], "session") == 0 ? lock_step(client, argv + 4)
                                                         : send_one(client, argv + 4);
    tqc_close(client);
    return status;
}
