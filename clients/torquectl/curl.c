/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/curl.c - the functions of libcurl that libtqc calls, out of the loaded library.
 */
#include "clients/torquectl/curl.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* a macro that compares types of a call; here is the function itself */
#undef curl_easy_setopt

#define CURL_FUNCTIONS(X)                                                                          \
    X(curl_easy_init)                                                                              \
    X(curl_easy_cleanup)                                                                           \
    X(curl_easy_setopt)                                                                            \
    X(curl_easy_perform)                                                                           \
    X(curl_easy_strerror)                                                                          \
    X(curl_slist_append)                                                                           \
    X(curl_slist_free_all)

#define CURL_MEMBER(name) __typeof__(&(name)) name##_;
#define CURL_SYMBOL(name) {#name, &loaded.name##_},

static struct {
    CURL_FUNCTIONS(CURL_MEMBER)
    bool is_whole;
} loaded;

static const struct {
    const char *name;
    void *place;
} symbols[] = {CURL_FUNCTIONS(CURL_SYMBOL)};

static bool refuse(tqc_error *error, const char *why)
{
    memset(error, 0, sizeof *error);
    error->code = TQC_NO_MEMORY; /* tqc_open's own where libcurl does not start */
    (void)snprintf(error->detail, sizeof error->detail,
                   "requests need libcurl: %.200s (Debian: libcurl3-gnutls)", why);
    return false;
}

bool ctl_load_curl(tqc_error *error)
{
    /* the same interface over GnuTLS, as Debian names that build, and over another TLS library */
    static const char *const names[] = {"libcurl-gnutls.so.4", "libcurl.so.4"};
    const size_t n_name = sizeof names / sizeof names[0];
    void *library = NULL;
    if (loaded.is_whole) {
        return true;
    }
    for (size_t i = 0; i < n_name && library == NULL; i++) {
        /* never unloaded: its TLS library has handlers for the end of the process */
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    if (library == NULL) {
        return refuse(error, dlerror());
    }
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (symbol == NULL) {
            return refuse(error, dlerror());
        }
        memcpy(symbols[i].place, &symbol, sizeof symbol);
    }
    loaded.is_whole = true;
    return true;
}

/* ------------------------------------------------------------- what libtqc finds by these names */

CURL *curl_easy_init(void)
{
    return loaded.curl_easy_init_();
}

void curl_easy_cleanup(CURL *curl)
{
    if (curl != NULL) {
        loaded.curl_easy_cleanup_(curl);
    }
}

CURLcode curl_easy_setopt(CURL *curl, CURLoption option, ...)
{
    CURLcode code = CURLE_UNKNOWN_OPTION;
    va_list value;
    va_start(value, option);
    switch (option / 10000 * 10000) { /* an option's number says the type of its value */
    case CURLOPTTYPE_LONG:
        code = loaded.curl_easy_setopt_(curl, option, va_arg(value, long));
        break;
    case CURLOPTTYPE_OBJECTPOINT:
        code = loaded.curl_easy_setopt_(curl, option, va_arg(value, void *));
        break;
    case CURLOPTTYPE_FUNCTIONPOINT:
        code = loaded.curl_easy_setopt_(curl, option, va_arg(value, void (*)(void)));
        break;
    case CURLOPTTYPE_OFF_T:
        code = loaded.curl_easy_setopt_(curl, option, va_arg(value, curl_off_t));
        break;
    default:
        break;
    }
    va_end(value);
    return code;
}

CURLcode curl_easy_perform(CURL *curl)
{
    return loaded.curl_easy_perform_(curl);
}

const char *curl_easy_strerror(CURLcode code)
{
    return loaded.curl_easy_strerror_(code);
}

struct curl_slist *curl_slist_append(struct curl_slist *list, const char *line)
{
    return loaded.curl_slist_append_(list, line);
}

void curl_slist_free_all(struct curl_slist *list)
{
    loaded.curl_slist_free_all_(list);
}
