/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/surgery/tendon.c - tendons of a robot that is being changed. */
#include <string.h>

#include "api/robots/surgery/surgery.h"

bool tqa_surgery_add_tendons(tqa_surgery *s, const tqa_robot *from, uint32_t first_joint,
                             const char *prefix)
{
    tqa_draft *draft = s->draft;
    const tq_model *model = from->model;
    for (uint32_t t = 0; t < model->n_tendon; t++) {
        const tq_tendon *tendon = &model->tendons[t];
        const char *name = tqa_arena_format(draft->arena, "%s%s", prefix, from->tendon_names[t]);
        tq_tendon_share *shares =
            tqa_arena_take(draft->arena, (size_t)tendon->n_share + 1, sizeof *shares, 16);
        if (name == NULL || shares == NULL) {
            tqa_draft_fault(draft, "too-large", "", "join smaller robots",
                            "the robot becomes too large");
            return false;
        }
        for (uint32_t k = 0; k < tendon->n_share; k++) {
            shares[k] = model->shares[tendon->first + k];
            shares[k].joint += first_joint;
        }
        if (!tqa_draft_tendon(draft, name, tendon, shares, tendon->n_share)) {
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
        if (tendon->n_share == 0) {
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

bool tqa_surgery_change_tendon(tqa_surgery *s, const tqa_json_at *op)
{
    static const char *const known[] = {"op",   "tendon",  "coefficients", "stiffness",
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
    uint32_t n = tendon.n_share;
    tq_tendon_share *shares =
        tqa_arena_take(draft->arena, (size_t)n + 1, sizeof *shares, sizeof(double));
    if (shares == NULL) {
        tqa_draft_fault(draft, "too-large", "", "fewer operations", "they need more memory");
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        shares[k] = model->shares[tendon.first + k];
    }
    tqa_document_tendon(op, &tendon, &shares, &n);
    if (draft->problem->status != 0) {
        return false;
    }
    if (exists) {
        remove_tendon(draft, t);
    }
    return tqa_draft_tendon(draft, name, &tendon, shares, n);
}
