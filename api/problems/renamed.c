/* SPDX-License-Identifier: Apache-2.0 */
/* api/problems/renamed.c - the renamed fields of requests: unit suffixes, and the words that were
 * not the field's standard terms. A name has several rows where its unit depended on the place. */
#include "api/problems/renamed.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *before, *now;
} table[] = {
    {"angular_frequency_rad_s", "angular_frequency_rad_s"},
    {"bandwidth", "bandwidth_hz"},
    {"constant", "constant_nm_a"},
    {"continuous", "continuous_a"},
    {"dropout_v", "dropout_v"},
    {"duration_s", "duration_s"},
    {"durations_s", "durations_s"},
    {"prior_weight", "prior_weight"},
    {"foldback_time_s", "foldback_time_s"},
    {"frequency_hz", "frequency_hz"},
    {"interval", "interval_s"},
    {"lead_time_s", "lead_time_s"},
    {"max_step_s", "max_step_s"},
    {"peak", "peak_a"},
    {"peak_reverse_a", "peak_reverse_a"},
    {"phase", "phase_rad"},
    {"position", "position_m"},
    {"rate", "rate_hz"},
    {"rate", "rate_rad_s"},
    {"rotation", "rotation_rad"},
    {"sample_time_s", "sample_time_s"},
    {"frame", "frame"},
    {"hold", "hold"},
    {"start", "start_s"},
    {"step", "step_s"},
    {"supply_v", "supply_v"},
    {"tacho_time_s", "tacho_time_s"},
    {"return_members", "return_members"},
    {"times_s", "times_s"},
};

bool tqa_renamed(const char *text, size_t n, const char *name)
{
    assert((text != NULL || n == 0) && name != NULL);
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        if (strlen(table[k].before) == n && memcmp(table[k].before, text, n) == 0 &&
            strcmp(table[k].now, name) == 0) {
            return true;
        }
    }
    return false;
}
