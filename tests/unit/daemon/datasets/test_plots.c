/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/datasets/test_plots.c - blocks by digest: bounded, dropped, kept while they are
 * read. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/datasets/plots.h"

static tqd_plots plots = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* blocks of a table of n_row rows of 64 columns: 32 rows are 1 KiB */
static tqa_dataset_blocks *blocks_of(size_t n_row)
{
    const tqa_dataset_options find = {.format = TQA_DATASET_FIND};
    tqa_dataset *d = tqa_dataset_open(&find, NULL);
    char line[129];
    for (size_t c = 0; c < 64; c++) {
        memcpy(line + 2 * c, c < 63 ? "1," : "1\n", 2);
    }
    tqa_dataset_gather(d);
    for (size_t k = 0; k < n_row; k++) {
        cr_assert(tqa_dataset_feed(d, line, 128));
    }
    cr_assert(tqa_dataset_finish(d));
    tqa_dataset_blocks *blocks = tqa_dataset_take_blocks(d);
    tqa_dataset_close(d);
    return blocks;
}

static const char *digest(unsigned k)
{
    static char text[TQD_DIGEST_TEXT];
    (void)snprintf(text, sizeof text, "%064x", k);
    return text;
}

static bool has(unsigned k)
{
    tqd_plot *plot = tqd_plots_begin(&plots, digest(k));
    tqd_plots_end(&plots, plot);
    return plot != NULL;
}

Test(plots, the_least_recently_used_makes_room)
{
    for (unsigned k = 0; k < TQD_PLOTS; k++) {
        tqd_plots_keep(&plots, digest(k), blocks_of(2));
    }
    cr_assert(has(0)); /* used now, so that 1 is the oldest */
    tqd_plots_keep(&plots, digest(1000), blocks_of(2));
    cr_assert(has(0) && !has(1) && has(2) && has(1000));
    tqd_plots_clear(&plots);
    cr_assert(!has(0));
    cr_assert_eq(plots.n_byte, 0);
}

Test(plots, they_stay_within_their_bytes)
{
    for (unsigned k = 0; k < 10; k++) {
        tqd_plots_keep(&plots, digest(k), blocks_of(80000)); /* more than 2 MiB of numbers */
        cr_assert_leq(plots.n_byte, (size_t)TQD_PLOTS_BYTES_MAX);
        cr_assert(has(k));
    }
    cr_assert(!has(0));
    tqd_plots_clear(&plots);
}

Test(plots, what_is_read_stays_until_its_end)
{
    tqd_plots_keep(&plots, digest(7), blocks_of(100));
    tqd_plots_keep(&plots, digest(7), blocks_of(100)); /* once is enough */
    tqd_plots_keep(&plots, digest(8), NULL);
    cr_assert(has(7) && !has(8));
    tqd_plot *plot = tqd_plots_begin(&plots, digest(7));
    tqd_plots_drop(&plots, digest(7));
    cr_assert(!has(7));
    const tqa_dataset_part part = {0, 100, 32, false};
    size_t n = 0;
    char *text = tqa_dataset_points(plot->blocks, &part, NULL, NULL, &n);
    cr_assert_not_null(text);
    free(text);
    /* all others are evicted before one that is read */
    for (unsigned k = 100; k < 100 + 2 * TQD_PLOTS; k++) {
        tqd_plots_keep(&plots, digest(k), blocks_of(2));
    }
    cr_assert_not_null(plot->blocks);
    tqd_plots_end(&plots, plot);
    cr_assert_null(plot->blocks);
    tqd_plots_drop(&plots, digest(100 + 2 * TQD_PLOTS - 1));
    cr_assert(!has(100 + 2 * TQD_PLOTS - 1));
    tqd_plots_clear(&plots);
    cr_assert_eq(plots.n_byte, 0);
}
