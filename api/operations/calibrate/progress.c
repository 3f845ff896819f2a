/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/progress.c - progress of a calibration's job: it never decreases. */
#include <math.h>

#include "api/operations/calibrate/calibrate.h"

/* of the whole */
static const double survey_share = 0.08;
static const double report_share = 0.03;

static bool report(tqa_calibration *c, double fraction, const char *step)
{
    const tqa_host *host = c->tree->host;
    c->progress = fmax(c->progress, fraction);
    if (host != NULL && host->progress != NULL) {
        host->progress(host->ctx, c->progress, step);
    }
    if (host != NULL && host->cancelled != NULL && host->cancelled(host->ctx)) {
        (void)tqa_problem_set(c->tree->problem, "busy", "the job was stopped");
        return false;
    }
    return true;
}

bool tqa_calibration_survey_progress(tqa_calibration *c, double i, size_t n)
{
    return report(c, survey_share * i / (double)(n > 0 ? n : 1), "survey");
}

bool tqa_calibration_pass_progress(tqa_calibration *c, tq_identify_pass pass, double part)
{
    static const char *const steps[] = {[TQ_IDENTIFY_PASS_NONE] = "fit",
                                        [TQ_IDENTIFY_PASS_ALIGN] = "align",
                                        [TQ_IDENTIFY_PASS_FIT] = "fit",
                                        [TQ_IDENTIFY_PASS_SHIFT] = "align",
                                        [TQ_IDENTIFY_PASS_NOISE] = "fit",
                                        [TQ_IDENTIFY_PASS_VALIDATE] = "validate",
                                        [TQ_IDENTIFY_PASS_INSTRUMENTS] = "compare",
                                        [TQ_IDENTIFY_PASS_COMPARE] = "compare"};
    const double of_session = tq_identify_progress(c->session, part);
    return report(c, survey_share + (1.0 - survey_share - report_share) * of_session, steps[pass]);
}

bool tqa_calibration_report_progress(tqa_calibration *c)
{
    return report(c, 1.0 - report_share, "verdict");
}
