/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/test_drive.c - POST /v1/drive by api/operation.h. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <math.h>

#include "tests/support/ask.h"

#define MOTOR                                                                                      \
    "'motor':{'constant_nm_a':0.05,'resistance':0.6,'inductance':6e-4,'inertia':1e-4,'viscous':2e-4}"

static void near(json_t *root, const char *path, double want)
{
    const double got = tqt_number(root, path);
    /* closed forms of a few operations, and bisection to the last bits */
    cr_expect(fabs(got - want) <= 1e-12 * fabs(want) + 1e-15, "%s: %.17g, not %.17g", path, got,
              want);
}

static int is(json_t *root, const char *path, json_type type)
{
    return json_typeof(tqt_at(root, path)) == type;
}

Test(drive, line_and_inertia)
{
    const char *body = "{'drive':{" MOTOR ",'gear':{'ratio':100},'amplifier':{'supply_v':48},"
                       "'current_limit':{'peak_a':15}},'load':{'inertia':0.05,'viscous':0.1},"
                       "'speed':[0,900],'duty':[0,0.5,0.75]}";
    json_t *a = tqt_ask(NULL, "drive", body);
    near(a, "line.stall_torque", 4.0);
    near(a, "line.no_load_speed_rad_s", 960.0);
    near(a, "line.free_speed_rad_s", 0.05 * 48.0 / (0.05 * 0.05 + 0.6 * 2e-4));
    near(a, "line.held_torque", 0.75);
    near(a, "line.held_below_rad_s", 780.0);
    near(a, "line.points.torque.0", 0.75);
    near(a, "line.points.torque.1", 0.25);
    near(a, "line.points.voltage.0", 9.0);
    near(a, "duty_voltage.0", -48.0);
    near(a, "duty_voltage.1", 0.0);
    near(a, "duty_voltage.2", 24.0);
    near(a, "inertia.load_side.inertia", 1.05);
    near(a, "inertia.load_side.viscous", 2.1);
    near(a, "inertia.motor_side.inertia", 1.05e-4);
    near(a, "inertia.motor_side.viscous", 2.1e-4);
    near(a, "reduction.electrical_time_s", 1e-3);
    near(a, "reduction.corner_hz", 159.15494309189535);
    cr_expect(json_object_get(a, "loops") == NULL && json_object_get(a, "bode") == NULL);
    tqt_same_in_cbor(NULL, "drive", body, a);
    json_decref(a);
}

Test(drive, bode_and_margins_of_a_cancelled_loop)
{
    /* p/i = L/R, shaft held: 1000/s open, 1000/(s + 1000) closed */
    json_t *a = tqt_ask(NULL, "drive",
                        "{'drive':{" MOTOR ",'current_loop':{'p':0.6,'i':600}},"
                        "'load':{'locked':true},'angular_frequency_rad_s':[10,1000,1e5],"
                        "'responses':['current','current_open']}");
    near(a, "loops.current.bandwidth_rad_s", 1000.0);
    near(a, "loops.current.crossover_rad_s", 1000.0);
    cr_expect(fabs(tqt_number(a, "loops.current.phase_margin_rad") - M_PI_2) < 1e-12);
    cr_expect(is(a, "loops.current.stable", JSON_TRUE));
    cr_expect(is(a, "loops.current.gain_margin", JSON_NULL));
    cr_expect(is(a, "loops.current.gain_margin_reason", JSON_STRING));
    near(a, "bode.current.magnitude.1", M_SQRT1_2);
    near(a, "bode.current.phase_rad.1", -M_PI_4);
    near(a, "bode.current_open.magnitude.0", 100.0);
    near(a, "bode.current_open.magnitude.2", 0.01);
    cr_expect(json_object_get(json_object_get(a, "bode"), "admittance") == NULL);
    cr_expect(json_object_get(a, "reduction") == NULL, "nothing turns");
    json_decref(a);
}

