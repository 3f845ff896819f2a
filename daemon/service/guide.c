/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/guide.c - GET /docs/guide/: the guide, if it was built before the daemon. */
#include "daemon/service/guide.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "api/problem.h"
#include "daemon/http/answer.h"

enum { FILES_MAX = 128 };

/* Constant once the server opens. */
static tqd_page pages[FILES_MAX];

/* Nothing but files of this service: no script and no style in a page. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

bool tqd_guide_is_built(void)
{
    return tqd_guide_files[0].name != NULL;
}

void tqd_guide_prepare(void)
{
    for (size_t k = 0; tqd_guide_files[k].name != NULL; k++) {
        assert(k < FILES_MAX);
        const tqd_dashboard_file *file = &tqd_guide_files[k];
        pages[k] = (tqd_page){.media = file->media,
                              .n = file->n,
                              .gzip = (const char *)file->gzip,
                              .n_gzip = file->n_gzip,
                              .policy = policy};
        tqd_page_prepare(&pages[k]);
    }
}

const char *tqd_guide_link(const char *docs_html)
{
    static const char link[] = "<a href=\"/docs/guide/\"><span>Guide</span>"
                               "<span>tutorial, tasks, reference</span></a>";
    const char *place = strstr(docs_html, "<div id=\"operations\">");
    if (!tqd_guide_is_built() || place == NULL) {
        return docs_html;
    }
    const size_t before = (size_t)(place - docs_html);
    const size_t after = strlen(place) + 1;
    char *text = malloc(before + sizeof link - 1 + after);
    if (text == NULL) {
        return docs_html;
    }
    memcpy(text, docs_html, before);
    memcpy(text + before, link, sizeof link - 1);
    memcpy(text + before + sizeof link - 1, place, after);
    return text;
}

/* The answer is made at open: no exchange is created. */
static bool open_file(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    (void)ctx;
    (void)ret_exchange;
    const char *name = head->part[0][0] != '\0' ? head->part[0] : "index.html";
    for (size_t k = 0; tqd_guide_files[k].name != NULL; k++) {
        if (strcmp(tqd_guide_files[k].name, name) == 0) {
            tqd_page_answer(&pages[k], head, reply);
            return false;
        }
    }
    tqa_problem problem;
    tqa_problem_set(&problem, "not-found",
                    "the guide has no page \"%.64s\": it begins at /docs/guide/", name);
    tqd_answer_problem(reply, head->request_id, &problem);
    return false;
}

/* Links in the pages are relative to this folder, whose address ends with a slash. */
static bool open_folder(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    (void)ctx;
    (void)head;
    (void)ret_exchange;
    reply->status = 308;
    reply->constant = "";
    tqd_answer_header(reply, "Location", "/docs/guide/");
    return false;
}

const tqd_handler tqd_guide_handler = {.open = open_file};
const tqd_handler tqd_guide_folder_handler = {.open = open_folder};
