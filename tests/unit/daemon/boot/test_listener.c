/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/boot/test_listener.c - addresses that the setting listen takes, and refuses. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "daemon/boot/listener.h"

/* clang-format off */
static const struct {
    const char *text;
    bool guarded, good;
    const char *why; /* a part of it */
} addresses[] = {
    {"127.0.0.1:0",        false, true,  NULL},
    {"127.0.0.1:9999",     false, true,  NULL},
    {"127.0.0.1:10000",    false, true,  NULL}, /* as many digits as a port may have */
    {"127.0.0.1:65535",    false, true,  NULL},
    {"127.0.0.1:65536",    false, false, "HOST:PORT"},
    {"127.0.0.1:99999",    false, false, "HOST:PORT"},
    {"127.0.0.1:100000",   false, false, "HOST:PORT"},
    {"127.0.0.1:008420",   false, false, "HOST:PORT"},
    {"127.0.0.1:84x0",     false, false, "HOST:PORT"},
    {"127.0.0.1:-1",       false, false, "HOST:PORT"},
    {"127.0.0.1:",         false, false, "HOST:PORT"},
    {"127.0.0.1",          false, false, "HOST:PORT"},
    {":8420",              false, false, "HOST:PORT"},
    {"",                   false, false, "HOST:PORT"},
    {"127.8.9.10:8420",    false, true,  NULL},
    {"[::1]:54321",        false, true,  NULL},
    {"::1:8420",           false, false, "HOST:PORT"},
    {"[::1:8420",          false, false, "HOST:PORT"},
    {"[]:8420",            false, false, "HOST:PORT"},
    {"0.0.0.0:8420",       false, false, "not a loopback"},
    {"0.0.0.0:8420",       true,  true,  NULL},
    {"[::]:8420",          false, false, "not a loopback"},
    {"unix:/run/x",        false, true,  NULL},
    {"unix:",              false, false, "1 to 107 bytes"},
};
/* clang-format on */

TestSuite(listener, .timeout = 60);

Test(listener, addresses_are_taken_or_refused_with_their_reason)
{
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        char why[256] = "";
        const bool good =
            tqd_listener_check(addresses[i].text, addresses[i].guarded, why, sizeof why);
        cr_assert(eq(int, good, addresses[i].good), "\"%s\": %s", addresses[i].text, why);
        if (!good) {
            cr_assert(strstr(why, addresses[i].why) != NULL, "\"%s\": %s", addresses[i].text, why);
        }
    }
}

/* a port of the kernel's choice is in the URL, and by getsockname of each socket */
Test(listener, sockets_share_the_port_of_the_url)
{
    tqd_listener listener;
    char why[256] = "";
    cr_assert(tqd_listener_open(&listener, "127.0.0.1:0", 3, false, why, sizeof why), "%s", why);
    cr_assert(eq(sz, listener.n_socket, (size_t)3));
    for (size_t i = 0; i < listener.n_socket; i++) {
        struct sockaddr_in in;
        socklen_t n = sizeof in;
        char url[64];
        cr_assert(eq(int, getsockname(listener.sockets[i], (struct sockaddr *)&in, &n), 0));
        snprintf(url, sizeof url, "http://127.0.0.1:%u", (unsigned)ntohs(in.sin_port));
        cr_assert(eq(str, listener.url, url));
        /* the same address in words, with however many digits, is taken again */
        cr_assert(tqd_listener_check(strchr(url, '/') + 2, false, why, sizeof why), "%s", why);
    }
    cr_assert(not(listener.is_unix));
    tqd_listener_close(&listener);
}
