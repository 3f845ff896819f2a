/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/triples.c - the loop over triples of dofs on one branch. */
#include "core/dynamics/derivatives/triples.h"

#include "core/spatial/screw.h"

size_t tq_branches_scratch_size(const tq_model *model)
{
    return 2 * tq_scratch_cost(6 * (size_t)model->n_joint, sizeof(uint32_t));
}

bool tq_branches_take(const tq_configuration *p, tq_scratch *scratch, tq_branches *ret)
{
    ret->at = p;
    ret->stage = tq_scratch_take(scratch, p->n_freedom, sizeof *ret->stage);
    ret->above = tq_scratch_take(scratch, p->n_freedom, sizeof *ret->above);
    if (p->n_freedom > 0 && (ret->stage == NULL || ret->above == NULL)) {
        return false;
    }
    for (uint32_t j = 0; j < p->model->n_joint; j++) {
        const bool planar = p->model->joints[j].kind == TQ_JOINT_PLANAR;
        for (uint32_t k = 0; k < p->count[j]; k++) {
            ret->stage[p->first[j] + k] = p->first[j] + (planar ? k : 0);
        }
    }
    return true;
}

size_t tq_branches_climb(const tq_branches *b, size_t d, size_t *ret_mates)
{
    const tq_configuration *p = b->at;
    const tq_model *model = p->model;
    size_t n = 0;
    uint32_t joint = p->freedom[d].joint;
    const uint32_t end = p->first[joint] + p->count[joint];
    for (uint32_t f = b->stage[d]; f < end && b->stage[f] == b->stage[d]; f++) {
        b->above[n++] = f;
    }
    *ret_mates = n;
    for (uint32_t f = b->stage[d]; f-- > p->first[joint];) { /* translations of a planar joint */
        b->above[n++] = f;
    }
    for (joint = model->links[model->joints[joint].parent].joint; joint != TQ_NONE;
         joint = model->links[model->joints[joint].parent].joint) {
        for (uint32_t k = p->count[joint]; k-- > 0;) {
            b->above[n++] = p->first[joint] + k;
        }
    }
    return n;
}

/* One sum: rows of the results, and what the dofs' own rates are to those of their rows. */
typedef struct sums {
    const tq_configuration *at;
    const tq_second_derivatives *ret;
    const uint32_t *stage, *above;
    size_t n_above, n_mate, nv;
} sums;

/* adds to entry [f][j][k] */
static void put(const sums *s, double *to, size_t f, size_t j, size_t k, double value)
{
    const tq_freedom *a = &s->at->freedom[f], *b = &s->at->freedom[j], *c = &s->at->freedom[k];
    to[(a->row * s->nv + b->row) * s->nv + c->row] += a->factor * b->factor * c->factor * value;
}

/* of the torque of d, by e and all dofs between both and mates of e */
static void add_own(const sums *s, const tq_triples_of *of, size_t d, size_t e, const tq_pair *pair)
{
    const tq_second_derivatives *ret = s->ret;
    for (size_t n = 0; n < s->n_above; n++) {
        const uint32_t i = s->above[n];
        if (s->stage[i] < s->stage[e]) {
            break;
        }
        const double *axis = s->at->freedom[i].screw, *p = of->p + i * of->step;
        const double by_q = tq_dot6(axis, pair->own_dq_dq_s) + tq_dot6(p, pair->own_dq_dq_p);
        const bool mates = s->stage[i] == s->stage[e]; /* then e moves last: D_e D_i */
        put(s, ret->dq_dq, d, i, e, by_q);
        if (!mates) {
            put(s, ret->dq_dq, d, e, i, by_q);
        }
        if (ret->dqd_dqd != NULL) {
            const double by_qd = tq_dot6(axis, mates ? pair->own_mates_dqd_dqd : pair->own_dqd_dqd);
            put(s, ret->dqd_dqd, d, i, e, by_qd);
            put(s, ret->dqd_dq, d, i, e, tq_dot6(axis, pair->own_dqd_dq));
            if (!mates) {
                put(s, ret->dqd_dqd, d, e, i, by_qd);
                put(s, ret->dqd_dq, d, e, i,
                    tq_dot6(axis, pair->own_dq_dqd_s) + tq_dot6(p, pair->own_dq_dqd_p));
            }
        }
        if (ret->dqdd_dq != NULL && !mates) {
            const double of_mass = tq_dot6(axis, pair->own_dqdd_dq);
            put(s, ret->dqdd_dq, d, e, i, of_mass);
            put(s, ret->dqdd_dq, e, d, i, of_mass);
        }
    }
}

/* of the torques of all dofs above d, by d and e */
static void add_above(const sums *s, size_t d, size_t e, const tq_pair *pair)
{
    const tq_second_derivatives *ret = s->ret;
    const bool mates = s->stage[d] == s->stage[e];
    for (size_t n = s->n_mate; n < s->n_above; n++) {
        const uint32_t f = s->above[n];
        const double *axis = s->at->freedom[f].screw;
        const bool above = s->stage[f] < s->stage[e];
        const double by_q = tq_dot6(axis, above ? pair->of_above_dq_dq : pair->of_dq_dq);
        put(s, ret->dq_dq, f, d, e, by_q);
        if (!mates) {
            put(s, ret->dq_dq, f, e, d, by_q);
        }
        if (ret->dqd_dqd != NULL) {
            const double by_qd = tq_dot6(axis, pair->of_dqd_dqd);
            put(s, ret->dqd_dqd, f, d, e, by_qd);
            put(s, ret->dqd_dq, f, d, e,
                tq_dot6(axis, above ? pair->of_above_dqd_dq : pair->of_dqd_dq));
            if (!mates) {
                put(s, ret->dqd_dqd, f, e, d, by_qd);
                put(s, ret->dqd_dq, f, e, d, tq_dot6(axis, pair->of_dq_dqd));
            }
        }
        if (ret->dqdd_dq != NULL && !mates) {
            put(s, ret->dqdd_dq, f, e, d, tq_dot6(axis, pair->of_dqdd_dq));
        }
    }
}

void tq_triples_add(const tq_branches *branches, const tq_triples_of *of,
                    const tq_second_derivatives *ret)
{
    const tq_configuration *p = branches->at;
    sums s = {.at = p,
              .ret = ret,
              .stage = branches->stage,
              .above = branches->above,
              .nv = p->model->nv};
    for (size_t d = 0; d < p->n_freedom; d++) {
        s.n_above = tq_branches_climb(branches, d, &s.n_mate);
        of->begin(of->context, of->room, d);
        for (size_t n = 0; n < s.n_above; n++) {
            const uint32_t e = s.above[n];
            tq_pair pair;
            of->fill(of->context, of->room, d, e, s.stage[e] == s.stage[d], &pair);
            add_own(&s, of, d, e, &pair);
            add_above(&s, d, e, &pair);
        }
    }
}
