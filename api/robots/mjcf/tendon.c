/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/tendon.c - springs, dampers and dry friction of tendons; those of <fixed>
 * ones along a sum of coordinates. */
#include <math.h>
#include <string.h>

#include "api/robots/mjcf/parts.h"

enum { COEFFICIENTS = 3 }; /* of stiffness and damping: what follows the first is refused */

static bool is(const tqa_mjcf *m, uint32_t i, const char *name)
{
    return strcmp(m->nodes[i].name, name) == 0;
}

static bool has_joint(const tq_tendon_share *shares, uint32_t n, uint32_t joint)
{
    for (uint32_t k = 0; k < n; k++) {
        if (shares[k].joint == joint) {
            return true;
        }
    }
    return false;
}

/* The joints of a tendon; *ret_rest: its length where their springs rest. False: a fault. */
static bool read_shares(tqa_mjcf *m, uint32_t tendon, tq_tendon_share *ret, uint32_t *ret_n,
                        double *ret_rest)
{
    const tq_model *model = &m->draft->model;
    *ret_n = 0;
    *ret_rest = 0.0;
    for (uint32_t k = tendon + 1; k < m->nodes[tendon].end; k = m->nodes[k].end) {
        const char *name = is(m, k, "joint") ? tqa_mjcf_get(m, k, "joint") : NULL;
        const uint32_t j =
            name != NULL ? tqa_names_find(&m->draft->joints, name, strlen(name)) : TQ_NONE;
        double coef = 0.0;
        if (j == TQ_NONE || tq_joint_kind_nv(model->joints[j].kind) != 1) {
            tqa_mjcf_fault(m, k, "unknown-name", "name hinges or slides of this model",
                           "the tendon pulls at \"%.80s\", which is no joint of one freedom",
                           name != NULL ? name : "");
            return false;
        }
        if (has_joint(ret, *ret_n, j) || tqa_mjcf_numbers(m, k, "coef", 1, 1, &coef) != 1) {
            tqa_mjcf_fault(m, k, "invalid-value", "name each joint once, with its coef=\"1\"",
                           "joint \"%.80s\" of the tendon is there twice, or without coef", name);
            return false;
        }
        *ret_rest += coef * m->spring_references[j];
        ret[(*ret_n)++] = (tq_tendon_share){.joint = j, .coefficient = coef};
    }
    if (*ret_n == 0) {
        tqa_mjcf_fault(m, tendon, "invalid-robot", "add <joint joint=\"...\" coef=\"1\"/>",
                       "a tendon without joints");
    }
    return *ret_n > 0;
}

/* Spring and friction, as far as option/flag leaves them on. */
static void read_forces(tqa_mjcf *m, uint32_t i, tq_tendon *ret)
{
    double stiffness[COEFFICIENTS] = {0.0}, damping[COEFFICIENTS] = {0.0};
    (void)tqa_mjcf_numbers(m, i, "stiffness", 1, COEFFICIENTS, stiffness);
    (void)tqa_mjcf_numbers(m, i, "damping", 1, COEFFICIENTS, damping);
    (void)tqa_mjcf_numbers(m, i, "frictionloss", 1, 1, &ret->friction.coulomb);
    ret->stiffness = m->set.no_spring ? 0.0 : stiffness[0];
    ret->friction.viscous = m->set.no_damper ? 0.0 : damping[0];
    ret->friction.coulomb *= m->set.no_frictionloss ? 0.0 : 1.0;
}

/* springlength: one length, or two; absent or -1: that where the springs of the joints rest. */
static bool read_rest(tqa_mjcf *m, uint32_t i, double rest, tq_tendon *ret)
{
    double both[2] = {-1.0, -1.0};
    if (tqa_mjcf_numbers(m, i, "springlength", 1, 2, both) == 1) {
        both[1] = both[0];
    }
    const bool automatic = both[0] == -1.0 && both[1] == -1.0;
    ret->lower = automatic ? rest : both[0];
    ret->upper = automatic ? rest : both[1];
    if (ret->lower > ret->upper) {
        tqa_mjcf_fault(m, i, "range", "write the smaller length first",
                       "springlength=\"%g %g\": the spring is slack between them", both[0],
                       both[1]);
    }
    return ret->lower <= ret->upper;
}

/* room: for as many shares as there are joints; at_rest: see tqa_mjcf_tendon_path */
static bool add_tendon(tqa_mjcf *m, uint32_t i, tq_tendon_share *room, tqa_mjcf_rest *at_rest)
{
    tq_tendon tendon = {.stiffness = 0.0};
    tqa_tendon_parts parts = {.shares = room};
    double rest = 0.0;
    read_forces(m, i, &tendon);
    if (tendon.stiffness == 0.0 && tendon.friction.viscous == 0.0 &&
        tendon.friction.coulomb == 0.0) {
        return true;
    }
    const bool read = is(m, i, "fixed") ? read_shares(m, i, room, &parts.n_share, &rest)
                                        : tqa_mjcf_tendon_path(m, i, at_rest, &parts, &rest);
    if (!read || !read_rest(m, i, rest, &tendon)) {
        return false;
    }
    return tqa_draft_tendon(m->draft, tqa_mjcf_get(m, i, "name"), &tendon, &parts);
}

static bool is_tendon(const tqa_mjcf *m, uint32_t i)
{
    const uint32_t section = m->nodes[i].parent;
    return m->nodes[section].parent == 0 && is(m, section, "tendon") &&
           (is(m, i, "fixed") || is(m, i, "spatial"));
}

/* Others' are refused before (guard.c). */
void tqa_mjcf_tendon_armatures(tqa_mjcf *m)
{
    for (uint32_t i = 1; i < m->n_node; i++) {
        double armature = 0.0, rest = 0.0;
        tq_tendon_share share;
        uint32_t n = 0;
        if (is_tendon(m, i) && is(m, i, "fixed") &&
            tqa_mjcf_numbers(m, i, "armature", 1, 1, &armature) == 1 && armature != 0.0 &&
            read_shares(m, i, &share, &n, &rest)) {
            tq_joint *joint = &m->chain.joints[share.joint];
            joint->rotor.inertia += armature * share.coefficient * share.coefficient;
        }
    }
}

bool tqa_mjcf_tendons(tqa_mjcf *m)
{
    tq_tendon_share *room = NULL;
    tqa_mjcf_rest at_rest = {.q = NULL};
    for (uint32_t i = 1; i < m->n_node && m->draft->problem->status == 0; i++) {
        if (!is_tendon(m, i)) {
            continue;
        }
        if (room == NULL) {
            room = tqa_arena_take(m->draft->arena, (size_t)m->draft->model.n_joint + 1,
                                  sizeof *room, 16);
        }
        if (room == NULL) {
            return tqa_draft_no_memory(m->draft);
        }
        if (!add_tendon(m, i, room, &at_rest)) {
            return false;
        }
    }
    return m->draft->problem->status == 0;
}
