/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_compare.c - two logs of one torque, beside each other (item 104). */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/host.h"
#include "tests/support/one_call.h"

static const double turn = 6.283185307179586;

/* sin over a second, every `step` milliseconds */
static void add_log(tqt_host *host, const char *name, int step)
{
    static char text[65536];
    size_t n = (size_t)snprintf(text, sizeof text, "t,tau\n");
    for (int k = 0; k <= 1000; k += step) {
        const double t = 1e-3 * k;
        n += (size_t)snprintf(text + n, sizeof text - n, "%.17g,%.17g\n", t, sin(turn * t));
    }
    tqt_host_dataset(host, name, "text/csv", text, n);
}

Test(seeds, item_104_two_torque_logs)
{
    static const char body[] = "{\"a\":{\"dataset\":\"one\"},\"b\":{\"dataset\":\"four\"}}";
    static tqt_host host;
    tqt_host_open(&host);
    add_log(&host, "one", 1);
    add_log(&host, "four", 4);
    tqt_answer answer = tqt_call(NULL, body, strlen(body),
                                 (tqt_call_options){.operation = "compare", .host = &host.host});
    cr_assert(eq(int, answer.status, 200), "%s", answer.problem.detail);
    json_t *root = json_loads(answer.text, 0, NULL);
    json_t *tau = json_array_get(json_object_get(root, "columns"), 0);
    cr_assert(eq(int, (int)json_integer_value(json_object_get(root, "rows")), 1001));
    cr_assert(eq(int, (int)json_integer_value(json_object_get(root, "rows_interpolated")), 750));
    /* a chord of length h lies below its arc by h^2 f''/8 at most; here that is met up to the next
     * term, (turn h)^2/48 of it, and to the samples' distance from the peak */
    const double most = turn * turn * 4e-3 * 4e-3 / 8.0;
    const double max = json_number_value(json_object_get(tau, "max"));
    cr_assert(max <= most && max >= most * (1.0 - 1e-4), "%g of %g", max, most);
    /* the chord's error is a parabola in each interval: 0, 3/4, 1, 3/4 of h^2 f''/8 at the four
     * samples, on a sine whose square is 1/2 in the mean */
    const double rms = json_number_value(json_object_get(tau, "rms"));
    const double mean_square = (2.0 * 0.75 * 0.75 + 1.0) / 4.0 / 2.0;
    cr_assert(lt(dbl, fabs(rms - most * sqrt(mean_square)), 2e-3 * most));
    json_decref(root);
    tqt_answer_clear(&answer);
    tqt_host_close(&host);
}
