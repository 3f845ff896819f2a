/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/surgery/patch.c - the list of operations on a robot, and the document that results.
 * */
#include <assert.h>
#include <string.h>

#include "api/robots/surgery/surgery.h"

static const struct {
    const char *name;
    tqa_surgery_operation *run;
} operations[] = {
    {"joint", tqa_surgery_change_joint}, {"link", tqa_surgery_change_link},
    {"gravity", tqa_surgery_gravity},    {"payload", tqa_surgery_payload},
    {"lock", tqa_surgery_lock},          {"root", tqa_surgery_reroot},
    {"subchain", tqa_surgery_subchain},  {"join", tqa_surgery_join},
    {"medium", tqa_surgery_medium},      {"tendon", tqa_surgery_change_tendon},
};

/* A copy of the robot that can be changed. False: a fault was added. */
static bool open_up(tqa_surgery *s)
{
    const tqa_robot *robot = s->from;
    const tq_model *model = robot->model;
    memcpy(s->draft->model.gravity, model->gravity, sizeof model->gravity);
    s->draft->model.medium = model->medium;
    s->actuated = robot->actuated;
    s->n_row = model->nv;
    for (uint32_t l = 0; l < model->n_link; l++) {
        if (tqa_surgery_link(s, robot->link_names[l]) == TQ_NONE) {
            return false;
        }
        s->links[l] = model->links[l];
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (tqa_surgery_joint(s, robot->joint_names[j], 0, 0) == TQ_NONE) {
            return false;
        }
        s->joints[j] = model->joints[j];
        if (robot->drives != NULL) {
            s->drives[j] = robot->drives[j];
        }
    }
    return tqa_surgery_add_tendons(s, robot, 0, 0, "");
}

static bool operate(tqa_surgery *s, const tqa_json_at *op)
{
    const tqa_json_at word = tqa_json_field(op, "op");
    const char *name = json_string_value(word.value);
    if (!tqa_json_is_object(op) || !tqa_surgery_index(s)) {
        return false;
    }
    for (size_t k = 0; k < sizeof operations / sizeof operations[0] && name != NULL; k++) {
        if (strcmp(operations[k].name, name) == 0) {
            return operations[k].run(s, op) && s->draft->problem->status == 0;
        }
    }
    static const char *const of_joint[] = {"friction", "damping", "limits", "rotor", "spring"};
    static const char *const of_link[] = {"mass", "inertia", "com", "gravity_compensation"};
    const char *hint =
        "op is one of: joint, link, gravity, medium, tendon, payload, lock, root, subchain, join";
    for (size_t k = 0; name != NULL && k < sizeof of_joint / sizeof of_joint[0]; k++) {
        hint = strcmp(name, of_joint[k]) == 0
                   ? "write {\"op\": \"joint\", \"joint\": its name, and the fields to set}"
                   : hint;
    }
    for (size_t k = 0; name != NULL && k < sizeof of_link / sizeof of_link[0]; k++) {
        hint = strcmp(name, of_link[k]) == 0
                   ? "write {\"op\": \"link\", \"link\": its name, and the fields to set}"
                   : hint;
    }
    tqa_draft_fault(s->draft, name == NULL ? "missing-field" : "invalid-value", word.pointer, hint,
                    "unknown operation \"%.40s\"", name != NULL ? name : "");
    return false;
}

static bool operate_all(tqa_surgery *s, const tqa_json_at *root)
{
    static const char *const known[] = {"operations", NULL};
    static const char *const nothing[] = {NULL};
    const tqa_json_at list = tqa_json_field(root, "operations");
    if (list.value == NULL && tqa_json_field(root, "op").value != NULL) {
        return operate(s, root) && tqa_surgery_index(s); /* one alone needs no list */
    }
    if (list.value == NULL) {
        tqa_draft_fault(
            s->draft, "missing-field", list.pointer,
            "add \"operations\": [{\"op\": \"joint\", \"joint\": its name, \"damping\": "
            "0.1}]; other ops: link, gravity, medium, tendon, payload, lock, root, "
            "subchain, join",
            "a change is a list of operations");
        return false;
    }
    tqa_json_fields(root, known, nothing);
    if (s->draft->problem->status != 0 || !tqa_json_is_array(&list)) {
        return false;
    }
    const size_t n = json_array_size(list.value);
    if (n == 0 || n > TQA_SURGERY_OPERATION_MAX) {
        tqa_draft_fault(s->draft, n == 0 ? "invalid-value" : "too-large", list.pointer,
                        "1 to 256 operations", "there are %zu", n);
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_json_at op = tqa_json_item(&list, k);
        if (!operate(s, &op)) {
            return false;
        }
    }
    return tqa_surgery_index(s);
}

static char *print(const tqa_surgery *s, const char *name, size_t *ret_n)
{
    const tq_model model = {.n_link = s->n_link,
                            .n_joint = s->n_joint,
                            .links = s->links,
                            .joints = s->joints,
                            .gravity = {s->draft->model.gravity[0], s->draft->model.gravity[1],
                                        s->draft->model.gravity[2]},
                            .n_tendon = s->draft->model.n_tendon,
                            .n_share = s->draft->model.n_share,
                            .n_point = s->draft->model.n_point,
                            .tendons = s->draft->model.tendons,
                            .shares = s->draft->model.shares,
                            .points = s->draft->model.points,
                            .medium = s->draft->model.medium,
                            .root = tqa_surgery_root(s),
                            .nq = s->from->model->nq,
                            .nv = s->from->model->nv};
    tqa_robot robot = *s->from;
    robot.model = &model;
    robot.link_names = s->link_names;
    robot.joint_names = s->joint_names;
    robot.tendon_names = s->draft->tendon_names;
    robot.joint_rpy = NULL;
    robot.drives = s->drives;
    robot.actuated = s->actuated;
    return tqa_robot_document(&robot, name, ret_n);
}

char *tqa_robot_patch(const tqa_robot *robot, const char *name, const char *patch, size_t n,
                      const tqa_robot_others *others, size_t *ret_n, tqa_problem *reterr)
{
    assert(robot != NULL && reterr != NULL);
    reterr->status = 0;
    reterr->n_fault = 0;
    tqa_arena *arena = tqa_arena_new(TQA_SURGERY_ARENA);
    if (arena == NULL) {
        tqa_problem_set(reterr, "busy", "memory is short");
        return NULL;
    }
    tqa_draft draft = {.arena = arena, .problem = reterr, .name = "", .source = "", .prefix = ""};
    tqa_surgery s = {.draft = &draft, .from = robot, .others = others};
    char *text = NULL;
    json_t *root = tqa_json_load(&draft, patch, n, "a change",
                                 "write {\"operations\": [...]}, each with its \"op\"");
    const tqa_json_at at = {.draft = &draft, .value = root, .pointer = ""};
    if (root != NULL && open_up(&s) && operate_all(&s, &at)) {
        text = print(&s, name, ret_n);
    }
    json_decref(root);
    if (text == NULL && (reterr->status == 0 || tqa_arena_short(arena))) {
        tqa_problem_set(reterr, "busy", "memory is short");
    }
    tqa_arena_free(arena);
    return text;
}
