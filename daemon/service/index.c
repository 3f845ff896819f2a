/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/index.c - GET /: where to begin, as JSON or as a page for browsers. */
#include "daemon/service/index.h"

#include <string.h>

#include "api/version.h"

static const char json[] =
    "{\"name\":\"torqued\",\"version\":\"" TQA_VERSION "\",\"links\":{"
    "\"docs\":\"/docs\",\"openapi\":\"/openapi.json\",\"robots\":\"/v1/robots\","
    "\"health\":\"/healthz\"}}\n";

static const char html[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width\"><title>torqued</title>"
    "<style>body{font:16px/1.6 sans-serif;max-width:40em;margin:3em auto;padding:0 1em}</style>"
    "</head>\n<body><h1>torqued " TQA_VERSION "</h1>\n"
    "<p>Robot dynamics, simulation and calibration over HTTP.</p>\n<ul>\n"
    "<li><a href=\"/docs\">Documentation</a>: every call, with examples to send</li>\n"
    "<li><a href=\"/openapi.json\">OpenAPI</a>: the contract, for generators of clients</li>\n"
    "<li><a href=\"/v1/robots\">Robots</a>: built-in ones and those sent here</li>\n"
    "<li><a href=\"/healthz\">Health</a></li>\n</ul></body></html>\n";

void tqd_index_pages(tqd_page *ret_json, tqd_page *ret_html)
{
    *ret_json =
        (tqd_page){.media = "application/json", .text = json, .n = strlen(json), .vary = "Accept"};
    *ret_html = (tqd_page){.media = "text/html; charset=utf-8",
                           .text = html,
                           .n = strlen(html),
                           .vary = "Accept",
                           .policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri "
                                     "'none'; form-action 'none'; frame-ancestors 'none'"};
}
