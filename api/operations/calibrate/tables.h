/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/tables.h - tables of a calibration's report, a row for each joint. */
#ifndef TQA_OPERATIONS_CALIBRATE_TABLES_H
#define TQA_OPERATIONS_CALIBRATE_TABLES_H

#include "api/operations/calibrate/calibrate.h"
#include "api/response/html.h"

/* Errors of torque; what is left of it; forward simulations; poses at rest. The last two write
 * nothing where the logs have none. */
void tqa_calibration_page_errors(tqa_html *page, const tqa_calibration *calibration);
void tqa_calibration_page_residuals(tqa_html *page, const tqa_calibration *calibration);
void tqa_calibration_page_forward(tqa_html *page, const tqa_calibration *calibration);
void tqa_calibration_page_static_check(tqa_html *page, const tqa_calibration *calibration);

/* Other estimators; nothing where the request names none. */
void tqa_calibration_page_comparison(tqa_html *page, const tqa_calibration *calibration);

/* Bounds of the request; nothing where it has none. */
void tqa_calibration_page_bounds(tqa_html *page, const tqa_calibration *calibration);

/* Of row v of torque. */
const char *tqa_calibration_joint_name(const tqa_calibration *calibration, size_t v);

#endif
