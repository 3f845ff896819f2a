/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/surgery/join.c - another robot welded to a link. */
#include <string.h>

#include "api/robots/surgery/surgery.h"

static const char *prefixed(tqa_surgery *s, const tqa_json_at *op, const char *prefix,
                            const char *name)
{
    const char *whole = tqa_arena_format(s->draft->arena, "%s%s", prefix, name);
    if (whole == NULL || strlen(whole) >= TQA_NAME_MAX) {
        tqa_draft_fault(
            s->draft, "invalid-value", op->pointer, "a shorter prefix",
            "\"%.40s\" and \"%.80s\" together make a name that is too long: 127 bytes at most",
            prefix, name);
        return NULL;
    }
    return whole;
}

/* Which rows of the whole are driven, once either robot has one that is not. */
static bool append_actuated(tqa_surgery *s, const tqa_robot *other)
{
    const uint32_t n = s->n_row + other->model->nv;
    if (s->actuated != NULL || other->actuated != NULL) {
        bool *rows = tqa_arena_take(s->draft->arena, (size_t)n + 1, sizeof *rows, 1);
        if (rows == NULL) {
            tqa_draft_fault(s->draft, "too-large", "", "join smaller robots",
                            "the robot becomes too large");
            return false;
        }
        for (uint32_t r = 0; r < n; r++) {
            const bool *from = r < s->n_row ? s->actuated : other->actuated;
            rows[r] = from == NULL || from[r < s->n_row ? r : r - s->n_row];
        }
        s->actuated = rows;
    }
    s->n_row = n;
    return true;
}

/* Appends links and joints of the other robot; its root has no parent yet. */
static bool append(tqa_surgery *s, const tqa_json_at *op, const tqa_robot *other,
                   const char *prefix)
{
    const tq_model *model = other->model;
    const uint32_t first_link = s->n_link, first_joint = s->n_joint;
    for (uint32_t l = 0; l < model->n_link; l++) {
        const char *name = prefixed(s, op, prefix, other->link_names[l]);
        const uint32_t made = name != NULL ? tqa_surgery_link(s, name) : TQ_NONE;
        if (made == TQ_NONE) {
            return false;
        }
        s->links[made].inertia = model->links[l].inertia;
        s->links[made].drag = model->links[l].drag;
        s->links[made].gravity_compensation = model->links[l].gravity_compensation;
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const char *name = prefixed(s, op, prefix, other->joint_names[j]);
        const uint32_t made = name != NULL ? tqa_surgery_joint(s, name, 0, 0) : TQ_NONE;
        if (made == TQ_NONE) {
            return false;
        }
        tq_joint *joint = &s->joints[made];
        *joint = model->joints[j];
        joint->parent += first_link;
        joint->child += first_link;
        joint->mimic += joint->mimic != TQ_NONE ? first_joint : 0;
        joint->v_index += s->n_row;
        if (other->drives != NULL) {
            s->drives[made] = other->drives[j];
        }
    }
    return append_actuated(s, other) &&
           tqa_surgery_add_tendons(s, other, first_joint, first_link, prefix);
}

static bool join(tqa_surgery *s, const tqa_json_at *op, const tqa_robot *other)
{
    const tqa_json_at label = tqa_json_field(op, "prefix");
    const char *prefix = "";
    tq_pose pose;
    const uint32_t link = tqa_surgery_find_link(s, op, "link");
    if (link == TQ_NONE || (label.value != NULL && !tqa_json_name(&label, &prefix))) {
        return false;
    }
    tqa_document_place(op, &pose, NULL);
    if (other->constraints != NULL) {
        tqa_draft_fault(s->draft, "invalid-value", op->pointer,
                        "join the documents, and send the whole by PUT",
                        "the robot to be joined has constraints");
    }
    const uint32_t root = s->n_link + other->model->root;
    if (s->draft->problem->status != 0 || !append(s, op, other, prefix)) {
        return false;
    }
    const uint32_t weld =
        tqa_surgery_joint(s, tqa_surgery_name(s, false, s->link_names[root], "_weld"), link, root);
    if (weld == TQ_NONE) {
        return false;
    }
    s->joints[weld].origin = pose;
    return true;
}

bool tqa_surgery_join(tqa_surgery *s, const tqa_json_at *op)
{
    static const char *const known[] = {"op", "robot", "link", "prefix", TQA_DOCUMENT_PLACE, NULL};
    static const char *const nothing[] = {NULL};
    const tqa_json_at named = tqa_json_field(op, "robot");
    const char *name = NULL;
    tqa_json_fields(op, known, nothing);
    if (!tqa_surgery_is_free(s, op) || !tqa_json_name(&named, &name)) {
        return false;
    }
    tqa_problem why;
    const tqa_robot *other = s->others->get(s->others->ctx, name, &why);
    if (other == NULL) {
        tqa_draft_fault(s->draft, "unknown-name", named.pointer, "name a robot of this server",
                        "%.200s", why.detail);
        return false;
    }
    const bool joined = join(s, op, other);
    s->others->release(s->others->ctx, other);
    return joined;
}
