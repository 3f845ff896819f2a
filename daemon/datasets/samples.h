/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/samples.h - sample logs: built-in datasets that every daemon has, so that
 * calibrate, compare and `from` can be tried without an upload. */
#ifndef TQD_DATASETS_SAMPLES_H
#define TQD_DATASETS_SAMPLES_H

#include <stddef.h>

#include "daemon/store/datasets.h"

enum { TQD_SAMPLES = 2 };

/* A log of the built-in panda: its torques of inverse dynamics, with Coulomb friction of 4 N m,
 * viscous of 6 N m s/rad, an offset of 0.5 N m on every joint, and noise. */
typedef struct tqd_sample {
    tqd_dataset_row row;
    char *bytes; /* CSV */
    char *summary;
} tqd_sample;

/* All of them, by name. Computed at the first call (10 ms, 700 KB); the same bytes on every daemon.
 * Any worker. NULL: memory is short. */
const tqd_sample *tqd_samples(void);
/* The one of this name (n bytes); NULL: there is none. */
const tqd_sample *tqd_sample_find(const char *name, size_t n);
/* The name is of a sample: it cannot be put or deleted. Any thread; computes nothing. */
bool tqd_sample_is_name(const char *name);

#endif
