/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/index.h - GET /: an overview. */
#ifndef TQD_SERVICE_INDEX_H
#define TQD_SERVICE_INDEX_H

#include "daemon/service/page.h"

/* The two forms, for tqd_page_prepare. */
void tqd_index_pages(tqd_page *ret_json, tqd_page *ret_html);

#endif
