/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/equality.c - <equality> of MJCF: connect, weld, joint as rigid constraints. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/constraint.h"
#include "api/robots/expression.h"
#include "api/robots/mjcf/mjcf.h"
#include "api/robots/mjcf/parts.h"
#include "core/spatial/rotation.h"

enum { CONNECT = 7, WELD = 63, POLYNOMIAL = 5 };

static bool is(const tqa_mjcf *m, uint32_t i, const char *name)
{
    return strcmp(m->nodes[i].name, name) == 0;
}

static bool in_equality(const tqa_mjcf *m, uint32_t i)
{
    const uint32_t parent = m->nodes[i].parent;
    return parent != TQ_NONE && m->nodes[parent].parent == 0 && is(m, parent, "equality");
}

const char *const *tqa_mjcf_equality_known(const tqa_mjcf *m, uint32_t i)
{
    static const char *const connect[] = {"name",  "class",  "active", "body1",
                                          "body2", "anchor", NULL};
    static const char *const weld[] = {"name",  "class",   "active", "body1",
                                       "body2", "relpose", NULL};
    static const char *const joint[] = {"name",   "class",    "active", "joint1",
                                        "joint2", "polycoef", NULL};
    if (!in_equality(m, i) || m->set.no_equality || tqa_mjcf_is(m, i, "active", "false")) {
        return NULL;
    }
    if (is(m, i, "connect") && tqa_mjcf_get(m, i, "body1") != NULL) {
        return connect;
    }
    if (is(m, i, "weld") && tqa_mjcf_get(m, i, "body1") != NULL) {
        return weld;
    }
    return is(m, i, "joint") ? joint : NULL;
}

/* The body of a name; the world when there is none. False: a fault was added. */
static bool find_body(tqa_mjcf *m, uint32_t i, const char *key, uint32_t *ret)
{
    const char *name = tqa_mjcf_get(m, i, key);
    for (uint32_t k = 1; k < m->n_node; k++) {
        const bool world = is(m, k, "worldbody") && m->nodes[k].parent == 0;
        const bool body = is(m, k, "body") && m->nodes[k].link != TQ_NONE;
        const char *own = world ? "world" : body ? tqa_mjcf_get(m, k, "name") : NULL;
        if ((world && name == NULL) || (own != NULL && name != NULL && strcmp(own, name) == 0)) {
            *ret = k;
            return true;
        }
    }
    tqa_mjcf_fault(m, i, "unknown-name", "name a body of this model", "there is no body \"%.80s\"",
                   name != NULL ? name : "");
    return false;
}

/* frame of b as seen from a, where the file has them */
static tq_pose between(tqa_mjcf *m, uint32_t a, uint32_t b)
{
    const tq_pose from = tqa_mjcf_body_pose(m, a), to = tqa_mjcf_body_pose(m, b);
    const tq_pose back = tq_pose_inverse(&from);
    return tq_pose_multiply(&back, &to);
}

static bool read_connect(tqa_mjcf *m, uint32_t i, tq_constraint *ret)
{
    uint32_t a = 0, b = 0;
    double anchor[3];
    if (!find_body(m, i, "body2", &a) || !find_body(m, i, "body1", &b)) {
        return false;
    }
    if (tqa_mjcf_numbers(m, i, "anchor", 3, 3, anchor) != 3) {
        tqa_mjcf_fault(m, i, "missing-field", "add anchor=\"x y z\", in the frame of body1",
                       "the point of the connection is missing");
        return false;
    }
    *ret = (tq_constraint){.kind = TQ_CONSTRAINT_LOOP,
                           .axes = CONNECT,
                           .a = {m->nodes[a].link, tq_pose_identity},
                           .b = {m->nodes[b].link, tq_pose_identity}};
    memcpy(ret->b.pose.p, anchor, sizeof anchor);
    const tq_pose seen = between(m, a, b);
    tq_mat_vec(seen.r, anchor, ret->a.pose.p);
    for (int k = 0; k < 3; k++) {
        ret->a.pose.p[k] += seen.p[k];
    }
    return true;
}

