/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/attach.c - files beside a calibration's answer: report, header,
 * tables, URDF. */
#include <stdlib.h>
#include <string.h>

#include "api/operations/calibrate/calibrate.h"

static bool attach_text(const tqa_calibration *c, const char *name, const char *media, char *text,
                        size_t n)
{
    const tqa_host *host = c->tree->host;
    bool good = text != NULL;
    if (good && host != NULL && host->attach != NULL) {
        good = host->attach(host->ctx, name, media, text, n) == 0;
    }
    free(text);
    if (!good) {
        (void)tqa_problem_set(c->tree->problem, "busy", "there is no room for the report now");
    }
    return good;
}

static char *copy_of(const char *text, size_t n)
{
    char *copy = malloc(n + 1);
    if (copy != NULL) {
        memcpy(copy, text, n);
        copy[n] = '\0';
    }
    return copy;
}

bool tqa_calibration_attach(const tqa_calibration *c)
{
    size_t n_page = 0;
    size_t n_header = 0;
    char *page = tqa_calibration_page(c, &n_page);
    if (!attach_text(c, "report", "text/html; charset=utf-8", page, n_page)) {
        return false;
    }
    char *header = tqa_calibration_header(c, &n_header);
    if (!attach_text(c, "parameters.h", "text/x-c; charset=utf-8", header, n_header)) {
        return false;
    }
    size_t n = 0;
    char *csv = tqa_calibration_parameters_csv(c, &n);
    if (!attach_text(c, "parameters.csv", "text/csv", csv, n)) {
        return false;
    }
    csv = tqa_calibration_prediction_csv(c, &n);
    if (!attach_text(c, "prediction.csv", "text/csv", csv, n)) {
        return false;
    }
    if (c->has_bounds) {
        csv = tqa_calibration_bounds_csv(c, &n);
        if (!attach_text(c, "bounds.csv", "text/csv", csv, n)) {
            return false;
        }
    }
    return c->urdf == NULL ||
           attach_text(c, "robot.urdf", "application/xml", copy_of(c->urdf, c->n_urdf), c->n_urdf);
}
