/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/dashboard.c - GET /dashboard/{file}: the page at / and what it loads. */
#include "daemon/service/dashboard.h"

#include <assert.h>
#include <string.h>

#include "api/problem.h"
#include "daemon/http/answer.h"

enum { FILES_MAX = 16 };

/* Constant once the server opens. */
static tqd_page pages[FILES_MAX];

/* Only scripts and styles of this service, and connections to it. Pictures drawn by the page are
 * blobs. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' "
    "blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

tqd_page tqd_dashboard_index(void)
{
    const tqd_dashboard_file *file = tqd_dashboard_files;
    while (file->name != NULL && strcmp(file->name, "index.html") != 0) {
        file++;
    }
    assert(file->name != NULL);
    return (tqd_page){.media = file->media,
                      .n = file->n,
                      .gzip = (const char *)file->gzip,
                      .n_gzip = file->n_gzip,
                      .policy = policy,
                      .vary = "Accept"};
}

void tqd_dashboard_prepare(void)
{
    for (size_t k = 0; tqd_dashboard_files[k].name != NULL; k++) {
        assert(k < FILES_MAX);
        const tqd_dashboard_file *file = &tqd_dashboard_files[k];
        pages[k] = (tqd_page){.media = file->media,
                              .n = file->n,
                              .gzip = (const char *)file->gzip,
                              .n_gzip = file->n_gzip,
                              .policy = policy};
        tqd_page_prepare(&pages[k]);
    }
}

/* The answer is made at open: no exchange is created. */
static bool open_file(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    (void)ctx;
    (void)ret_exchange;
    for (size_t k = 0; tqd_dashboard_files[k].name != NULL; k++) {
        if (strcmp(tqd_dashboard_files[k].name, head->part[0]) == 0) {
            tqd_page_answer(&pages[k], head, reply);
            return false;
        }
    }
    tqa_problem problem;
    tqa_problem_set(&problem, "not-found", "the dashboard has no file \"%.64s\": it begins at /",
                    head->part[0]);
    tqd_answer_problem(reply, head->request_id, &problem);
    return false;
}

const tqd_handler tqd_dashboard_handler = {.open = open_file};
