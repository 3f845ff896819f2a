/* SPDX-License-Identifier: Apache-2.0 */
/* api/problems/renamed.c - the renamed fields of requests: unit suffixes, and the words that were
 * not the field's standard terms. A name has several rows where its unit depended on the place. */
#include "api/problems/renamed.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *before, *now;
} table[] = {
    {"angular_frequency", "angular_frequency_rad_s"},
    {"bandwidth", "bandwidth_hz"},
    {"constant", "constant_nm_a"},
    {"continuous", "continuous_a"},
    {"dropout", "dropout_v"},
    {"duration", "duration_s"},
    {"durations", "durations_s"},
    {"entropy", "prior_weight"},
    {"foldback_time", "foldback_time_s"},
    {"frequency", "frequency_hz"},
    {"interval", "interval_s"},
    {"lead_time", "lead_time_s"},
    {"max_step", "max_step_s"},
    {"peak", "peak_a"},
    {"peak_reverse", "peak_reverse_a"},
    {"phase", "phase_rad"},
    {"position", "position_m"},
    {"rate", "rate_hz"},
    {"rate", "rate_rad_s"},
    {"rotation", "rotation_rad"},
    {"sample_time", "sample_time_s"},
    {"seen_from", "frame"},
    {"stand", "hold"},
    {"start", "start_s"},
    {"step", "step_s"},
    {"supply", "supply_v"},
    {"tacho_time", "tacho_time_s"},
    {"tell", "return_members"},
    {"times", "times_s"},
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
