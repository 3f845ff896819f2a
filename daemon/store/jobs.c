/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/jobs.c - names of jobs, of their states and of namespaces. */
#include "daemon/store/jobs.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "daemon/key.h"

static const char *const names[TQD_JOB_STATES] = {"queued", "running", "succeeded", "failed",
                                                  "cancelled"};

const char *tqd_job_state_name(tqd_job_state state)
{
    assert(state < TQD_JOB_STATES);
    return names[state];
}

bool tqd_job_state_parse(const char *name, tqd_job_state *ret)
{
    for (size_t i = 0; i < TQD_JOB_STATES; i++) {
        if (strcmp(name, names[i]) == 0) {
            *ret = (tqd_job_state)i;
            return true;
        }
    }
    return false;
}

void tqd_job_id_make(char id[TQD_JOB_ID_TEXT])
{
    /* Crockford's base 32, lower case: without letters that look alike */
    static const char letters[] = "0123456789abcdefghjkmnpqrstvwxyz";
    unsigned char random[TQD_JOB_ID_TEXT - 1];
    /* getrandom(2): up to 256 bytes are never cut short once the generator is seeded */
    const ssize_t n = getrandom(random, sizeof random, 0);
    assert(n == (ssize_t)sizeof random);
    (void)n;
    for (size_t i = 0; i < sizeof random; i++) {
        id[i] = letters[random[i] % 32];
    }
    id[sizeof random] = '\0';
}

const char *tqd_job_filter_prefix(const tqd_job_filter *filter, char ret[TQD_JOB_CLIENT_TEXT])
{
    if (filter->beside == NULL) {
        return NULL;
    }
    (void)snprintf(ret, TQD_JOB_CLIENT_TEXT, "%.*s", (int)tqd_key_prefix(filter->beside),
                   filter->beside);
    return ret;
}
