/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/curl.h - libcurl, loaded at the first request: linked, it brings 30 shared
 * libraries (TLS, Kerberos, LDAP), which the loader takes longer for than help and completion
 * take as a whole. */
#ifndef CTL_CURL_H
#define CTL_CURL_H

#include <stdbool.h>

#include "clients/c/tqc.h"

/* Before the first tqc_open. False: *error says why. Again: true at once. */
bool ctl_load_curl(tqc_error *error);

#endif
