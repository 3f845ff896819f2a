/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/libpq.c - loads libpq. */
#include "daemon/store/postgresql/libpq.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "daemon/store/types.h"

tqd_libpq_table tqd_libpq;

/* beside # and ## the macros of libpq.h are not expanded */
#define TQD_LIBPQ_SYMBOL(name) {#name, &tqd_libpq.name##_},
static const struct {
    const char *name;
    void *place;
} symbols[] = {TQD_LIBPQ(TQD_LIBPQ_SYMBOL)};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;

static bool load(char *why)
{
    /* never unloaded: its TLS library has handlers for the end of the process */
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) {
        snprintf(why, TQD_STORE_WHY, "PostgreSQL: %.200s (Debian: libpq5)", dlerror());
        return false;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (symbol == NULL) {
            snprintf(why, TQD_STORE_WHY, "PostgreSQL: libpq is too old, it has no %s",
                     symbols[i].name);
            return false;
        }
        memcpy(symbols[i].place, &symbol, sizeof symbol);
    }
    return true;
}

bool tqd_libpq_load(char *why)
{
    pthread_mutex_lock(&mutex);
    loaded = loaded || load(why);
    const bool good = loaded;
    pthread_mutex_unlock(&mutex);
    return good;
}
