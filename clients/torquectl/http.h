/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/http.h - one request and its answer, by libcurl. */
#ifndef TORQUECTL_HTTP_H
#define TORQUECTL_HTTP_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>

/* Options of every request. */
typedef struct tqc_server {
    const char *url;        /* http://..., https://... or unix:PATH */
    const char *token_file; /* NULL: no credentials */
    long timeout_s;         /* 0: none */
} tqc_server;

typedef struct tqc_request {
    const char *method;
    const char *path;
    FILE *upload;       /* body, of any length; NULL: none */
    FILE *download;     /* receives the body of a 2xx; NULL: it goes into the answer */
    const char *accept; /* NULL: application/json */
} tqc_request;

typedef struct tqc_answer {
    CURLcode code;
    long status; /* 0 without an answer */
    char *body;  /* NUL-terminated; tqc_answer_clear frees it */
    size_t n_body;
    char reason[CURL_ERROR_SIZE]; /* "" unless there is no answer */
} tqc_answer;

void tqc_send(const tqc_server *server, const tqc_request *request, tqc_answer *ret_answer);
void tqc_answer_clear(tqc_answer *answer);

#endif
