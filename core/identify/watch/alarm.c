/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/watch/alarm.c - expected crossings of a level by correlated noise. */
#include "core/identify/watch/alarm.h"

#include <math.h>

#include "core/elementary/elementary.h"

enum { PANELS = 128, STEPS = 60 };  /* of Simpson's rule; of bisection */
static const double highest = 38.0; /* standard deviations: exp(-38^2 / 2) is 1e-314 */

double tq_alarm_rate(double level, double correlation)
{
    const double c = fmax(-1.0, fmin(correlation, 1.0));
    const double end = tq_atan2(sqrt(fmax(1.0 - c * c, 0.0)), c);
    const double h = end / (double)PANELS;
    double sum = 0.0;
    for (unsigned k = 0; k <= PANELS; k++) {
        const double weight = k == 0 || k == PANELS ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;
        const double below = 1.0 + tq_cos(h * (double)k);
        sum += below > 0.0 ? weight * tq_exp(-level * level / below) : 0.0;
    }
    return sum * h / 3.0 / (2.0 * M_PI);
}

double tq_alarm_level(double rate, double correlation)
{
    double low = 0.0, high = highest;
    for (unsigned k = 0; k < STEPS; k++) {
        const double middle = 0.5 * (low + high);
        if (tq_alarm_rate(middle, correlation) > rate) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return tq_alarm_rate(0.0, correlation) > rate ? high : 0.0;
}
