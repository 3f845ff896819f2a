/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/driven.c - drives as an effect on a plant. */
#include "core/plant/driven.h"

#include "core/plant/torque_table.h"

/* one drive of one sample */
static void work(const tq_driven_plant *driven, const tq_instant *at, size_t k, size_t i,
                 double command, double *zd, tq_drive_flow *ret)
{
    const tq_driven_joint *joint = &driven->joints[k];
    const size_t first = k * TQ_DRIVE_N_STATE;
    double z[TQ_DRIVE_N_STATE], rate[TQ_DRIVE_N_STATE];
    for (size_t s = 0; s < TQ_DRIVE_N_STATE; s++) {
        z[s] = at->z[(first + s) * at->stride + i];
    }
    tq_drive_rate(joint->drive, driven->mode, driven->reduced, command,
                  at->qd[joint->row * at->stride + i], z, rate, ret);
    for (size_t s = 0; s < TQ_DRIVE_N_STATE; s++) {
        zd[(first + s) * at->stride + i] = rate[s];
    }
}

static tq_status act(void *ctx, const tq_instant *at, tq_scratch *scratch, const tq_action *to,
                     tq_error *reterr)
{
    const tq_driven_plant *driven = ctx;
    const size_t mark = tq_scratch_mark(scratch);
    double *commands = tq_scratch_take(scratch, driven->n_joint, sizeof *commands);
    if (commands == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_scratch_cost(driven->n_joint, sizeof(double)));
    }
    if (driven->table != NULL) {
        tq_table_at(driven->table, at->t, commands, 1);
    }
    for (size_t k = 0; k < driven->n_joint; k++) {
        double *tau = to->tau + driven->joints[k].row * at->stride;
        for (size_t i = 0; i < at->n_sample; i++) {
            tq_drive_flow flow;
            work(driven, at, k, i, driven->table != NULL ? commands[k] : tau[i], to->zd, &flow);
            tau[i] = flow.torque;
            if (i == 0 && driven->flows != NULL) {
                driven->flows[k] = flow;
            }
        }
    }
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

static double next_break(void *ctx, double t, unsigned *ret_order)
{
    const tq_driven_plant *driven = ctx;
    return tq_table_next_break(driven->table, t, ret_order);
}

tq_effect tq_driven_effect(tq_driven_plant *driven)
{
    return (tq_effect){
        .ctx = driven,
        .n_z = driven->n_joint * TQ_DRIVE_N_STATE,
        .scratch_size = tq_scratch_cost(driven->n_joint, sizeof(double)),
        .act = act,
        .next_break = driven->table != NULL ? next_break : NULL,
        .timeless = driven->table == NULL,
    };
}
