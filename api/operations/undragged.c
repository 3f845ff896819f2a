/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/undragged.c - refusal of robots that a medium drags, by operations without drag.
 */
#include "api/operations/undragged.h"

#include "api/robots/parsed.h"

bool tqa_undragged(const tqa_value *root, const char *what)
{
    const char *link = tqa_robot_dragged(root->tree->robot);
    return link == NULL ||
           tqa_value_refuse(root, "invalid-robot", "take \"medium\" out of the robot's document",
                            "a medium drags link \"%.64s\", and %s would be without", link, what);
}
