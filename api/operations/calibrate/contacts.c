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

/* Torques that forces on the listed links leave; NULL: the problem is set. */
static bool *read_links(const tqa_calibration *c, const tqa_value *part)
{
    const tqa_robot *robot = c->tree->robot;
    bool *used = tqa_tree_take(c->tree, robot->model->nv, sizeof *used);
    size_t n = 0;
    if (used == NULL || !tqa_value_array(part, 0, robot->model->n_link, &n)) {
        return NULL;
    }
    memset(used, 1, robot->model->nv * sizeof *used);
    for (size_t k = 0; k < n; k++) {
        const tqa_value item = tqa_value_item(part, k);
        const char *name = json_string_value(item.value);
        if (name == NULL) {
            (void)tqa_value_refuse(&item, "wrong-type", "the name of a link in quotes",
                                   "expected the name of a link");
            return NULL;
        }
        const uint32_t link = tqa_robot_link(robot, name, strlen(name));
        if (link == TQ_NONE) {
            (void)tqa_value_refuse(&item, "unknown-name", "one of the robot's links",
                                   "\"%.64s\" is no link of the robot", name);
            return NULL;
        }
        leave_out(robot->model, link, used);
    }
    return used;
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

static bool check_base(const tqa_calibration *c, const tqa_value *part)
{
    return c->request.base != TQ_NONE ||
           tqa_value_refuse(part, "invalid-value",
                            "leave it out; of an arm in contact, leave those \"rows\" out",
                            "\"contacts\" is for a robot with a floating base, and this one "
                            "has none that moves");
}

static bool use(tqa_calibration *c, const tqa_value *part, const bool *used)
{
    if (!is_driven(c->tree->robot->model, c->request.base, used)) {
        return tqa_value_refuse(
            part, "invalid-value",
            "name only the links that something touched; a log of the robot in flight has none",
            "no joint is left whose torque is free of the forces of contact");
    }
    c->options.fit.model.row_is_used = used;
    c->request.torque_is_used = used;
    return true;
}

/* A dataset states its own. */
static bool has_own(const tqa_calibration *c)
{
    static const char *const lists[] = {"datasets", "validate"};
    const tqa_value root = tqa_value_root(c->tree);
    for (unsigned k = 0; k < 2; k++) {
        const tqa_value list = tqa_value_field(&root, lists[k]);
        const size_t n = json_is_array(list.value) ? json_array_size(list.value) : 0;
        for (size_t i = 0; i < n; i++) {
            if (json_object_get(json_array_get(list.value, i), "contacts") != NULL) {
                return true;
            }
        }
    }
    return false;
}

bool tqa_calibration_read_contacts(tqa_calibration *c)
{
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value part = tqa_value_field(&root, "contacts");
    c->request.takes_contacts = true;
    if (!tqa_wrench_columns_read(&root, &c->request)) {
        return false;
    }
    c->has_own_contacts = has_own(c);
    /* all that touched the robot is then known but for what `contacts` names */
    const bool is_known = c->request.n_wrench > 0 && c->request.base != TQ_NONE;
    c->request.has_contacts = part.value != NULL || is_known || c->has_own_contacts;
    if (part.value == NULL) {
        return true;
    }
    const bool *used = check_base(c, &part) ? read_links(c, &part) : NULL;
    if (used == NULL) {
        return false;
    }
    if (c->has_own_contacts) { /* of the datasets that do not */
        c->request.torque_is_used = used;
        return true;
    }
    return use(c, &part, used);
}

bool tqa_calibration_read_own_contacts(tqa_calibration *c, size_t i)
{
    static const tqa_value nothing = {0};
    tqa_recording *log = &c->logs[i];
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value of_all = tqa_value_field(&root, "contacts");
    const tqa_value own =
        json_is_object(log->part.value) ? tqa_value_field(&log->part, "contacts") : nothing;
    if (!c->has_own_contacts) {
        return true;
    }
    if (own.value == NULL && of_all.value == NULL && c->request.n_wrench == 0) {
        return tqa_value_refuse(&log->part, "missing-field",
                                "add \"contacts\" to it: the links that something touched, or []",
                                "other datasets state their \"contacts\"");
    }
    if (own.value != NULL) {
        log->torque_is_used = check_base(c, &own) ? read_links(c, &own) : NULL;
        return log->torque_is_used != NULL;
    }
    if (of_all.value != NULL) {
        log->torque_is_used = c->request.torque_is_used;
        return true;
    }
    bool *all = tqa_tree_take(c->tree, c->tree->robot->model->nv, sizeof *all);
    if (all != NULL) {
        memset(all, 1, c->tree->robot->model->nv * sizeof *all);
    }
    log->torque_is_used = all;
    return all != NULL;
}

bool tqa_calibration_join_contacts(tqa_calibration *c)
{
    const size_t nv = c->tree->robot->model->nv;
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value datasets = tqa_value_field(&root, "datasets");
    if (!c->has_own_contacts) {
        return true;
    }
    bool *used = tqa_tree_take(c->tree, nv, sizeof *used);
    for (size_t i = 0; used != NULL && i < c->n_fitted; i++) {
        for (size_t r = 0; r < nv; r++) {
            used[r] = used[r] || c->logs[i].torque_is_used[r];
        }
    }
    return used != NULL && use(c, &datasets, used);
}

/* torques of the joints of the robot that are not used, by joint */
static void put_left_out(const tqa_calibration *c, const bool *used)
{
    tqa_writer *answer = c->tree->answer;
    uint32_t before = TQ_NONE;
    tqa_writer_list(answer, "torques_left_out");
    for (size_t r = 0; r < c->order.nv; r++) {
        const uint32_t v = c->order.v[r];
        const uint32_t j = tqa_calibration_joint(c, v);
        if (used != NULL && !used[v] && j != before) {
            tqa_writer_string(answer, NULL, c->tree->robot->joint_names[j]);
            before = j;
        }
    }
    tqa_writer_end(answer);
}

void tqa_calibration_put_own_contacts(const tqa_calibration *c, size_t i)
{
    if (c->has_own_contacts) {
        put_left_out(c, c->logs[i].torque_is_used);
    }
}

bool tqa_calibration_judges(const tqa_calibration *c, size_t v)
{
    return c->request.torque_is_used == NULL || c->request.torque_is_used[v];
}

void tqa_calibration_put_contacts(const tqa_calibration *c)
{
    if (c->request.has_contacts) {
        put_left_out(c, c->request.torque_is_used);
    }
}
