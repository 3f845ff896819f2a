/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/builtin.h - a built-in robot, parsed. */
#ifndef TQT_BUILTIN_H
#define TQT_BUILTIN_H

#include "api/robot.h"

/* Ends the test when there is none of this name or it does not parse. */
tqa_robot *tqt_builtin(const char *name);

#endif