static bool read_weld(tqa_mjcf *m, uint32_t i, tq_constraint *ret)
{
    uint32_t a = 0, b = 0;
    double relpose[7] = {0.0};
    if (!find_body(m, i, "body1", &a) || !find_body(m, i, "body2", &b)) {
        return false;
    }
    *ret = (tq_constraint){.kind = TQ_CONSTRAINT_LOOP,
                           .axes = WELD,
                           .a = {m->nodes[a].link, between(m, a, b)},
                           .b = {m->nodes[b].link, tq_pose_identity}};
    (void)tqa_mjcf_numbers(m, i, "relpose", 7, 7, relpose);
    const double length = sqrt(relpose[3] * relpose[3] + relpose[4] * relpose[4] +
                               relpose[5] * relpose[5] + relpose[6] * relpose[6]);
    if (length > 0.0) { /* of length 0: the pose that the file has */
        const double q[4] = {relpose[3] / length, relpose[4] / length, relpose[5] / length,
                             relpose[6] / length};
        memcpy(ret->a.pose.p, relpose, 3 * sizeof *relpose);
        tq_rotation_from_quaternion(q, ret->a.pose.r);
    }
    return true;
}

static uint32_t find_joint(const void *ctx, const char *name, size_t n)
{
    return tqa_names_find(ctx, name, n);
}

/* the joint's coordinate in the file's reference configuration */
static double reference_of(tqa_mjcf *m, const char *name, uint32_t joint)
{
    double ref = 0.0;
    for (uint32_t k = 1; k < m->n_node; k++) {
        const char *own =
            is(m, k, "joint") && m->nodes[k].owner != TQ_NONE ? tqa_mjcf_get(m, k, "name") : NULL;
        if (own != NULL && strcmp(own, name) == 0) {
            (void)tqa_mjcf_numbers(m, k, "ref", 1, 1, &ref);
        }
    }
    return m->draft->model.joints[joint].kind == TQ_JOINT_PRISMATIC ? ref : ref * m->set.angle;
}

/* y - y0 = c0 + c1 (x - x0) + ... + c4 (x - x0)^4, or y = y0 + c0, as an expression */
static bool read_joint(tqa_mjcf *m, uint32_t i, tq_constraint *ret, tqa_constraint *note)
{
    tqa_draft *draft = m->draft;
    const char *names[2] = {tqa_mjcf_get(m, i, "joint1"), tqa_mjcf_get(m, i, "joint2")};
    double c[POLYNOMIAL] = {0.0, 1.0, 0.0, 0.0, 0.0}, zero[2] = {0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        const uint32_t joint =
            names[k] != NULL ? tqa_names_find(&draft->joints, names[k], strlen(names[k])) : TQ_NONE;
        if ((k == 0 || names[k] != NULL) && joint == TQ_NONE) {
            tqa_mjcf_fault(m, i, "unknown-name", "name a joint of this model",
                           "there is no joint \"%.80s\"", names[k] != NULL ? names[k] : "");
            return false;
        }
        zero[k] = joint != TQ_NONE ? reference_of(m, names[k], joint) : 0.0;
    }
    (void)tqa_mjcf_numbers(m, i, "polycoef", POLYNOMIAL, POLYNOMIAL, c);
    char text[1024], x[200] = "0";
    if (names[1] != NULL) {
        (void)snprintf(x, sizeof x, "('%.120s' - (%.17g))", names[1], zero[1]);
    }
    const int n =
        snprintf(text, sizeof text,
                 "'%.120s' - (%.17g) - (%.17g) - %s*((%.17g) + %s*((%.17g) + %s*((%.17g) + "
                 "%s*(%.17g))))",
                 names[0], zero[0], c[0], x, c[1], x, c[2], x, c[3], x, c[4]);
    tq_instruction room[TQ_EXPRESSION_LENGTH];
    tqa_expression_fault fault = {.at = 0};
    const size_t length =
        tqa_expression_read(text, (size_t)n, find_joint, &draft->joints, room, &fault);
    tq_instruction *code = tqa_arena_take(draft->arena, length, sizeof *code, 16);
    const char **texts = tqa_arena_take(draft->arena, 1, sizeof *texts, 16);
    if (length == 0 || code == NULL || texts == NULL) {
        tqa_mjcf_fault(m, i, "invalid-value", "give the joints plainer names", "%s", fault.detail);
        return false;
    }
    memcpy(code, room, length * sizeof *code);
    texts[0] = tqa_arena_text(draft->arena, text, (size_t)n);
    note->texts = texts;
    *ret = (tq_constraint){.kind = TQ_CONSTRAINT_EQUATION, .equation = {.n = length, .code = code}};
    return true;
}

/* The joint of one freedom that attribute `key` names, or TQ_NONE. */
static uint32_t named_joint(tqa_mjcf *m, uint32_t i, const char *key)
{
    const tqa_draft *draft = m->draft;
    const char *name = tqa_mjcf_get(m, i, key);
    const uint32_t joint =
        name != NULL ? tqa_names_find(&draft->joints, name, strlen(name)) : TQ_NONE;
    return joint != TQ_NONE && tq_joint_kind_nv(draft->model.joints[joint].kind) == 1 ? joint
                                                                                      : TQ_NONE;
}

