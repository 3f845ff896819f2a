/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/check_store.c - torqued --check-store: reads and verifies all stored bytes. */
#include "daemon/service/check_store.h"

#include <inttypes.h>

#include "daemon/store/check.h"
#include "daemon/store/files.h"
#include "daemon/store/lost.h"

static void print_lost(void *ctx, const char *name, uint64_t size)
{
    fprintf(ctx, "lost: files/lost/%s, %" PRIu64 " bytes\n", name, size);
}

bool tqd_check_store(tqd_store *store, FILE *out)
{
    char why[TQD_STORE_WHY] = "";
    tqd_check check = {.read = NULL};
    tqd_store_health health;
    const tqd_lost_listing listing = {print_lost, out};
    const tqd_store_status database = tqd_store_check_database(store, why);
    const tqd_store_status files = tqd_store_check_files(store, &check);
    tqd_store_health_read(store, &health);
    tqd_store_lost(store, &listing);
    if (database != TQD_STORE_OK || files != TQD_STORE_OK) {
        fprintf(out, "%s\n", why[0] != '\0' ? why : tqd_store_status_text(files));
    }
    fprintf(out,
            "%" PRIu64 " files, %" PRIu64 " bytes: %" PRIu64 " damaged; %" PRIu64 " lost; %" PRIu64
            " commits missing\n",
            check.n_file, check.n_byte, check.n_damaged, health.n_file_lost, health.n_commit_lost);
    return database == TQD_STORE_OK && files == TQD_STORE_OK && check.n_damaged == 0 &&
           health.n_commit_lost == 0;
}
