/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/surgery/tendon.c - tendons of a robot that is being changed: sums of
 * coordinates by joint, paths by link, whose points stay where they are. */
#include <string.h>

#include "api/robots/surgery/surgery.h"

/* Copies of a tendon's joints and points. False: memory is short; a fault was added. */
static bool copy_parts(tqa_draft *draft, const tq_model *model, const tq_tendon *tendon,
                       tqa_tendon_parts *ret)
{
    const uint32_t n_share = tendon->n_share, n_point = tendon->n_point;
    *ret = (tqa_tendon_parts){
        .shares = tqa_arena_take(draft->arena, (size_t)n_share + 1, sizeof *ret->shares, 16),
        .points = tqa_arena_take(draft->arena, (size_t)n_point + 1, sizeof *ret->points, 16),
        .n_share = n_share,
        .n_point = n_point};
    if (ret->shares == NULL || ret->points == NULL) {
        tqa_draft_fault(draft, "too-large", "", "a smaller robot, or fewer operations",
                        "the robot becomes too large");
        return false;
    }
    for (uint32_t k = 0; k < n_share; k++) {
        ret->shares[k] = model->shares[tendon->first + k];
    }
    for (uint32_t k = 0; k < n_point; k++) {
        ret->points[k] = model->points[tendon->first_point + k];
    }
    return true;
}

bool tqa_surgery_add_tendons(tqa_surgery *s, const tqa_robot *from, uint32_t first_joint,
                             uint32_t first_link, const char *prefix)
{
    tqa_draft *draft = s->draft;
    const tq_model *model = from->model;
    for (uint32_t t = 0; t < model->n_tendon; t++) {
        const tq_tendon *tendon = &model->tendons[t];
        const char *name = tqa_arena_format(draft->arena, "%s%s", prefix, from->tendon_names[t]);
        tqa_tendon_parts parts;
        if (!copy_parts(draft, model, tendon, &parts)) {
            return false;
        }
        for (uint32_t k = 0; k < parts.n_share; k++) {
            parts.shares[k].joint += first_joint;
        }
        for (uint32_t k = 0; k < parts.n_point; k++) {
            parts.points[k].link += first_link;
            parts.points[k].side_link += first_link;
        }
        if (!tqa_draft_tendon(draft, name, tendon, &parts)) {
            return false;
        }
    }
    return true;
}

/* Tendon t is no longer there. */
static void remove_tendon(tqa_draft *draft, uint32_t t)
{
    tq_model *model = &draft->model;
    const size_t behind = model->n_tendon - t - 1;
    memmove(model->tendons + t, model->tendons + t + 1, behind * sizeof *model->tendons);
    memmove(draft->tendon_names + t, draft->tendon_names + t + 1,
            behind * sizeof *draft->tendon_names);
    model->n_tendon--;
}

/* Share k of tendon t is no longer there; the room of the others stays as it is. */
static void remove_share(tq_model *model, uint32_t t, uint32_t k)
{
    tq_tendon *tendon = &model->tendons[t];
    tq_tendon_share *own = model->shares + tendon->first;
    memmove(own + k, own + k + 1, (tendon->n_share - k - 1) * sizeof *own);
    tendon->n_share--;
}

void tqa_surgery_lock_tendons(tqa_surgery *s, uint32_t j, double q)
{
    tq_model *model = &s->draft->model;
    for (uint32_t t = model->n_tendon; t-- > 0;) {
        tq_tendon *tendon = &model->tendons[t];
        for (uint32_t k = tendon->n_share; k-- > 0;) {
            const tq_tendon_share share = model->shares[tendon->first + k];
            if (share.joint == j) { /* L - c q pulls at the others from bounds less c q */
                tendon->lower -= share.coefficient * q;
                tendon->upper -= share.coefficient * q;
                remove_share(model, t, k);
            }
        }
        if (tendon->n_share == 0 && tendon->n_point == 0) {
            remove_tendon(s->draft, t);
        }
    }
}

bool tqa_surgery_cut_tendons(tqa_surgery *s, const tqa_json_at *op, const uint32_t *numbers)
{
    tq_model *model = &s->draft->model;
    for (uint32_t t = model->n_tendon; t-- > 0;) {
        const tq_tendon *tendon = &model->tendons[t];
        uint32_t n_kept = 0;
        if (tendon->n_point > 0) {
            continue;
        }
        for (uint32_t k = 0; k < tendon->n_share; k++) {
            tq_tendon_share *share = &model->shares[tendon->first + k];
            share->joint = numbers[share->joint];
            n_kept += share->joint != TQ_NONE;
        }
        if (n_kept > 0 && n_kept < tendon->n_share) {
            tqa_draft_fault(s->draft, "invalid-value", op->pointer,
                            "keep all joints of the tendon, or lock those that go first",
                            "tendon \"%.80s\" pulls at a joint that is cut off",
                            s->draft->tendon_names[t]);
            return false;
        }
        if (n_kept == 0) {
            remove_tendon(s->draft, t);
        }
    }
    return true;
}

bool tqa_surgery_cut_paths(tqa_surgery *s, const tqa_json_at *op, const bool *kept,
                           const uint32_t *numbers)
{
    tq_model *model = &s->draft->model;
    for (uint32_t t = model->n_tendon; t-- > 0;) {
        const tq_tendon *tendon = &model->tendons[t];
        uint32_t n_kept = 0, n = 0;
        for (uint32_t k = 0; k < tendon->n_point; k++) {
            tq_tendon_point *point = &model->points[tendon->first_point + k];
            const bool sided = point->radius > 0.0 && point->has_side;
            n += sided ? 2 : 1;
            n_kept += (uint32_t)kept[point->link] + (sided && kept[point->side_link] ? 1 : 0);
            point->link = numbers[point->link];
            point->side_link = sided ? numbers[point->side_link] : 0;
        }
        if (n_kept > 0 && n_kept < n) {
            tqa_draft_fault(s->draft, "invalid-value", op->pointer,
                            "keep all links of its path, or take it out of the document",
                            "tendon \"%.80s\" passes a link that is cut off",
                            s->draft->tendon_names[t]);
            return false;
        }
        if (n_kept == 0 && tendon->n_point > 0) {
            remove_tendon(s->draft, t);
        }
    }
    return true;
}

bool tqa_surgery_change_tendon(tqa_surgery *s, const tqa_json_at *op)
{
    static const char *const known[] = {"op",   "tendon",  "coefficients", "points", "stiffness",
                                        "rest", "damping", "friction",     NULL};
    static const char *const nothing[] = {NULL};
    tqa_draft *draft = s->draft;
    tq_model *model = &draft->model;
    const tqa_json_at named = tqa_json_field(op, "tendon");
    const char *name = NULL;
    tqa_json_fields(op, known, nothing);
    if (draft->problem->status != 0 || !tqa_json_name(&named, &name)) {
        return false;
    }
    uint32_t t = 0;
    while (t < model->n_tendon && strcmp(draft->tendon_names[t], name) != 0) {
        t++;
    }
    const bool exists = t < model->n_tendon;
    tq_tendon tendon = exists ? model->tendons[t] : (tq_tendon){.stiffness = 0.0};
    tqa_tendon_parts parts;
    if (!copy_parts(draft, model, &tendon, &parts)) {
        return false;
    }
    tqa_document_tendon(op, &tendon, &parts);
    if (draft->problem->status != 0) {
        return false;
    }
    if (exists) {
        remove_tendon(draft, t);
    }
    return tqa_draft_tendon(draft, name, &tendon, &parts);
}
