/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/client.h - a client's memory and connection. */
#ifndef TQC_CLIENT_H
#define TQC_CLIENT_H

#include <curl/curl.h>

#include "clients/c/tqc.h"

enum {
    TQCI_PROBLEM_BYTES = 64 << 10,
    TQCI_TOKEN_BYTES = 512,
    TQCI_ADDRESS_BYTES = 1024,
    TQCI_PATH_BYTES = 1024,
};

struct tqc_client {
    CURL *curl;
    char
        address[TQCI_ADDRESS_BYTES]; /* without a / at its end; of a Unix socket http://localhost */
    char socket_path[TQCI_ADDRESS_BYTES];      /* "" over TCP */
    char authorization[TQCI_TOKEN_BYTES + 32]; /* header; "" without a token */
    char name[96];                             /* header; "" without */
    char reason[CURL_ERROR_SIZE];
    long connect_timeout_ms, timeout_ms;
    int retries;
    size_t n_problem;
    char problem[TQCI_PROBLEM_BYTES + 1]; /* of the last answer other than 2xx */
};

/* The address, token and limits of `options` into a client without a handle. */
tqc_code tqci_configure(tqc_client *client, const tqc_options *options, tqc_error *error);
/* Address, limits and error text of a handle, for a request or for the connection alone. */
void tqci_prepare(tqc_client *client, const char *path);
tqc_code tqci_code_of(CURLcode code);
/* "/v1/robots/NAME/OPERATION"; false if a name cannot be one. */
int tqci_path(char path[TQCI_PATH_BYTES], const char *robot, const char *operation);

#endif
