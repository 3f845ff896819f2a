/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/noise.c - noise of accelerations in the answer, and the bias that it
 * causes. */
#include <math.h>

#include "api/operations/calibrate/calibrate.h"
#include "api/operations/calibrate/parameter_names.h"

void tqa_calibration_put_noise(const tqa_calibration *c)
{
    tqa_writer *answer = c->tree->answer;
    const size_t nv = c->order.nv;
    tqa_writer_object(answer, "noise");
    tqa_writer_list(answer, "acceleration");
    for (size_t r = 0; r < nv; r++) {
        double sum = 0.0;
        for (size_t i = 0; i < c->n_fitted; i++) {
            sum += c->found->variance[i * nv + c->order.v[r]] / (double)c->n_fitted;
        }
        tqa_writer_number(answer, NULL, sqrt(sum));
    }
    tqa_writer_end(answer);
    tqa_writer_flag(answer, "chose_instruments", c->chosen.took_instruments);
    if (c->found->bias == NULL) {
        tqa_writer_none(answer, "least_squares_bias", "by instruments from the start");
    } else if (!(c->found->bias_worst > 0.0)) {
        tqa_writer_none(answer, "least_squares_bias", "no noise is seen");
    } else {
        char name[TQA_SYMBOL_MAX];
        tqa_column_name(c->tree->robot->model, &c->found->columns[c->found->biased], name);
        tqa_writer_object(answer, "least_squares_bias");
        tqa_writer_string(answer, "name", name);
        tqa_writer_number(answer, "expected", c->found->bias[c->found->biased]);
        tqa_writer_number(answer, "deviations", c->found->bias_worst);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}
