/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/table.c - the table of this build. */
#include "core/kernels/table.h"
#include "core/kernels/symbols.h"

const tq_kernels TQ_KERNEL(tq_kernels) = {
    .rnea = TQ_KERNEL(tq_rnea),
    .crba = TQ_KERNEL(tq_crba),
    .coriolis = TQ_KERNEL(tq_coriolis),
    .aba = TQ_KERNEL(tq_aba),
    .regressor = TQ_KERNEL(tq_regressor),
    .fold = TQ_KERNEL(tq_fold),
    .contract = TQ_KERNEL(tq_contract),
    .triangle = TQ_KERNEL(tq_triangle),
    .sections = TQ_KERNEL(tq_sections),
    .kinematics = TQ_KERNEL(tq_kinematics),
    .energy = TQ_KERNEL(tq_energy),
    .derivatives = TQ_KERNEL(tq_derivatives),
    .second_derivatives = TQ_KERNEL(tq_second_derivatives),
    .momentum = TQ_KERNEL(tq_momentum),
    .transpose = TQ_KERNEL(tq_transpose),
    .aba_varied = TQ_KERNEL(tq_aba_varied),
    .combine = TQ_KERNEL(tq_combine),
    .finite = TQ_KERNEL(tq_finite),
    .steady = TQ_KERNEL(tq_steady),
    .unit = TQ_KERNEL(tq_unit),
    .path_rows = TQ_KERNEL(tq_path_rows_of),
    .path_range = TQ_KERNEL(tq_path_range),
    .path_upper = TQ_KERNEL(tq_path_upper),
    .path_use = TQ_KERNEL(tq_path_use),
    .path_spline = TQ_KERNEL(tq_path_spline),
};
