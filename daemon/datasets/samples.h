/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/samples.h - sample logs: built-in datasets that every daemon has, so that
 * calibrate, compare and `from` can be tried without an upload. */
#ifndef TQD_DATASETS_SAMPLES_H
#define TQD_DATASETS_SAMPLES_H

#include <stddef.h>

#include "daemon/store/datasets.h"

enum { TQD_SAMPLES = 2 };

/* A log of the built-in panda: torques of inverse dynamics plus noise, with Coulomb friction 4 N m,
 * viscous friction 6 N m s/rad and offset 0.5 N m on every joint. */
typedef struct tqd_sample {
    tqd_dataset_row row;
    char *bytes; /* CSV */
    char *summary;
} tqd_sample;

/* All samples, by name. Computed at the first call (10 ms, 700 KB); the same bytes on every daemon.
 * Any worker. NULL: memory is short. */
const tqd_sample *tqd_samples(void);
/* The sample of this name (n bytes); NULL: no such sample. */
const tqd_sample *tqd_sample_find(const char *name, size_t n);
/* True if the name is that of a sample, which cannot be put or deleted. Any thread; computes
 * nothing. */
bool tqd_sample_is_name(const char *name);

#endif
