/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/request.h - one request and its answer, by libtqc. */
#ifndef TORQUECTL_REQUEST_H
#define TORQUECTL_REQUEST_H

#include "clients/torquectl/ctl.h"

typedef struct ctl_request {
    const char *method, *path;
    const char *accept; /* NULL: application/json */
    const char *content_type;
    const char *body; /* in memory, or: */
    size_t n_body;
    FILE *upload;
    const char *upload_name; /* of its file, for --curl */
    FILE *download;          /* takes the body of a 2xx; NULL: it goes into the answer */
    tqc_write *take;         /* or this takes it, as it comes; such an answer is not sent again */
    void *take_ctx;
    const char *last_event_id;
    tqc_stop *is_stopped; /* asked about once a second; NULL: never */
    void *stop_ctx;
    const char *prefer, *key;
    bool is_repeatable; /* a POST that makes nothing: again after a lost connection */
} ctl_request;

typedef struct ctl_answer {
    tqc_code code;
    tqc_error error;
    tqc_answer head;
    char *body; /* NUL-terminated, of 2xx; ctl_answer_clear frees it */
    size_t n_body;
} ctl_answer;

/* False: no answer 2xx, or --curl (code TQC_STOPPED): ctl_report says why and gives the status. */
bool ctl_send(ctl *c, const ctl_request *request, ctl_answer *ret_answer);
int ctl_report(const ctl *c, const ctl_answer *answer);
void ctl_answer_clear(ctl_answer *answer);

/* "/v1/robots/%s" with a name or id in it. False, with the fault said: it cannot be one. */
bool ctl_fill(const ctl *c, char path[CTL_PATH], const char *pattern, const char *name);

#endif
