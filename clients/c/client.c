/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/client.c - makes a client: address, token, time limits. */
#include "clients/c/client.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "clients/c/error.h"

static tqc_code take_address(tqc_client *client, const char *address, tqc_error *error)
{
    const char *environment = getenv("TORQUED_URL");
    if (address == NULL || address[0] == '\0') {
        address =
            environment != NULL && environment[0] != '\0' ? environment : "http://127.0.0.1:8420";
    }
    size_t n = strlen(address);
    if (n >= TQCI_ADDRESS_BYTES) {
        return tqci_fail(error, TQC_BAD_ARGUMENT, "the address is too long");
    }
    if (strncmp(address, "unix:", 5) == 0) {
        memcpy(client->socket_path, address + 5, n - 4);
        memcpy(client->address, "http://localhost", sizeof "http://localhost");
        return TQC_OK;
    }
    if (strncmp(address, "http://", 7) != 0 && strncmp(address, "https://", 8) != 0) {
        return tqci_fail(error, TQC_BAD_ARGUMENT,
                         "\"%.200s\" is no address: http://HOST:PORT, https://HOST:PORT, unix:PATH",
                         address);
    }
    n -= address[n - 1] == '/';
    memcpy(client->address, address, n);
    client->address[n] = '\0';
    return TQC_OK;
}

/* A token is one line of visible ASCII (RFC 6750); another one could add headers. */
static tqc_code take_token(tqc_client *client, const tqc_options *options, tqc_error *error)
{
    char line[TQCI_TOKEN_BYTES] = "";
    if (options->token_file != NULL) {
        FILE *file = fopen(options->token_file, "re");
        const bool good = file != NULL && fgets(line, sizeof line, file) != NULL;
        if (file != NULL) {
            (void)fclose(file);
        }
        line[strcspn(line, "\r\n")] = '\0';
        if (!good || line[0] == '\0') {
            return tqci_fail(error, TQC_BAD_ARGUMENT, "%.300s: no token can be read",
                             options->token_file);
        }
    } else if (options->token != NULL) {
        if (strlen(options->token) >= sizeof line) {
            return tqci_fail(error, TQC_BAD_ARGUMENT, "the token is too long");
        }
        memcpy(line, options->token, strlen(options->token) + 1);
    } else {
        return TQC_OK;
    }
    for (const char *c = line; *c != '\0'; c++) {
        if (*c < 0x21 || *c > 0x7e) {
            return tqci_fail(error, TQC_BAD_ARGUMENT,
                             "the token has a character that none can have");
        }
    }
    (void)snprintf(client->authorization, sizeof client->authorization, "Authorization: Bearer %s",
                   line);
    return TQC_OK;
}

tqc_code tqci_configure(tqc_client *client, const tqc_options *options, tqc_error *error)
{
    static const tqc_options none;
    options = options != NULL ? options : &none;
    client->connect_timeout_ms =
        options->connect_timeout_ms > 0 ? options->connect_timeout_ms : 10000;
    client->timeout_ms = options->timeout_ms;
    client->retries = options->retries;
    if (options->client != NULL) {
        if (strlen(options->client) > 64 || strpbrk(options->client, "\r\n") != NULL) {
            return tqci_fail(error, TQC_BAD_ARGUMENT, "the name of the client is too long");
        }
        (void)snprintf(client->name, sizeof client->name, "Torqued-Client: %s", options->client);
    }
    const tqc_code code = take_address(client, options->address, error);
    return code == TQC_OK ? take_token(client, options, error) : code;
}

void tqci_prepare(tqc_client *client, const char *path)
{
    CURL *curl = client->curl;
    char url[TQCI_ADDRESS_BYTES + TQCI_PATH_BYTES];
    (void)snprintf(url, sizeof url, "%s%s", client->address, path);
    client->reason[0] = '\0';
    curl_easy_setopt(curl, CURLOPT_URL, url); /* libcurl copies it */
    curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH,
                     client->socket_path[0] != '\0' ? client->socket_path : NULL);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, client->reason);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, client->connect_timeout_ms);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
}

tqc_code tqci_code_of(CURLcode code)
{
    switch ((int)code) { /* libcurl adds codes */
    case CURLE_OK:
        return TQC_OK;
    case CURLE_OPERATION_TIMEDOUT:
        return TQC_TIMEOUT;
    case CURLE_OUT_OF_MEMORY:
        return TQC_NO_MEMORY;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
        return TQC_UNREACHABLE;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
        return TQC_BAD_ARGUMENT;
    case CURLE_ABORTED_BY_CALLBACK:
        return TQC_STOPPED;
    default:
        return TQC_BROKEN;
    }
}

int tqci_path(char path[TQCI_PATH_BYTES], const char *robot, const char *operation)
{
    /* names and digests have letters, digits and . _ - @ ; what has others names no robot */
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@";
    if (operation == NULL || operation[0] == '\0' || strspn(operation, good) != strlen(operation) ||
        strlen(operation) > 64) {
        return 0;
    }
    if (robot == NULL) {
        return snprintf(path, TQCI_PATH_BYTES, "/v1/%s", operation) > 0;
    }
    return robot[0] != '\0' && strlen(robot) <= 256 && strspn(robot, good) == strlen(robot) &&
           snprintf(path, TQCI_PATH_BYTES, "/v1/robots/%s/%s", robot, operation) > 0;
}

tqc_client *tqc_open(const tqc_options *options, tqc_error *error)
{
    tqc_client *client = calloc(1, sizeof *client);
    if (client == NULL) {
        (void)tqci_fail(error, TQC_NO_MEMORY, "there is no memory for a client");
        return NULL;
    }
    if (tqci_configure(client, options, error) != TQC_OK) {
        free(client);
        return NULL;
    }
    client->curl = curl_easy_init(); /* curl_global_init at the first one, unless it was called */
    if (client->curl == NULL) {
        (void)tqci_fail(error, TQC_NO_MEMORY, "libcurl does not start");
        free(client);
        return NULL;
    }
    return client;
}

void tqc_close(tqc_client *client)
{
    if (client != NULL) {
        curl_easy_cleanup(client->curl);
        free(client);
    }
}

const char *tqc_problem(const tqc_client *client)
{
    return client->problem;
}

tqc_code tqc_make_key(char key[33])
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return TQC_NOT_UNDERSTOOD;
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        (void)snprintf(key + 2 * i, 3, "%02x", bytes[i]);
    }
    return TQC_OK;
}
