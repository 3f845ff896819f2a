/* SPDX-License-Identifier: Apache-2.0 */
/* tests/clients/scenario/steps.c - steps by clients/c: a line of standard input each.
 *
 * send METHOD PATH CONTENT_TYPE PREFER BODY_FILE FILE
 *     any request; FILE gets the body of the answer, or the problem document
 * inverse ROBOT N NQ NV BODY_FILE FILE,  forward ROBOT N NQ NV BODY_FILE FILE
 *     doubles q, qd and qdd or tau in, tau or qdd out
 * session N BODY_FILE MOVES_FILE FILE
 *     "step STEPS tau...", "rewind STEP", "fork STEP" in;
 *     step, t, q, qd, tau, sensors.q and the 32 characters of hash of each out
 * "-" is none. Exits 1 at a failure that is no refusal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/c/tqc.h"

enum { WORDS = 7, BODY_MAX = 1 << 20, ANSWER_MAX = 16 << 20 };

static size_t read_file(const char *path, void *to, size_t room)
{
    if (strcmp(path, "-") == 0) {
        return 0;
    }
    FILE *file = fopen(path, "rb");
    const size_t n = file != NULL ? fread(to, 1, room, file) : 0;
    if (file == NULL || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
    return n;
}

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, n, file) != n || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static void check(tqc_code code, const tqc_error *error)
{
    if (code != TQC_OK && code != TQC_REFUSED) {
        fprintf(stderr, "%s: %s\n", tqc_code_text(code), error->detail);
        exit(1);
    }
}

static const char *word(const char *text)
{
    return strcmp(text, "-") == 0 ? NULL : text;
}

static void any(tqc_client *client, char *const w[WORDS], void *body, char *answer)
{
    tqc_request request = {.method = w[1], .path = w[2], .content_type = word(w[3])};
    request.prefer = word(w[4]);
    request.n_body = read_file(w[5], body, BODY_MAX);
    request.body = request.n_body > 0 ? body : NULL;
    request.memory = answer;
    request.memory_size = ANSWER_MAX;
    tqc_answer got;
    tqc_error error;
    const tqc_code code = tqc_send(client, &request, &got, &error);
    check(code, &error);
    const char *bytes = code == TQC_OK ? answer : tqc_problem(client);
    write_file(w[6], bytes, code == TQC_OK ? got.n : strlen(bytes));
}

static void dynamics(tqc_client *client, char *const w[WORDS], double *body, double *answer)
{
    const size_t n = strtoul(w[2], NULL, 10), nq = strtoul(w[3], NULL, 10),
                 nv = strtoul(w[4], NULL, 10);
    const double *q = body, *qd = q + n * nq, *third = qd + n * nv;
    if (read_file(w[5], body, BODY_MAX) != n * (nq + 2 * nv) * sizeof *body) {
        fprintf(stderr, "%s: not as many numbers as there should be\n", w[5]);
        exit(1);
    }
    tqc_error error;
    check(strcmp(w[0], "inverse") == 0
              ? tqc_inverse_dynamics(client, w[1], n, nq, nv, q, qd, third, answer, &error)
              : tqc_forward_dynamics(client, w[1], n, nq, nv, q, qd, third, answer, &error),
          &error);
    write_file(w[6], answer, n * nv * sizeof *answer);
}

enum { STATE_MAX = 64 };

typedef struct state {
    double q[STATE_MAX], qd[STATE_MAX], tau[STATE_MAX], sensed[STATE_MAX];
    tqc_result results[4];
} state;

static void put_state(FILE *out, const tqc_session *session, const state *s)
{
    const double head[2] = {(double)session->step, session->t};
    fwrite(head, sizeof head, 1, out);
    for (int i = 0; i < 4; i++) {
        fwrite(s->results[i].values, sizeof(double), s->results[i].n, out);
    }
    fwrite(session->hash, sizeof session->hash - 1, 1, out);
}

static tqc_code move(tqc_client *client, tqc_session *session, char *line, size_t nv, state *s,
                     tqc_error *error)
{
    char *rest = strchr(line, ' ');
    const unsigned long long n = strtoull(rest, &rest, 10);
    double tau[STATE_MAX];
    if (strncmp(line, "rewind", 6) == 0) {
        return tqc_session_rewind(client, session, n, s->results, 4, error);
    }
    if (strncmp(line, "fork", 4) == 0) {
        tqc_session fork;
        const tqc_code code = tqc_session_fork(client, session, n, &fork, s->results, 4, error);
        check(tqc_session_close(client, session, NULL), error);
        *session = fork;
        return code;
    }
    for (size_t i = 0; i < nv; i++) {
        tau[i] = strtod(rest, &rest);
    }
    return tqc_session_step(client, session, nv, tau, (unsigned)n, s->results, 4, error);
}

static void lock_step(tqc_client *client, char *const w[WORDS], char *body)
{
    state s;
    s.results[0] = (tqc_result){.name = "q", .values = s.q, .room = STATE_MAX};
    s.results[1] = (tqc_result){.name = "qd", .values = s.qd, .room = STATE_MAX};
    s.results[2] = (tqc_result){.name = "tau", .values = s.tau, .room = STATE_MAX};
    s.results[3] = (tqc_result){.name = "sensors.q", .values = s.sensed, .room = STATE_MAX};
    body[read_file(w[2], body, BODY_MAX - 1)] = '\0';
    FILE *moves = fopen(w[3], "r"), *out = fopen(w[4], "wb");
    tqc_session session;
    tqc_error error;
    check(tqc_session_open(client, body, &session, s.results, 4, &error), &error);
    for (char line[4096]; moves != NULL && out != NULL;) {
        put_state(out, &session, &s);
        if (fgets(line, sizeof line, moves) == NULL) {
            break;
        }
        check(move(client, &session, line, strtoul(w[1], NULL, 10), &s, &error), &error);
    }
    check(tqc_session_close(client, &session, &error), &error);
    check(tqc_session_close(client, &session, &error), &error); /* no fault */
    if (moves == NULL || out == NULL || fclose(moves) != 0 || fclose(out) != 0) {
        perror(w[4]);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    const tqc_options options = {.address = argc == 2 ? argv[1] : NULL};
    tqc_error error;
    tqc_client *client = tqc_open(&options, &error);
    void *body = malloc(BODY_MAX), *answer = malloc(ANSWER_MAX);
    if (client == NULL || body == NULL || answer == NULL) {
        fprintf(stderr, "%s\n", client == NULL ? error.detail : "no memory");
        return 1;
    }
    char line[4096];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *words[WORDS] = {0}, *rest = line;
        for (int i = 0; i < WORDS; i++) {
            words[i] = strsep(&rest, " \n");
        }
        if (strcmp(words[0], "send") == 0) {
            any(client, words, body, answer);
        } else if (strcmp(words[0], "session") == 0) {
            lock_step(client, words, body);
        } else {
            dynamics(client, words, body, answer);
        }
    }
    tqc_close(client);
    free(body);
    free(answer);
    return 0;
}
