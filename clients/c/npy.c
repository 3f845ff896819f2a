/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/npy.c - samples as NPY on their way out and in, without a copy of all of them. */
#include <stdio.h>
#include <string.h>

#include "clients/c/arrays.h"

void tqci_rows_open(tqci_rows *rows, size_t n, size_t nq, size_t nv, const double *q,
                    const double *qd, const double *third)
{
    const tqci_rows fresh = {{q, qd, third}, {nq, nv, nv}, n, {0}, 0};
    char text[TQCI_NPY_HEAD - 10 + 1];
    *rows = fresh;
    (void)snprintf(text, sizeof text,
                   "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }", n,
                   nq + 2 * nv);
    memset(rows->head, ' ', sizeof rows->head);
    memcpy(rows->head, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(rows->head + 10, text, strlen(text));
    rows->head[TQCI_NPY_HEAD - 1] = '\n';
}

size_t tqci_rows_bytes(const tqci_rows *rows)
{
    return TQCI_NPY_HEAD +
           rows->n * (rows->widths[0] + rows->widths[1] + rows->widths[2]) * sizeof(double);
}

/* the longest piece of memory from byte `at` on that goes out as it is */
static size_t piece_at(const tqci_rows *rows, const char **ret)
{
    if (rows->at < TQCI_NPY_HEAD) {
        *ret = rows->head + rows->at;
        return TQCI_NPY_HEAD - rows->at;
    }
    const size_t width = (rows->widths[0] + rows->widths[1] + rows->widths[2]) * sizeof(double);
    const size_t row = (rows->at - TQCI_NPY_HEAD) / width;
    size_t within = (rows->at - TQCI_NPY_HEAD) % width;
    for (size_t k = 0; row < rows->n && k < 3; k++) {
        const size_t own = rows->widths[k] * sizeof(double);
        if (within < own) {
            *ret = (const char *)(rows->arrays[k] + row * rows->widths[k]) + within;
            return own - within;
        }
        within -= own;
    }
    return 0;
}

size_t tqci_rows_read(void *ctx, char *to, size_t n)
{
    tqci_rows *rows = ctx;
    size_t given = 0;
    while (given < n) {
        const char *piece = NULL;
        size_t length = piece_at(rows, &piece);
        if (length == 0) {
            break;
        }
        length = length < n - given ? length : n - given;
        memcpy(to + given, piece, length);
        given += length;
        rows->at += length;
    }
    return given;
}

void tqci_npy_open(tqci_npy *npy, double *values, size_t n, size_t columns)
{
    memset(npy, 0, sizeof *npy);
    npy->values = values;
    npy->n = n;
    npy->columns = columns;
}

/* little-endian doubles in C order, n x columns of them, or one row of rank one */
static bool check_head(const tqci_npy *npy)
{
    char text[TQCI_NPY_HEAD_MOST + 1], two[64], one[64];
    const size_t from = npy->head[6] == 1 ? 10 : 12;
    memcpy(text, npy->head + from, npy->n_whole - from);
    text[npy->n_whole - from] = '\0';
    (void)snprintf(two, sizeof two, "(%zu, %zu)", npy->n, npy->columns);
    (void)snprintf(one, sizeof one, "(%zu,)", npy->columns);
    return strstr(text, "'<f8'") != NULL && strstr(text, "'fortran_order': False") != NULL &&
           (strstr(text, two) != NULL || (npy->n == 1 && strstr(text, one) != NULL));
}

/* how long the head is, once it can be known; false: this is no NPY */
static bool measure_head(tqci_npy *npy)
{
    if (npy->n_whole > 0 || npy->n_head < 12) {
        return true;
    }
    const unsigned char *h = npy->head;
    npy->n_whole = h[6] == 1 ? 10u + h[8] + 256u * h[9]
                             : 12u + h[8] + 256u * h[9] + 65536u * (h[10] + 256u * h[11]);
    return memcmp(h, "\x93NUMPY", 6) == 0 && npy->n_whole >= 12 &&
           npy->n_whole <= TQCI_NPY_HEAD_MOST;
}

bool tqci_npy_push(tqci_npy *npy, const unsigned char *bytes, size_t n)
{
    size_t at = 0;
    while (at < n && !npy->is_bad && (npy->n_whole == 0 || npy->n_head < npy->n_whole)) {
        npy->head[npy->n_head++] = bytes[at++];
        npy->is_bad = !measure_head(npy) || (npy->n_head == npy->n_whole && !check_head(npy));
    }
    const size_t room = npy->n * npy->columns * sizeof(double) - npy->n_taken;
    npy->is_bad = npy->is_bad || n - at > room;
    if (!npy->is_bad && n > at) {
        memcpy((char *)npy->values + npy->n_taken, bytes + at, n - at);
        npy->n_taken += n - at;
    }
    return !npy->is_bad;
}

bool tqci_npy_is_whole(const tqci_npy *npy)
{
    return !npy->is_bad && npy->n_whole > 0 && npy->n_head == npy->n_whole &&
           npy->n_taken == npy->n * npy->columns * sizeof(double);
}
