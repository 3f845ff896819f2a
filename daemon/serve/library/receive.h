/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/library/receive.h - what libmicrohttpd receives is read before it reads it. */
#ifndef TQD_SERVE_LIBRARY_RECEIVE_H
#define TQD_SERVE_LIBRARY_RECEIVE_H

#include <stdbool.h>

#include "daemon/http/framing.h"

/* From now on all bytes that recv() takes from this descriptor pass through `framing`; NULL: no
 * more. Bytes from a fault on are not delivered: instead the end of the message comes, so that the
 * request is handled and can be refused, then the connection is reset. Relies on: the dynamic
 * linker resolves recv() of libmicrohttpd to the function of this program. False: the descriptor is
 * not below TQD_RECEIVE_FD_MAX. */
bool tqd_library_frame(int fd, tqd_framing *framing);

enum { TQD_RECEIVE_FD_MAX = 1 << 20 };

#endif
