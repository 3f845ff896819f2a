/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/arrays.h - samples as NPY on their way out and in, without a copy of all of them. */
#ifndef TQC_ARRAYS_H
#define TQC_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>

enum { TQCI_NPY_HEAD = 128, TQCI_NPY_HEAD_MOST = 1024 };

/* An NPY file of n rows whose columns are those of several arrays side by side. */
typedef struct tqci_rows {
    const double *arrays[3];
    size_t widths[3];
    size_t n;
    char head[TQCI_NPY_HEAD];
    size_t at; /* bytes given */
} tqci_rows;

void tqci_rows_open(tqci_rows *rows, size_t n, size_t nq, size_t nv, const double *q,
                    const double *qd, const double *third);
size_t tqci_rows_bytes(const tqci_rows *rows);
/* a tqc_read, and its tqc_rewind */
size_t tqci_rows_read(void *rows, char *to, size_t n);

/* An NPY file of exactly n x columns doubles, as it comes. */
typedef struct tqci_npy {
    double *values;
    size_t n, columns;
    unsigned char head[TQCI_NPY_HEAD_MOST];
    size_t n_head, n_whole; /* bytes of the head: there, and in all (0: not known) */
    size_t n_taken;         /* bytes of values */
    bool is_bad;
} tqci_npy;

void tqci_npy_open(tqci_npy *npy, double *values, size_t n, size_t columns);
bool tqci_npy_push(tqci_npy *npy, const unsigned char *bytes, size_t n);
bool tqci_npy_is_whole(const tqci_npy *npy);

#endif
