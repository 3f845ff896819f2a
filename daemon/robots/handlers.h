/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/robots/handlers.h - GET, PUT, DELETE and PATCH of /v1/robots. */
#ifndef TQD_ROBOTS_HANDLERS_H
#define TQD_ROBOTS_HANDLERS_H

#include "daemon/http/exchange.h"
#include "daemon/robots/registry.h"

/* Routes: GET and HEAD /v1/robots; GET and HEAD /v1/robots/{name}, where the name may be
 * "name@digest"; PUT, DELETE and PATCH /v1/robots/{name}. The context of each is a tqd_registry. */
enum { TQD_ROBOT_ROUTES = 7, TQD_ROBOT_PATCH_MAX = 1 << 20 };

/* Writes the routes into `routes`. */
void tqd_robot_routes(tqd_registry *registry, tqd_route routes[TQD_ROBOT_ROUTES]);

#endif
