/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/inputs.c - collects the names of the data that a request reads. */
#include "daemon/jobs/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/key.h"

static const char job_prefix[] = "job:";

bool tqd_job_input_key(const char *client, const char *name, char ret[TQD_JOB_INPUT_TEXT])
{
    const bool is_job = strncmp(name, job_prefix, sizeof job_prefix - 1) == 0;
    return tqd_key_make(is_job ? "" : client, name, ret, TQD_JOB_INPUT_TEXT);
}

typedef struct list {
    const char *client;
    char *names;
    size_t n, size;
    bool failed;
} list;

static bool add_name(void *ctx, const char *name)
{
    list *l = ctx;
    char key[TQD_JOB_INPUT_TEXT];
    if (!tqd_job_input_key(l->client, name, key)) {
        return true; /* there is none: not found when the job runs */
    }
    const size_t n = strlen(key) + 1;
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
    memcpy(l->names + l->n, key, n);
    l->n += n;
    l->names[l->n] = '\0';
    return true;
}

bool tqd_job_inputs(const tqa_call *call, const char *client, char **ret_names)
{
    list l = {.client = client};
    (void)tqa_call_sources(call, add_name, &l);
    *ret_names = l.names;
    return !l.failed;
}
