/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/contacts.c - links that something touched: the torques that their
 * unknown forces enter are left out, and known ones are added to them. */
#include <string.h>

#include "api/operations/calibrate/calibrate.h"
#include "api/recordings/wrenches.h"

/* Rows of the joints between the root and the link. */
static void leave_out(const tq_model *model, uint32_t link, bool *used)
{
    for (uint32_t at = link; model->links[at].joint != TQ_NONE;) {
        const tq_joint *joint = &model->joints[model->links[at].joint];
        const tq_joint *of = joint->mimic != TQ_NONE ? &model->joints[joint->mimic] : joint;
        for (uint32_t k = 0; k < of->nv; k++) {
            used[of->v_index + k] = false;
        }
        at = joint->parent;
    }
}

static bool read_links(tqa_calibration *c, const tqa_value *part, bool *used)
{
    const tqa_robot *robot = c->tree->robot;
    size_t n = 0;
    if (!tqa_value_array(part, 0, robot->model->n_link, &n)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_value item = tqa_value_item(part, k);
        const char *name = json_string_value(item.value);
        if (name == NULL) {
            return tqa_value_refuse(&item, "wrong-type", "the name of a link in quotes",
                                    "expected the name of a link");
        }
        const uint32_t link = tqa_robot_link(robot, name, strlen(name));
        if (link == TQ_NONE) {
            return tqa_value_refuse(&item, "unknown-name", "one of the robot's links",
                                    "\"%.64s\" is no link of the robot", name);
        }
        leave_out(robot->model, link, used);
    }
    c->has_contact = n > 0;
    return true;
}

/* A joint whose torque is measured must be left: it alone sets the scale of the masses. */
static bool is_driven(const tq_model *model, uint32_t base, const bool *used)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (j != base && joint->nv > 0 && used[joint->v_index]) {
            return true;
        }
    }
    return false;
}

bool tqa_calibration_read_contacts(tqa_calibration *c)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value part = tqa_value_field(&root, "contacts");
    const tq_model *model = c->tree->robot->model;
    c->request.takes_contacts = true;
    if (!tqa_wrench_columns_read(&root, &c->request)) {
        return false;
    }
    /* all that touched the robot is then known but for what `contacts` names */
    c->request.has_contacts =
        part.value != NULL || (c->request.n_wrench > 0 && c->request.base != TQ_NONE);
    if (part.value == NULL) {
        return true;
    }
    if (c->request.base == TQ_NONE) {
        return tqa_value_refuse(&part, "invalid-value",
                                "leave it out; of an arm in contact, leave those \"rows\" out",
                                "\"contacts\" is for a robot with a floating base, and this one "
                                "has none that moves");
    }
    bool *used = tqa_tree_take(c->tree, model->nv, sizeof *used);
    if (used == NULL) {
        return false;
    }
    for (size_t r = 0; r < model->nv; r++) {
        used[r] = true;
    }
    if (!read_links(c, &part, used)) {
        return false;
    }
    if (!is_driven(model, c->request.base, used)) {
        return tqa_value_refuse(
            &part, "invalid-value",
            "name only the links that something touched; a log of the robot in flight has none",
            "no joint is left whose torque is free of the forces of contact");
    }
    c->options.fit.model.row_is_used = used;
    c->request.torque_is_used = used;
    return true;
}

bool tqa_calibration_judges(const tqa_calibration *c, size_t v)
{
    return c->request.torque_is_used == NULL || c->request.torque_is_used[v];
}

void tqa_calibration_put_contacts(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    uint32_t before = TQ_NONE;
    if (!c->request.has_contacts) {
        return;
    }
    tqa_writer_list(answer, "torques_left_out");
    for (size_t r = 0; r < c->order.nv; r++) {
        const uint32_t v = c->order.v[r];
        const uint32_t j = tqa_calibration_joint(c, v);
        if (!tqa_calibration_judges(c, v) && j != before) {
            tqa_writer_string(answer, NULL, c->tree->robot->joint_names[j]);
            before = j;
        }
    }
    tqa_writer_end(answer);
}
