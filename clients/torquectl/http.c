/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/http.c - one request and its answer, by libcurl. */
#include "clients/torquectl/http.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { URL_BYTES = 2048, TOKEN_BYTES = 512, ANSWER_MAX = 256 << 20 };

typedef struct transfer {
    CURL *curl;
    FILE *download;
    tqc_answer *answer;
} transfer;

static size_t take(char *bytes, size_t one, size_t n, void *ctx)
{
    transfer *t = ctx;
    tqc_answer *answer = t->answer;
    long status = 0;
    n *= one;
    curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
    if (t->download != NULL && status / 100 == 2) {
        return fwrite(bytes, 1, n, t->download);
    }
    char *grown =
        answer->n_body + n < ANSWER_MAX ? realloc(answer->body, answer->n_body + n + 1) : NULL;
    if (grown == NULL) {
        return 0;
    }
    memcpy(grown + answer->n_body, bytes, n);
    answer->body = grown;
    answer->n_body += n;
    grown[answer->n_body] = '\0';
    return n;
}

/* the token's first line; false with a reason */
static bool add_token(struct curl_slist **headers, const char *path, char *reason)
{
    char line[TOKEN_BYTES + 32] = "Authorization: Bearer ";
    const size_t n = strlen(line);
    FILE *file = fopen(path, "re");
    const bool good = file != NULL && fgets(line + n, TOKEN_BYTES, file) != NULL;
    if (file != NULL) {
        fclose(file);
    }
    if (!good) {
        snprintf(reason, CURL_ERROR_SIZE, "%s: no token can be read", path);
        return false;
    }
    line[strcspn(line, "\r\n")] = '\0';
    *headers = curl_slist_append(*headers, line);
    return true;
}

static void set_address(CURL *curl, const tqc_server *server, const char *path)
{
    char url[URL_BYTES];
    if (strncmp(server->url, "unix:", 5) == 0) {
        curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, server->url + 5);
        snprintf(url, sizeof url, "http://localhost%s", path);
    } else {
        const size_t n = strlen(server->url);
        snprintf(url, sizeof url, "%.*s%s", (int)(n > 0 && server->url[n - 1] == '/' ? n - 1 : n),
                 server->url, path);
    }
    curl_easy_setopt(curl, CURLOPT_URL, url);
}

static void set_upload(CURL *curl, FILE *upload)
{
    struct stat facts;
    curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl, CURLOPT_READDATA, upload);
    if (fstat(fileno(upload), &facts) == 0 && S_ISREG(facts.st_mode)) {
        curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)facts.st_size);
    }
}

void tqc_send(const tqc_server *server, const tqc_request *request, tqc_answer *ret_answer)
{
    memset(ret_answer, 0, sizeof *ret_answer);
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = NULL;
    char accept[128];
    transfer t = {curl, request->download, ret_answer};
    ret_answer->code = CURLE_FAILED_INIT;
    if (curl == NULL) {
        snprintf(ret_answer->reason, sizeof ret_answer->reason, "libcurl does not start");
        return;
    }
    snprintf(accept, sizeof accept, "Accept: %s",
             request->accept != NULL ? request->accept : "application/json");
    headers = curl_slist_append(headers, accept);
    if (server->token_file == NULL || add_token(&headers, server->token_file, ret_answer->reason)) {
        set_address(curl, server, request->path);
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
        if (request->upload != NULL) {
            set_upload(curl, request->upload);
        } else if (strcmp(request->method, "POST") == 0) {
            curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "");
        }
        curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, &t);
        curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, ret_answer->reason);
        curl_easy_setopt(curl, CURLOPT_TIMEOUT, server->timeout_s);
        curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(curl, CURLOPT_PROXY, "");
        ret_answer->code = curl_easy_perform(curl);
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &ret_answer->status);
        if (ret_answer->code != CURLE_OK && ret_answer->reason[0] == '\0') {
            snprintf(ret_answer->reason, sizeof ret_answer->reason, "%s",
                     curl_easy_strerror(ret_answer->code));
        }
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
}

void tqc_answer_clear(tqc_answer *answer)
{
    free(answer->body);
    memset(answer, 0, sizeof *answer);
}
