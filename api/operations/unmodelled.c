/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/unmodelled.c - refusal of robots with drag or tendons, by operations that
 * do not model these, and of payloads on links that are carried. */
#include "api/operations/unmodelled.h"

#include "api/robots/parsed.h"

bool tqa_all_modelled(const tqa_value *root, const char *what)
{
    if (root->tree->robot->model->n_tendon > 0) {
        return tqa_value_refuse(root, "invalid-robot",
                                "take \"tendons\" out of the robot's document",
                                "the robot has tendon \"%.64s\", and %s would be without",
                                root->tree->robot->tendon_names[0], what);
    }
    const char *link = tqa_robot_dragged(root->tree->robot);
    return link == NULL ||
           tqa_value_refuse(root, "invalid-robot", "take \"medium\" out of the robot's document",
                            "a medium drags link \"%.64s\", and %s would be without", link, what);
}

bool tqa_payload_weighs(const tqa_value *where, uint32_t link)
{
    const tqa_robot *robot = where->tree->robot;
    return robot->model->links[link].gravity_compensation == 0.0 ||
           tqa_value_refuse(where, "invalid-robot",
                            "set its gravity_compensation to 0, or name a link without",
                            "gravity compensation of link \"%.64s\" would carry the payload too",
                            robot->link_names[link]);
}