Test(drive, phase_is_drawn_without_jumps)
{
    /* three lags and a delay: far beyond -180 degrees */
    json_t *a =
        tqt_ask(NULL, "drive",
                "{'drive':{" MOTOR ",'amplifier':{'supply_v':48,'frequency_hz':1000},"
                "'current_loop':{'p':0.6,'i':600},'velocity_loop':{'gain':1,'tacho_time_s':1e-3}},"
                "'angular_frequency_rad_s':[1,10,100,300,1000,2000,3000,5000,7000,9000],"
                "'responses':['velocity_open']}");
    for (size_t k = 1; k < 10; k++) {
        const double before = tqt_at_number(a, "bode.velocity_open.phase_rad", k - 1);
        const double phase = tqt_at_number(a, "bode.velocity_open.phase_rad", k);
        cr_expect(fabs(phase - before) < M_PI && phase < before, "%zu: %g %g", k, before, phase);
        const double re = tqt_at_number(a, "bode.velocity_open.real", k);
        const double im = tqt_at_number(a, "bode.velocity_open.imaginary", k);
        cr_expect(fabs(remainder(phase - atan2(im, re), 2.0 * M_PI)) < 1e-12);
    }
    cr_expect(tqt_at_number(a, "bode.velocity_open.phase_rad", 9) < -1.5 * M_PI);
    json_decref(a);
}

Test(drive, without_inductance_or_supply)
{
    json_t *a =
        tqt_ask(NULL, "drive",
                "{'drive':{'motor':{'constant_nm_a':0.05,'resistance':0.6,'inertia':1e-4}}}");
    cr_expect(json_object_get(a, "line") == NULL, "no voltage is known");
    cr_expect(is(a, "reduction.corner_hz", JSON_NULL));
    near(a, "reduction.speed_error", 0.0);
    json_decref(a);
}

typedef struct refusal {
    const char *body;
    int status;
    const char *slug, *pointer;
} refusal;

#define SMALL "'motor':{'constant_nm_a':0.05,'resistance':0.6,'inertia':1e-4}"
/* clang-format off */
static const refusal refusals[] = {
    {"{}", 422, "missing-field", "/drive"},
    {"{'drive':{}}", 422, "missing-field", "/drive/motor"},
    {"{'drive':{'motor':{'constant_nm_a':1}}}", 422, "missing-field", "/drive/motor/resistance"},
    {"{'drive':{'motor':{'constant_nm_a':0,'resistance':1}}}", 422, "range", "/drive/motor/constant_nm_a"},
    {"{'drive':{'motor':{'constant_nm_a':1,'resistance':'R'}}}", 400, "wrong-type", "/drive/motor/resistance"},
    {"{'drive':{'motor':{'constant_nm_a':1,'resistance':1}}}", 422, "range", "/load"},
    {"{'drive':{" SMALL ",'gear':{'ratio':0}}}", 422, "range", "/drive/gear/ratio"},
    {"{'drive':{" SMALL ",'gear':{'eta':10}}}", 400, "unknown-field", "/drive/gear/eta"},
    {"{'drive':{" SMALL ",'amplifier':{'kind':'tube'}}}", 422, "unknown-name", "/drive/amplifier/kind"},
    {"{'drive':{" SMALL ",'amplifier':{'kind':'linear','supply_v':5,'dropout_v':6}}}", 422, "range", "/drive/amplifier/dropout_v"},
    {"{'drive':{" SMALL ",'current_limit':{'foldback_time_s':2}}}", 422, "range", "/drive/current_limit/foldback_time_s"},
    {"{'drive':{" SMALL ",'velocity_loop':{'lead':2}}}", 422, "missing-field", "/drive/velocity_loop/gain"},
    {"{'drive':{" SMALL "},'load':{'viscous':-1}}", 422, "range", "/load/viscous"},
    {"{'drive':{" SMALL "},'speed':[1]}", 422, "missing-field", "/voltage"},
    {"{'drive':{" SMALL "},'duty':[0.5]}", 422, "range", "/duty"},
    {"{'drive':{" SMALL ",'amplifier':{'supply_v':5}},'duty':[0.5,2]}", 422, "range", "/duty/1"},
    {"{'drive':{" SMALL "},'angular_frequency_rad_s':[1,0]}", 422, "range", "/angular_frequency_rad_s/1"},
    {"{'drive':{" SMALL "},'angular_frequency_rad_s':[1],'responses':['current']}", 422, "range", "/responses"},
    {"{'drive':{" SMALL "},'responses':['speed']}", 422, "missing-field", "/angular_frequency_rad_s"},
};
/* clang-format on */

ParameterizedTestParameters(drive, refusals)
{
    static size_t rows[sizeof refusals / sizeof refusals[0]];
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        rows[k] = k;
    }
    return cr_make_param_array(size_t, rows, sizeof rows / sizeof rows[0]);
}

ParameterizedTest(size_t *row, drive, refusals)
{
    const refusal *r = &refusals[*row];
    tqt_refused(NULL, "drive", r->body, r->status, r->slug, r->pointer, NULL);
}
