/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/test_assemble.c - the four-bar linkage at given crank angles against
 * the cosine law, its rates against the velocity equation, and each refusal. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>

#include "tests/support/ask.h"

/* ground 0.5, crank 0.2, coupler 0.5, rocker 0.4: the rocker's angle by the triangle of the crank's
 * pin, the rocker's pivot and the coupler's pin; `side` +1: above that diagonal (R. L. Norton,
 * Design of Machinery, 4.5) */
static double rocker_at(double crank, double side)
{
    const double x = 0.5 - 0.2 * cos(crank), y = -0.2 * sin(crank);
    const double diagonal = hypot(x, y);
    const double at_rocker = (diagonal * diagonal + 0.16 - 0.25) / (2.0 * diagonal * 0.4);
    return atan2(-y, -x) - side * acos(at_rocker);
}

static double apart(double a, double b)
{
    return fabs(remainder(a - b, 2.0 * acos(-1.0)));
}

Test(assemble, four_bar_on_both_branches)
{
    for (int k = 0; k < 40; k++) {
        const double crank = 0.3 * k;
        double found[2];
        for (int branch = 0; branch < 2; branch++) {
            /* coordinates of about crank = 0: 0.3 m from pin to pivot, 0.4 and 0.5 m */
            const double rocker = rocker_at(0.0, branch == 0 ? 1.0 : -1.0);
            const double knee = atan2(0.4 * sin(rocker), 0.3 + 0.4 * cos(rocker));
            char body[256];
            (void)snprintf(body, sizeof body, "{'q':{'crank':%.17g},'near':[0,%.3f,%.3f]}", crank,
                           knee, rocker);
            json_t *a = tqt_ask("four-bar", "assemble", body);
            double q[3];
            tqt_numbers(a, "q", q, 3);
            cr_assert(eq(dbl, q[0], crank));
            cr_assert(lt(dbl, apart(q[2], rocker_at(crank, branch == 0 ? 1.0 : -1.0)), 1e-8),
                      "crank %g, branch %d: %.12g", crank, branch, q[2]);
            cr_assert(eq(dbl, tqt_number(a, "undecided"), 0.0));
            found[branch] = q[2];
            json_decref(a);
        }
        cr_assert(gt(dbl, apart(found[0], found[1]), 0.1));
    }
}

/* velocity of the closing pin by crank and coupler, and by the rocker */
Test(assemble, rates)
{
    json_t *a = tqt_ask("four-bar", "assemble", "{'q':{'crank':[0.4,1.9]},'qd':{'crank':2}}");
    for (size_t i = 0; i < 2; i++) {
        const char *const rows[2][3] = {{"q.0", "qd.0", "qdd.0"}, {"q.1", "qd.1", "qdd.1"}};
        double q[3], w[3], e[3];
        tqt_numbers(a, rows[i][0], q, 3);
        tqt_numbers(a, rows[i][1], w, 3);
        tqt_numbers(a, rows[i][2], e, 3);
        const double turn = q[0] + q[1], rate = w[0] + w[1], gain = e[0] + e[1];
        cr_assert(eq(dbl, w[0], 2.0));
        cr_assert(eq(dbl, e[0], 0.0));
        const double vx = -0.2 * sin(q[0]) * w[0] - 0.5 * sin(turn) * rate;
        const double vy = 0.2 * cos(q[0]) * w[0] + 0.5 * cos(turn) * rate;
        cr_assert(lt(dbl, fabs(vx + 0.4 * sin(q[2]) * w[2]), 1e-12));
        cr_assert(lt(dbl, fabs(vy - 0.4 * cos(q[2]) * w[2]), 1e-12));
        const double ax =
            -0.2 * cos(q[0]) * 4.0 - 0.5 * (cos(turn) * rate * rate + sin(turn) * gain);
        const double bx = -0.4 * (cos(q[2]) * w[2] * w[2] + sin(q[2]) * e[2]);
        const double ay =
            -0.2 * sin(q[0]) * 4.0 + 0.5 * (cos(turn) * gain - sin(turn) * rate * rate);
        const double by = 0.4 * (cos(q[2]) * e[2] - sin(q[2]) * w[2] * w[2]);
        cr_assert(lt(dbl, fabs(ax - bx), 1e-10));
        cr_assert(lt(dbl, fabs(ay - by), 1e-10));
    }
    json_decref(a);
}

Test(assemble, refusals)
{
    tqt_refused("four-bar", "assemble", "{}", 422, "missing-field", "/q", NULL);
    tqt_refused("four-bar", "assemble", "{'q':[0,0,0]}", 400, "wrong-type", "/q", NULL);
    tqt_refused("four-bar", "assemble", "{'q':{}}", 400, "wrong-type", "/q", NULL);
    tqt_refused("four-bar", "assemble", "{'q':{'crnk':0}}", 422, "unknown-name", "/q/crnk", NULL);
    tqt_refused("four-bar", "assemble", "{'q':{'crank':[0,1]},'qd':{'crank':[0,1,2]}}", 422,
                "wrong-length", "/qd", NULL);
    tqt_refused("four-bar", "assemble", "{'q':{'crank':0},'qdd':{'knee':1}}", 422, "invalid-value",
                "/qdd/knee", NULL);
    tqt_refused("four-bar", "assemble", "{'q':{'crank':0},'qd':[0,0,1]}", 400, "wrong-type", "/qd",
                NULL);
    tqt_refused("four-bar", "assemble", "{'q':{'rocker':0}}", 422, "no-convergence", "/q", NULL);
    tqt_refused("panda", "assemble", "{'q':{'joint1':0}}", 422, "invalid-robot", "", NULL);
    tqt_refused("rolling-disk", "assemble", "{'q':{'nothing':0}}", 422, "unknown-name",
                "/q/nothing", NULL);
}
