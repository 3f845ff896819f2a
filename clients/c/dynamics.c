/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/dynamics.c - inverse and forward dynamics of samples in the caller's arrays. */
#include <stdint.h>

#include "clients/c/arrays.h"
#include "clients/c/cbor.h"
#include "clients/c/client.h"
#include "clients/c/error.h"

/* One call: rows out; NPY in, or CBOR. */
typedef struct exchange {
    tqci_rows rows;
    tqci_npy npy;
    tqci_cbor cbor;
    tqc_result result;
    double *values;
    size_t n, nv;
} exchange;

static void restart(exchange *e)
{
    e->rows.at = 0;
    tqci_npy_open(&e->npy, e->values, e->n, e->nv);
    tqci_cbor_open(&e->cbor, &e->result, 1);
}

static size_t give(void *ctx, char *to, size_t n)
{
    return tqci_rows_read(&((exchange *)ctx)->rows, to, n);
}

static int take_npy(void *ctx, const char *bytes, size_t n)
{
    return tqci_npy_push(&((exchange *)ctx)->npy, (const unsigned char *)bytes, n) ? 0 : 1;
}

static int take_cbor(void *ctx, const char *bytes, size_t n)
{
    return tqci_cbor_push(&((exchange *)ctx)->cbor, (const unsigned char *)bytes, n) ? 0 : 1;
}

static int again(void *ctx)
{
    restart(ctx);
    return 0;
}

static tqc_code run(tqc_client *client, const char *robot, const char *operation, exchange *e,
                    tqc_error *error)
{
    char path[TQCI_PATH_BYTES];
    const int is_npy = e->result.name == NULL;
    if (tqci_path(path, robot != NULL ? robot : "", operation) == 0) {
        return tqci_fail(error, TQC_BAD_ARGUMENT, "there is no such name of a robot");
    }
    const tqc_request request = {
        .method = "POST",
        .path = path,
        .content_type = "application/x-npy",
        .read = give,
        .n_read = (int64_t)tqci_rows_bytes(&e->rows),
        .read_ctx = e,
        .rewind = again,
        .accept = is_npy ? "application/x-npy" : "application/cbor",
        .is_repeatable = 1,
        .write = is_npy ? take_npy : take_cbor,
        .write_ctx = e,
    };
    restart(e);
    tqc_code code = tqc_send(client, &request, NULL, error);
    const int is_whole =
        is_npy ? tqci_npy_is_whole(&e->npy)
               : e->cbor.is_done && e->cbor.n_found == 1 && e->result.n == e->n * e->nv;
    if ((code == TQC_OK || code == TQC_STOPPED) && !is_whole) {
        code = tqci_fail(error, TQC_NOT_UNDERSTOOD, "the answer is no array of %zu x %zu doubles",
                         e->n, e->nv);
    }
    return code;
}

static tqc_code check(size_t n, size_t nq, size_t nv, const void *const *arrays, tqc_error *error)
{
    if (n == 0 || nq == 0 || nv == 0 || n > SIZE_MAX / 64 / (nq + 2 * nv)) {
        return tqci_fail(error, TQC_BAD_ARGUMENT, "no samples, or too many");
    }
    for (size_t i = 0; i < 4; i++) {
        if (arrays[i] == NULL) {
            return tqci_fail(error, TQC_BAD_ARGUMENT, "an array is missing");
        }
    }
    return TQC_OK;
}

tqc_code tqc_inverse_dynamics(tqc_client *client, const char *robot, size_t n, size_t nq, size_t nv,
                              const double *q, const double *qd, const double *qdd, double *ret_tau,
                              tqc_error *error)
{
    exchange e = {.values = ret_tau, .n = n, .nv = nv};
    const void *const arrays[] = {q, qd, qdd, ret_tau};
    const tqc_code code = check(n, nq, nv, arrays, error);
    if (code != TQC_OK) {
        return code;
    }
    tqci_rows_open(&e.rows, n, nq, nv, q, qd, qdd);
    return run(client, robot, "inverse-dynamics", &e, error);
}

tqc_code tqc_forward_dynamics(tqc_client *client, const char *robot, size_t n, size_t nq, size_t nv,
                              const double *q, const double *qd, const double *tau, double *ret_qdd,
                              tqc_error *error)
{
    exchange e = {.values = ret_qdd, .n = n, .nv = nv, .result = {.name = "qdd"}};
    const void *const arrays[] = {q, qd, tau, ret_qdd};
    const tqc_code code = check(n, nq, nv, arrays, error);
    if (code != TQC_OK) {
        return code;
    }
    e.result.values = ret_qdd;
    e.result.room = n * nv;
    tqci_rows_open(&e.rows, n, nq, nv, q, qd, tau);
    return run(client, robot, "forward-dynamics", &e, error);
}
