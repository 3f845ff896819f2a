/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/run_balance.c - energy and momentum balance of a whole run, out of its rows. */
#include "core/plant/run_balance.h"

#include <math.h>
#include <string.h>

#include "core/base/block.h"
#include "core/dynamics/energy.h"

size_t tq_run_balance_scratch_size(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    return tq_scratch_cost(((size_t)model->nq + 1) * TQ_BLOCK, sizeof(double)) +
           tq_scratch_cost(((size_t)model->nv + 1) * TQ_BLOCK, sizeof(double)) +
           tq_scratch_cost(2 * (size_t)TQ_BLOCK, sizeof(double)) +
           tq_larger(tq_energy_scratch_size(plant->mechanism), tq_audit_scratch_size(plant));
}

/* the balance of row k */
static tq_status balance_of(const tq_plant *plant, const tq_run_rows *rows, size_t k,
                            tq_scratch *scratch, tq_balance *ret, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const double *row = rows->rows + k * rows->width;
    const double *qdd = row + rows->audited + plant->effects[plant->n_effect - 1].n_z;
    return tq_audit_balance(plant, row + 1, row + 1 + model->nq, qdd, qdd + model->nv, scratch, ret,
                            reterr);
}

/* kinetic, then potential energy of each row, in a block */
static tq_status energies(const tq_plant *plant, const tq_run_rows *rows, tq_scratch *scratch,
                          double *ret, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t nq = model->nq, nv = model->nv;
    double *q = tq_scratch_take(scratch, (nq + 1) * TQ_BLOCK, sizeof *q);
    double *qd = tq_scratch_take(scratch, (nv + 1) * TQ_BLOCK, sizeof *qd);
    if (q == NULL || qd == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_run_balance_scratch_size(plant));
    }
    for (size_t k = 0; k < rows->n; k++) {
        const double *row = rows->rows + k * rows->width + 1;
        for (size_t r = 0; r < nq; r++) {
            q[r * TQ_BLOCK + k] = row[r];
        }
        for (size_t r = 0; r < nv; r++) {
            qd[r * TQ_BLOCK + k] = row[nq + r];
        }
    }
    tq_block_pad(q, nq, TQ_BLOCK, rows->n);
    tq_block_pad(qd, nv, TQ_BLOCK, rows->n);
    return tq_audit_energy(plant, rows->n, TQ_BLOCK, q, qd, scratch, ret, reterr);
}

static tq_status add(const tq_plant *plant, const tq_run_rows *rows, tq_scratch *scratch,
                     tq_run_balance *to, tq_error *reterr)
{
    const size_t n_z = plant->effects[plant->n_effect - 1].n_z;
    double *energy = tq_scratch_take(scratch, 2 * (size_t)TQ_BLOCK, sizeof *energy);
    const size_t mark = tq_scratch_mark(scratch);
    if (energy == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_run_balance_scratch_size(plant));
    }
    tq_status status = energies(plant, rows, scratch, energy, reterr);
    tq_scratch_rewind(scratch, mark);
    if (status == TQ_OK && rows->is_first) {
        status = balance_of(plant, rows, 0, scratch, &to->start, reterr);
    }
    for (size_t k = 0; status == TQ_OK && k < rows->n; k++) {
        const tq_balance now = {.kinetic = energy[k], .potential = energy[TQ_BLOCK + k]};
        memcpy(to->z, rows->rows + k * rows->width + rows->audited, n_z * sizeof *to->z);
        to->residual = tq_audit_energy_residual(&to->start, &now, to->z);
        to->residual_max = fmax(to->residual_max, fabs(to->residual));
        to->kinetic_max = fmax(to->kinetic_max, now.kinetic);
    }
    if (status == TQ_OK && rows->is_last) {
        status = balance_of(plant, rows, rows->n - 1, scratch, &to->end, reterr);
        tq_audit_momentum_residual(plant, rows->rows[(rows->n - 1) * rows->width], &to->start,
                                   &to->end, to->z, to->momentum_residual);
    }
    return status;
}

tq_status tq_run_balance_add(const tq_plant *plant, const tq_run_rows *rows, tq_scratch *scratch,
                             tq_run_balance *inout, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const tq_status status = add(plant, rows, scratch, inout, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}
