/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/term.c - which term of the equation drove a joint that ran away. */
#include <math.h>

#include "api/operations/simulate/simulate.h"
#include "core/dynamics/ledger.h"

enum { FREEDOMS_MAX = 256 }; /* the ledger computes each rate alone */

static void take_state(const double *rows, size_t n, double *ret)
{
    for (size_t k = 0; k < n; k++) {
        ret[k] = rows[k * TQ_BLOCK_PAD];
    }
}

/* the largest of what acts on the joint's rows, accelerations aside */
static const char *largest(const tqa_simulation *s, const tq_joint *joint, size_t nv,
                           const double *entries)
{
    static const struct {
        tq_ledger_entry entry;
        const char *name;
    } terms[] = {{TQ_LEDGER_CORIOLIS, "coriolis"}, {TQ_LEDGER_CENTRIFUGAL, "centrifugal"},
                 {TQ_LEDGER_GRAVITY, "gravity"},   {TQ_LEDGER_FRICTION, "friction"},
                 {TQ_LEDGER_SPRING, "spring"},     {TQ_LEDGER_EXTERNAL, "external"}};
    const char *name = NULL;
    double most = 0.0;
    for (uint32_t r = joint->v_index; r < joint->v_index + joint->nv; r++) {
        const double input = fabs(s->rates.tau[(size_t)r * TQ_BLOCK_PAD]);
        if (input > most) {
            most = input;
            name = "input";
        }
        for (size_t k = 0; k < sizeof terms / sizeof terms[0]; k++) {
            const double size = fabs(entries[(size_t)terms[k].entry * nv + r]);
            if (size > most) {
                most = size;
                name = terms[k].name;
            }
        }
    }
    return name;
}

const char *tqa_simulation_term(const tqa_simulation *s, uint32_t joint)
{
    const tq_model *model = tq_mechanism_model(s->mechanism);
    const size_t nv = model->nv;
    const size_t size = tq_configuration_scratch_size(model) + tq_ledger_scratch_size(model) +
                        tq_scratch_cost(model->nq, sizeof(double)) +
                        tq_scratch_cost(nv, sizeof(double)) +
                        tq_scratch_cost(TQ_LEDGER_COUNT * nv, sizeof(double));
    tq_scratch scratch;
    if (nv > FREEDOMS_MAX || !tqa_tree_scratch(s->tree, size, &scratch)) {
        return NULL;
    }
    double *q = tq_scratch_take(&scratch, model->nq, sizeof *q);
    double *qd = tq_scratch_take(&scratch, nv, sizeof *qd);
    double *entries = tq_scratch_take(&scratch, TQ_LEDGER_COUNT * nv, sizeof *entries);
    take_state(s->run->state->q, model->nq, q);
    take_state(s->run->state->qd, nv, qd);
    const tq_sample sample = {.q = q, .qd = qd, .gravity = s->gravity, .without = s->plant.without};
    tq_configuration posture;
    if (tq_configuration_compute(model, q, qd, &scratch, &posture, NULL) != TQ_OK ||
        tq_ledger(&posture, &sample, &scratch, entries, NULL) != TQ_OK) {
        return NULL;
    }
    return largest(s, &model->joints[joint], nv, entries);
}
