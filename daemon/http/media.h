/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/http/media.h - names of media types. */
#ifndef TQD_HTTP_MEDIA_H
#define TQD_HTTP_MEDIA_H

#include "api/media.h"

/* The type that a Content-Type or Accept header names; NONE for NULL and for values without meaning
 * here (wildcards, and the form type that curl -d sends by default), OTHER if unsupported. */
tqa_media tqd_media_find(const char *header);

/* "application/json", ...; octets for a type that has no name. Constant. */
const char *tqd_media_name(tqa_media media);

#endif
