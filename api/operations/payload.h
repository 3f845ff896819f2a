/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/payload.h - `payload`: a body fixed to a link for one request. */
#ifndef TQA_OPERATIONS_PAYLOAD_H
#define TQA_OPERATIONS_PAYLOAD_H

#include "api/operations/call.h"

/* Makes the call's own mechanism when the robot's will not do: with a payload, whose inertia is
 * added to the link's, and for matrices without rotors. False: the problem is set. */
bool tqa_payload_attach(tqa_call *call);

#endif
