/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/request_id.h - ULIDs: 48 bits of time, 80 bits that never repeat in a process. */
#ifndef TQD_OBSERVE_REQUEST_ID_H
#define TQD_OBSERVE_REQUEST_ID_H

#include <stdint.h>

enum { TQD_ID_TEXT = 27 }; /* 26 characters of Crockford's base 32 and a NUL */

/* One for each thread. Not secret: an identifier for log lines, not a token. */
typedef struct tqd_id_source {
    uint64_t state;
    uint16_t salt;
    uint64_t encoded_ms; /* time of the last id, */
    char encoded[10];    /* and its digits; unset while the first is NUL */
} tqd_id_source;

/* Seeds from the kernel. */
void tqd_id_source_init(tqd_id_source *source);

/* Writes a new id, sortable by `unix_ms`. Cost: about 30 ns. Checked: tests/unit/daemon/observe. */
void tqd_id_make(tqd_id_source *source, int64_t unix_ms, char ret_text[TQD_ID_TEXT]);

#endif
