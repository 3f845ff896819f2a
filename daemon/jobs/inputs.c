/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/inputs.c - collects the names of the data that a request reads. */
#include "daemon/jobs/inputs.h"

#include <stdlib.h>
#include <string.h>

typedef struct list {
    char *names;
    size_t n, size;
    bool failed;
} list;

static bool add_name(void *ctx, const char *name)
{
    list *l = ctx;
    const size_t n = strlen(name) + 1;
    if (l->n + n + 1 > l->size) {
        const size_t wanted = 2 * l->size + n + 256;
        char *grown = realloc(l->names, wanted);
        if (grown == NULL) {
            l->failed = true;
            return false;
        }
        l->names = grown;
        l->size = wanted;
    }
    memcpy(l->names + l->n, name, n);
    l->n += n;
    l->names[l->n] = '\0';
    return true;
}

bool tqd_job_inputs(const tqa_call *call, char **ret_names)
{
    list l = {.names = NULL};
    (void)tqa_call_sources(call, add_name, &l);
    *ret_names = l.names;
    return !l.failed;
}
