/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/surgery/root.c - another root link: joints between old and new root are reversed. */
#include <string.h>

#include "api/robots/surgery/surgery.h"

/* Parent P, child C, C in P at O J(q): then P in C is J(q)^-1 O^-1. The turned joint is J'(q) =
 * J(q)^-1 at the origin of C, with its axis reversed (kinds of more freedoms: the inverse is of the
 * same kind, its coordinates are the inverse's), and carries P by the constant O^-1. */
static bool turn(tqa_surgery *s, uint32_t j)
{
    const uint32_t parent = s->joints[j].parent, child = s->joints[j].child;
    const tq_pose back = tq_pose_inverse(&s->joints[j].origin);
    s->joints[j].parent = child;
    s->joints[j].child = parent;
    if (s->joints[j].kind == TQ_JOINT_FIXED) {
        s->joints[j].origin = back;
        return true;
    }
    s->joints[j].origin = tq_pose_identity;
    for (int k = 0; k < 3 && tq_joint_kind_nv(s->joints[j].kind) == 1; k++) {
        s->joints[j].axis[k] = -s->joints[j].axis[k];
    }
    if (memcmp(&back, &tq_pose_identity, sizeof back) == 0) {
        return true;
    }
    const char *base = s->joint_names[j];
    const uint32_t carrier = tqa_surgery_link(s, tqa_surgery_name(s, true, base, "_axis"));
    const uint32_t weld =
        carrier != TQ_NONE
            ? tqa_surgery_joint(s, tqa_surgery_name(s, false, base, "_offset"), carrier, parent)
            : TQ_NONE;
    if (weld == TQ_NONE) {
        return false;
    }
    s->joints[j].child = carrier;
    s->joints[weld].origin = back;
    return true;
}

static bool is_massless(const tq_inertia *inertia)
{
    bool zero = inertia->mass == 0.0;
    for (int k = 0; k < 6; k++) {
        zero = zero && inertia->about_com[k] == 0.0;
    }
    return zero;
}

/* The only joint of a massless root, if it is a free joint: it then carries another link. */
static uint32_t find_float(const tqa_surgery *s, uint32_t root)
{
    uint32_t found = TQ_NONE;
    uint32_t n = 0;
    for (uint32_t j = 0; j < s->n_joint; j++) {
        if (s->joints[j].parent == root) {
            found = j;
            n++;
        }
    }
    const bool floats = n == 1 && (s->joints[found].kind == TQ_JOINT_FLOATING ||
                                   s->joints[found].kind == TQ_JOINT_PLANAR);
    return floats && is_massless(&s->links[root].inertia) ? found : TQ_NONE;
}

/* False: a damper, spring or inertia of a free joint, which acts at its link's origin, would act at
 * another's. A spherical joint turned around keeps its centre. */
static bool keeps_forces(tqa_surgery *s, const tqa_json_at *op, const uint32_t *path, uint32_t n,
                         uint32_t held)
{
    for (uint32_t k = 0; k <= n; k++) {
        const uint32_t j = k < n ? path[k] : held;
        const tq_joint *joint = j != TQ_NONE ? &s->joints[j] : NULL;
        if (joint != NULL && (n > 0 || k < n) && joint->kind == TQ_JOINT_FLOATING &&
            (joint->friction.viscous != 0.0 || joint->spring.stiffness != 0.0 ||
             joint->rotor.inertia != 0.0)) {
            tqa_draft_fault(s->draft, "invalid-value", op->pointer,
                            "take damping, spring and rotor of the joint out before",
                            "the damper, spring or inertia of the free joint \"%.80s\" acts at its "
                            "link's origin, which would be another's",
                            s->joint_names[j]);
            return false;
        }
    }
    return true;
}

bool tqa_surgery_reroot(tqa_surgery *s, const tqa_json_at *op)
{
    static const char *const known[] = {"op", "link", NULL};
    static const char *const nothing[] = {NULL};
    tqa_json_fields(op, known, nothing);
    const uint32_t link = tqa_surgery_find_link(s, op, "link");
    if (link == TQ_NONE || !tqa_surgery_is_free(s, op)) {
        return false;
    }
    const uint32_t root = tqa_surgery_root(s);
    const uint32_t held = find_float(s, root);
    const uint32_t stop = held != TQ_NONE ? s->joints[held].child : root;
    uint32_t *path = tqa_arena_take(s->draft->arena, s->n_joint + 1, sizeof *path, 16);
    uint32_t n = 0;
    if (path == NULL || (held != TQ_NONE && link == root)) {
        tqa_draft_fault(s->draft, path == NULL ? "too-large" : "invalid-value", op->pointer,
                        "name another link",
                        path == NULL ? "the robot becomes too large" : "the link is the world");
        return false;
    }
    for (uint32_t l = link; l != stop && n < s->n_joint;) {
        path[n] = tqa_surgery_carrier(s, l);
        l = s->joints[path[n++]].parent;
    }
    if (!keeps_forces(s, op, path, n, held)) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!turn(s, path[k])) {
            return false;
        }
    }
    if (held != TQ_NONE) {
        s->joints[held].child = link;
    }
    return true;
}
