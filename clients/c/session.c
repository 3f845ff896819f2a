/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/session.c - lock step: a simulated robot that the caller's controller drives. */
#include <stdio.h>
#include <string.h>

#include "clients/c/client.h"
#include "clients/c/compute.h"
#include "clients/c/error.h"

enum { RESULTS_MAX = 30, NAME_BYTES = 128, TEXTS = 3, FIELDS_BYTES = 96 };

/* An id has letters, digits and - only. */
static tqc_code path_of(char path[TQCI_PATH_BYTES], const tqc_session *session, const char *what,
                        tqc_error *error)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const size_t n = strnlen(session->id, sizeof session->id);
    if (n == 0 || n == sizeof session->id || strspn(session->id, good) != n) {
        return tqci_fail(error, TQC_BAD_ARGUMENT, "the session is not open");
    }
    (void)snprintf(path, TQCI_PATH_BYTES, "/v1/sessions/%s%s%s", session->id,
                   what[0] != '\0' ? "/" : "", what);
    return TQC_OK;
}

/* A POST whose answer is a state, or a session with its state under `prefix`. */
static tqc_code ask(tqc_client *client, const char *path, const char *fields, const tqc_array *tau,
                    const char *prefix, tqc_session *session, tqc_result *results, size_t n_result,
                    tqc_answer *answer, tqc_error *error)
{
    static const char *const words[TEXTS] = {"hash", "ended", "ended_joint"};
    char names[RESULTS_MAX + 2][NAME_BYTES], text_names[TEXTS][NAME_BYTES];
    tqc_result all[RESULTS_MAX + 2];
    double step = 0, t = 0;
    tqc_session got = {.id = ""};
    const tqci_text texts[TEXTS] = {{text_names[0], got.hash, sizeof got.hash},
                                    {text_names[1], got.ended, sizeof got.ended},
                                    {text_names[2], got.ended_joint, sizeof got.ended_joint}};
    if (n_result > RESULTS_MAX) {
        return tqci_fail(error, TQC_BAD_ARGUMENT, "more than %d results", RESULTS_MAX);
    }
    if (n_result > 0) {
        memcpy(all + 2, results, n_result * sizeof *results);
    }
    all[0] = (tqc_result){.name = "step", .values = &step, .room = 1};
    all[1] = (tqc_result){.name = "t", .values = &t, .room = 1};
    for (size_t i = 0; i < n_result + 2; i++) {
        (void)snprintf(names[i], NAME_BYTES, "%s%s", prefix, all[i].name);
        all[i].name = names[i];
    }
    for (size_t i = 0; i < TEXTS; i++) {
        (void)snprintf(text_names[i], NAME_BYTES, "%s%s", prefix, words[i]);
    }
    const tqci_wanted wanted = {all, n_result + 2, texts, TEXTS};
    const bool makes_one = prefix[0] != '\0';
    const tqc_code code = tqci_compute(client, path, !makes_one, fields, tau, tau != NULL ? 1 : 0,
                                       &wanted, answer, error);
    for (size_t i = 0; i < n_result; i++) {
        results[i].n = all[i + 2].n;
        results[i].rows = all[i + 2].rows;
        results[i].columns = all[i + 2].columns;
    }
    if (code == TQC_OK) {
        session->step = (unsigned long long)step;
        session->t = t;
        memcpy(session->hash, got.hash, sizeof got.hash);
        memcpy(session->ended, got.ended, sizeof got.ended);
        memcpy(session->ended_joint, got.ended_joint, sizeof got.ended_joint);
    }
    return code;
}

/* A session that the service has made; its address is in the answer's Location. */
static tqc_code begin(tqc_client *client, const char *path, const char *fields,
                      tqc_session *session, tqc_result *results, size_t n_result, tqc_error *error)
{
    tqc_answer answer;
    memset(session, 0, sizeof *session);
    const tqc_code code =
        ask(client, path, fields, NULL, "state.", session, results, n_result, &answer, error);
    const char *slash = code == TQC_OK ? strrchr(answer.location, '/') : NULL;
    if (code == TQC_OK && (slash == NULL || strlen(slash + 1) >= sizeof session->id)) {
        return tqci_fail(error, TQC_NOT_UNDERSTOOD, "the service has named no session");
    }
    if (code == TQC_OK) {
        memcpy(session->id, slash + 1, strlen(slash + 1) + 1);
    }
    return code;
}

tqc_code tqc_session_open(tqc_client *client, const char *request, tqc_session *session,
                          tqc_result *results, size_t n_result, tqc_error *error)
{
    return begin(client, "/v1/sessions", request, session, results, n_result, error);
}

tqc_code tqc_session_fork(tqc_client *client, const tqc_session *session, unsigned long long step,
                          tqc_session *fork, tqc_result *results, size_t n_result, tqc_error *error)
{
    char path[TQCI_PATH_BYTES], fields[FIELDS_BYTES];
    const tqc_code code = path_of(path, session, "fork", error);
    (void)snprintf(fields, sizeof fields, "{\"step\": %llu}", step);
    return code == TQC_OK ? begin(client, path, fields, fork, results, n_result, error) : code;
}

tqc_code tqc_session_step(tqc_client *client, tqc_session *session, size_t nv, const double *tau,
                          unsigned steps, tqc_result *results, size_t n_result, tqc_error *error)
{
    char path[TQCI_PATH_BYTES], fields[FIELDS_BYTES];
    const tqc_array torques = {.name = "tau", .values = tau, .columns = nv};
    tqc_answer answer;
    const tqc_code code = path_of(path, session, "step", error);
    (void)snprintf(fields, sizeof fields, "{\"steps\": %u, \"at_step\": %llu}", steps,
                   session->step);
    return code == TQC_OK
               ? ask(client, path, fields, &torques, "", session, results, n_result, &answer, error)
               : code;
}

tqc_code tqc_session_rewind(tqc_client *client, tqc_session *session, unsigned long long step,
                            tqc_result *results, size_t n_result, tqc_error *error)
{
    char path[TQCI_PATH_BYTES], fields[FIELDS_BYTES];
    tqc_answer answer;
    const tqc_code code = path_of(path, session, "rewind", error);
    (void)snprintf(fields, sizeof fields, "{\"step\": %llu}", step);
    return code == TQC_OK
               ? ask(client, path, fields, NULL, "", session, results, n_result, &answer, error)
               : code;
}

tqc_code tqc_session_close(tqc_client *client, const tqc_session *session, tqc_error *error)
{
    char path[TQCI_PATH_BYTES];
    tqc_error own;
    tqc_error *said = error != NULL ? error : &own;
    tqc_code code = path_of(path, session, "", said);
    const tqc_request request = {.method = "DELETE", .path = path};
    code = code == TQC_OK ? tqc_send(client, &request, NULL, said) : code;
    return code == TQC_REFUSED && said->status == 404 ? tqci_fail(said, TQC_OK, "%s", "") : code;
}
