/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/rows.c - range checks of raw rows; quaternions. */
#include "core/signal/rows.h"

#include <math.h>

/* Larger values are no motion of a machine, but errors of a file. */
static const double absurd[] = {[TQ_QUANTITY_Q] = 1e4,
                                [TQ_QUANTITY_QD] = 1e4,
                                [TQ_QUANTITY_QDD] = 1e6,
                                [TQ_QUANTITY_TAU] = 1e6};

void tq_rows_check(tq_quantity quantity, size_t n, const double *x, unsigned char *inout_state)
{
    const double most = absurd[quantity];
    unsigned bad = 0;
    for (size_t i = 0; i < n; i++) {
        bad |= !(fabs(x[i]) <= most);
    }
    for (size_t i = 0; bad != 0 && i < n; i++) {
        if (!isfinite(x[i])) {
            inout_state[i] = TQ_ROW_NOT_FINITE;
        } else if (fabs(x[i]) > most && inout_state[i] == TQ_ROW_GOOD) {
            inout_state[i] = TQ_ROW_ABSURD;
        }
    }
}

void tq_rows_scale_quaternion(size_t n, double *inout_q, unsigned char *inout_state)
{
    static const double slack = 0.01; /* of the length */
    for (size_t i = 0; i < n; i++) {
        double square = 0.0;
        for (size_t k = 0; k < 4; k++) {
            square += inout_q[k * TQ_RAW_ROWS + i] * inout_q[k * TQ_RAW_ROWS + i];
        }
        const double length = sqrt(square);
        if (inout_state[i] == TQ_ROW_GOOD && !(fabs(length - 1.0) <= slack)) {
            inout_state[i] = TQ_ROW_NOT_UNIT;
        }
        for (size_t k = 0; inout_state[i] == TQ_ROW_GOOD && k < 4; k++) {
            inout_q[k * TQ_RAW_ROWS + i] /= length;
        }
    }
}

bool tq_rows_all_good(size_t n, const unsigned char *state)
{
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        good = good && state[i] == TQ_ROW_GOOD;
    }
    return good;
}
