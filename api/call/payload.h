/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/payload.h - `payload`: a body fixed to a link for one request. */
#ifndef TQA_CALL_PAYLOAD_H
#define TQA_CALL_PAYLOAD_H

#include "api/call/call.h"

/* Makes the call's own mechanism if it differs from the robot's: with a payload, whose inertia is
   added to the link's, and for matrices without rotors. False: the problem is set. */
bool tqa_payload_attach(tqa_call *call);

#endif
