/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/guide.h - GET /docs/guide/: the guide, if it was built before the daemon. */
#ifndef TQD_SERVICE_GUIDE_H
#define TQD_SERVICE_GUIDE_H

#include "daemon/service/dashboard.h"

/* The files of build/site (`make docs-site`), as embed.sh writes them; without them only the end of
 * the list. */
extern const tqd_dashboard_file tqd_guide_files[];

bool tqd_guide_is_built(void);
/* Before the server opens. */
void tqd_guide_prepare(void);

/* The page /docs with a link to the guide, for the life of the process. Without a guide, or without
 * memory, it is `docs_html` itself. */
const char *tqd_guide_link(const char *docs_html);

/* /docs/guide/, which is index.html, and its files by name; /docs/guide leads there. */
extern const tqd_handler tqd_guide_handler, tqd_guide_folder_handler;

#endif
