/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/index.c - GET /: an overview, as JSON or as the dashboard. */
#include "daemon/service/index.h"

#include <string.h>

#include "api/version.h"
#include "daemon/service/dashboard.h"

static const char json[] =
    "{\"name\":\"torqued\",\"version\":\"" TQA_VERSION "\",\"links\":{"
    "\"docs\":\"/docs\",\"openapi\":\"/openapi.json\",\"robots\":\"/v1/robots\","
    "\"health\":\"/healthz\"}}\n";

void tqd_index_pages(tqd_page *ret_json, tqd_page *ret_html)
{
    *ret_json =
        (tqd_page){.media = "application/json", .text = json, .n = strlen(json), .vary = "Accept"};
    *ret_html = tqd_dashboard_index();
}
