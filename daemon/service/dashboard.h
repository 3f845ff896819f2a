/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/dashboard.h - GET /dashboard/{file}: the page at / and the files it loads. */
#ifndef TQD_SERVICE_DASHBOARD_H
#define TQD_SERVICE_DASHBOARD_H

#include "daemon/service/page.h"

/* A file of clients/dashboard/dist, as embed.sh writes it. */
typedef struct tqd_dashboard_file {
    const char *name; /* NULL: end of the list */
    const char *media;
    size_t n; /* bytes before compression */
    const unsigned char *gzip;
    size_t n_gzip;
} tqd_dashboard_file;

extern const tqd_dashboard_file tqd_dashboard_files[];

/* Prepares all files; returns index.html for GET /. Before the server opens. */
tqd_page tqd_dashboard_index(void);
void tqd_dashboard_prepare(void);

extern const tqd_handler tqd_dashboard_handler;

#endif