/* Lets joint1 follow joint2: y = y0 + c0 + c1 (x - x0). False: it stays a constraint, since it is
 * no line, or joint1 is in another equality too, for which it needs a coordinate. */
static bool follow(tqa_mjcf *m, uint32_t i, const uint32_t *uses)
{
    tq_model *model = &m->draft->model;
    const uint32_t y = named_joint(m, i, "joint1"), x = named_joint(m, i, "joint2");
    double c[POLYNOMIAL] = {0.0, 1.0, 0.0, 0.0, 0.0};
    (void)tqa_mjcf_numbers(m, i, "polycoef", POLYNOMIAL, POLYNOMIAL, c);
    if (y == TQ_NONE || x == TQ_NONE || x == y || uses[y] > 1 || c[2] != 0.0 || c[3] != 0.0 ||
        c[4] != 0.0) {
        return false;
    }
    tq_joint *joint = &model->joints[y];
    joint->mimic = x;
    joint->mimic_multiplier = c[1];
    joint->mimic_offset = reference_of(m, tqa_mjcf_get(m, i, "joint1"), y) + c[0] -
                          c[1] * reference_of(m, tqa_mjcf_get(m, i, "joint2"), x);
    return true;
}

static bool is_own_follower(const tqa_mjcf *m, uint32_t i)
{
    const char *name = tqa_mjcf_get(m, i, "name");
    return name != NULL && strncmp(name, TQA_MJCF_FOLLOWER, sizeof TQA_MJCF_FOLLOWER - 1) == 0;
}

bool tqa_mjcf_followers(tqa_mjcf *m)
{
    tqa_arena *arena = m->draft->arena;
    uint32_t *uses = tqa_arena_take(arena, m->draft->model.n_joint + 1, sizeof *uses, 16);
    m->follows = tqa_arena_take(arena, m->n_node, sizeof *m->follows, 1);
    if (m->follows == NULL || uses == NULL) {
        return tqa_draft_no_memory(m->draft);
    }
    memset(uses, 0, (m->draft->model.n_joint + 1) * sizeof *uses);
    for (uint32_t i = 0; i < m->n_node; i++) {
        m->follows[i] = i > 0 && is(m, i, "joint") && tqa_mjcf_equality_known(m, i) != NULL;
        if (m->follows[i]) {
            const uint32_t ends[2] = {named_joint(m, i, "joint1"), named_joint(m, i, "joint2")};
            for (int k = 0; k < 2; k++) {
                uses[ends[k] != TQ_NONE ? ends[k] : m->draft->model.n_joint]++;
            }
        }
    }
    for (uint32_t i = 0; i < m->n_node; i++) {
        m->follows[i] = m->follows[i] && is_own_follower(m, i) && follow(m, i, uses);
    }
    return true;
}

static bool is_constraint(const tqa_mjcf *m, uint32_t i)
{
    return tqa_mjcf_equality_known(m, i) != NULL && !m->follows[i];
}

bool tqa_mjcf_equality(tqa_mjcf *m)
{
    tqa_draft *draft = m->draft;
    size_t n = 0;
    for (uint32_t i = 1; i < m->n_node; i++) {
        n += is_constraint(m, i);
    }
    if (n == 0) {
        return true;
    }
    if (!tqa_constraints_begin(draft, n)) {
        return false;
    }
    size_t k = 0;
    for (uint32_t i = 1; i < m->n_node && draft->problem->status == 0; i++) {
        if (!is_constraint(m, i)) {
            continue;
        }
        tq_constraint *c = &draft->constraints.items[k];
        tqa_constraint *note = &draft->constraint_notes[k];
        const char *name = tqa_mjcf_get(m, i, "name");
        const bool ok = is(m, i, "connect") ? read_connect(m, i, c)
                        : is(m, i, "weld")  ? read_weld(m, i, c)
                                            : read_joint(m, i, c, note);
        if (!ok) {
            return false;
        }
        note->name = name != NULL && name[0] != '\0' && strlen(name) < TQA_NAME_MAX
                         ? name
                         : tqa_constraint_default_name(draft, c->kind, k);
        note->place =
            tqa_arena_format(draft->arena, "/mujoco/equality/%s[%zu]", m->nodes[i].name, k + 1);
        k++;
    }
    return draft->problem->status == 0;
}
