/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/session.h - exchanges a token for a session cookie or a ticket, for requests of
 * browsers without an Authorization header. */
#ifndef TQD_SERVICE_SESSION_H
#define TQD_SERVICE_SESSION_H

#include "daemon/http/exchange.h"

/* POST and DELETE /v1/session, POST /v1/tickets; their context is a tqd_sessions. */
extern const tqd_handler tqd_session_begin_handler, tqd_session_end_handler, tqd_ticket_handler;

#endif
