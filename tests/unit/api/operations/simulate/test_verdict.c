/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/simulate/test_verdict.c - controllers, disturbances, audit, tracking
 * and verdict of a simulation by api/operation.h. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/ask.h"

#define LINE                                                                                       \
    "{'poses':[{'position':[0.10,0.15,0.35]},{'position':[0.25,0.05,0.55]}],'times_s':[0,2],"      \
    "'timing':'quintic','frame':'rod'}"
#define START       "'initial':{'q':[1.965587446494658,0.7853981633974485,0.21213203435596423]}"
#define TWO_SECONDS "'duration_s':2,'output':{'interval_s':0.1}"
#define TIGHT       "'solver':{'rtol':1e-11,'atol':1e-12}"

Test(simulate_verdict, audit_and_base_reaction_of_the_homework)
{
    json_t *r = tqt_ask("rrp", "simulate",
                        "{" START "," TWO_SECONDS "," TIGHT
                        ",'input':{'kind':'feedforward','reference':" LINE "},"
                        "'include':['energy','momentum','base_reaction','tracking_error']}");
    /* item 94: the weight at both ends */
    double base[21 * 6], kinetic[21], potential[21], error[21 * 3];
    tqt_numbers(r, "base_reaction", base, 21 * 6);
    tqt_numbers(r, "kinetic_energy", kinetic, 21);
    tqt_numbers(r, "potential_energy", potential, 21);
    tqt_numbers(r, "tracking_error", error, 21 * 3);
    cr_assert(epsilon_eq(dbl, base[2], 10.313253, 1e-6));
    cr_assert(epsilon_eq(dbl, base[20 * 6 + 2], 10.313253, 1e-4));
    cr_assert(gt(dbl, base[5 * 6 + 2], 10.45), "more while it speeds up");
    cr_assert(lt(dbl, base[15 * 6 + 2], 10.2), "less while it slows down");
    cr_assert(lt(dbl, fabs(tqt_number(r, "audit.energy.residual_max")), 1e-10));
    cr_assert(lt(dbl, tqt_number(r, "audit.energy.relative"), 1e-8));
    cr_assert(lt(dbl, tqt_number(r, "audit.momentum.relative"), 1e-10));
    cr_assert(epsilon_eq(dbl, tqt_number(r, "audit.energy.work"),
                         potential[20] - potential[0] + kinetic[20], 1e-10));
    /* item 98: percent of the arc, 0.2693 m long */
    cr_assert(epsilon_eq(dbl, tqt_number(r, "tracking.point.length"), 0.269258, 1e-6));
    cr_assert(lt(dbl, tqt_number(r, "tracking.point.max_percent"), 1e-3), "item 97");
    cr_assert(epsilon_eq(dbl, tqt_number(r, "tracking.final.1"), error[20 * 3 + 1], 1e-15));
    json_decref(r);
}

/* A pendulum without friction with long steps of semi-implicit Euler, whose energy oscillates: the
 * audit's largest residual is that of its rows. */
Test(simulate_verdict, the_audit_keeps_the_largest_residual)
{
    enum { ROWS = 201 };
    json_t *r =
        tqt_ask("pendulum", "simulate",
                "{'initial':{'q':[1.5]},'duration_s':2,'output':{'interval_s':0.01},'solver':"
                "{'method':'semi-implicit-euler','step_s':0.01},'include':['energy']}");
    double kinetic[ROWS], potential[ROWS], most = 0.0, most_kinetic = 0.0;
    tqt_numbers(r, "kinetic_energy", kinetic, ROWS);
    tqt_numbers(r, "potential_energy", potential, ROWS);
    for (int k = 0; k < ROWS; k++) {
        most = fmax(most, fabs(kinetic[k] + potential[k] - kinetic[0] - potential[0]));
        most_kinetic = fmax(most_kinetic, kinetic[k]);
    }
    cr_assert(gt(dbl, most, 1e-3));
    cr_expect(epsilon_eq(dbl, tqt_number(r, "audit.energy.residual_max"), most, 1e-9),
              "%.12g, %.12g", tqt_number(r, "audit.energy.residual_max"), most);
    const double last = kinetic[ROWS - 1] + potential[ROWS - 1] - kinetic[0] - potential[0];
    cr_expect(epsilon_eq(dbl, fabs(tqt_number(r, "audit.energy.residual")), fabs(last), 1e-9));
    json_decref(r);
}

/* item 102, with the holding torque of the homework */
Test(simulate_verdict, growth_rate_is_reported)
{
    json_t *r =
        tqt_ask("rrp", "simulate",
                "{'initial':{'q':[0.4,0.6,0.25]},'duration_s':0.1,'output':{'interval_s':0.05},"
                "'input':{'kind':'feedforward','reference':{'setpoint':[0.4,0.6,0.25]}}}");
    cr_assert(epsilon_eq(dbl, tqt_number(r, "verdict.growth_rate_per_s"), 8.2557, 0.0826));
    cr_assert(epsilon_eq(dbl, tqt_number(r, "verdict.doubling_time_s"), log(2) / 8.2557, 1e-3));
    /* cosh 0.8256 in the direction of the mode, which involves two joints */
    const double gain = tqt_number(r, "verdict.amplification");
    cr_assert(all(gt(dbl, gain, cosh(0.8256)), lt(dbl, gain, 1.2 * cosh(0.8256))), "%g", gain);
    cr_assert(eq(str, (char *)(uintptr_t)json_string_value(tqt_at(r, "verdict.loop")), "open"));
    cr_assert(eq(int, json_is_null(tqt_at(r, "verdict.expected_error.input")), 1));
    json_decref(r);
    /* closed loop: errors of the same arm decay */
    r = tqt_ask("rrp", "simulate",
                "{'initial':{'q':[0.4,0.6,0.25]},'duration_s':0.1,'output':{'interval_s':0.05},"
                "'input':{'kind':'computed-torque','kp':100,'kd':20,"
                "'reference':{'setpoint':[0.4,0.6,0.25]}}}");
    cr_assert(epsilon_eq(dbl, tqt_number(r, "verdict.growth_rate_per_s"), -10, 1e-2), "(s + 10)^2");
    cr_assert(eq(str, (char *)(uintptr_t)json_string_value(tqt_at(r, "verdict.loop")), "closed"));
    cr_assert(eq(int, json_is_null(tqt_at(r, "verdict.doubling_time_s")), 1));
    json_decref(r);
}

/* a stable loop that is unstable if sampled too slowly: predicted, and observed */
Test(simulate_verdict, slow_samples_are_reported_as_unstable)
{
    const char *plain =
        "{'initial':{'q':[0.4,0.6,0.25]},'duration_s':2,'output':{'interval_s':0.1},"
        "'input':{'kind':'computed-torque','kp':400,'kd':40,'sample_time_s':%g,"
        "'reference':{'setpoint':[0.401,0.6,0.25]}}}";
    for (int slow = 0; slow < 2; slow++) {
        char body[512];
        (void)snprintf(body, sizeof body, plain, slow ? 0.06 : 0.002);
        json_t *r = tqt_ask("rrp", "simulate", body);
        const double rate = tqt_number(r, "verdict.growth_rate_per_s");
        cr_assert(eq(int, rate > 0, slow), "%g", rate);
        if (slow) { /* the mode of the first joint: double integrators under kp and kd */
            cr_assert(gt(dbl, fabs(tqt_at_number(r, "tracking.max", 0)), 1e-2), "it shakes");
        } else {
            cr_assert(lt(dbl, fabs(tqt_at_number(r, "tracking.final", 0)), 1e-6), "it is at rest");
        }
        json_decref(r);
    }
}

/* a run that diverges is reported up to its end, with its energy balance */
Test(simulate_verdict, a_diverged_run_is_judged)
{
    json_t *r = tqt_ask("planar-2r", "simulate",
                        "{'initial':{'q':[0.3,0.4]},'duration_s':1,'output':{'interval_s':0.001},"
                        "'input':{'kind':'torque','t':[0,1],'tau':[[1e9,1e9],[1e9,1e9]]},"
                        "'include':['momentum','energy']}");
    cr_assert(
        eq(str, (char *)(uintptr_t)json_string_value(tqt_at(r, "verdict.outcome")), "diverged"));
    cr_assert(lt(dbl, tqt_number(r, "audit.energy.relative"), 1e-6));
    cr_assert(gt(dbl, tqt_number(r, "verdict.growth_rate_per_s"), 0.0));
    json_decref(r);
}

/* the predicted error of a model with 1 % uncertainty, and that of a robot that is 1 % heavier, in
 * the linear range */
Test(simulate_verdict, predicted_model_error_is_that_of_a_run)
{
    const char *plain =
        "{'initial':{'q':[0.4,0.6,0.25]},'duration_s':0.2,'output':{'interval_s':0.01},"
        "'input':{'kind':'feedforward','reference':{'setpoint':[0.4,0.6,0.25]}%s}%s}";
    char body[1024];
    (void)snprintf(body, sizeof body, plain, "", ",'verdict':{'model_uncertainty':0.001}");
    json_t *predicted = tqt_ask("rrp", "simulate", body);
    (void)snprintf(body, sizeof body, plain, ",'model':{'mass_scale':1.001}", "");
    json_t *came = tqt_ask("rrp", "simulate", body);
    double most = 0;
    for (size_t k = 0; k < 3; k++) {
        most = fmax(most, fabs(tqt_at_number(came, "tracking.final", k)));
    }
    cr_assert(gt(dbl, most, 1e-5));
    cr_assert(
        epsilon_eq(dbl, tqt_number(predicted, "verdict.expected_error.model"), most, 0.05 * most));
    json_decref(predicted);
    json_decref(came);
}

Test(simulate_verdict, a_sampled_controller_holds_against_noise_and_payload)
{
    const char *body = "{'initial':{'q':[0,-0.8,0,-2.3,0,1.6,0.8]},'duration_s':0.5,"
                       "'output':{'interval_s':0.05},"
                       "'payload':{'link':'flange','mass':1,'com':[0,0,0.05]},"
                       "'input':{'kind':'passivity-based','kd':40,'lambda':10,'ki':50,"
                       "'sample_time_s':0.001,'effort_limits':'robot','model':{},"
                       "'reference':{'setpoint':[0,-0.8,0,-2.3,0,1.6,0.8]}},"
                       "'disturbance':[{'kind':'noise','torque':[1,1,1,1,1,1,1],'interval_s':0.002,"
                       "'seed':%d}],'solver':{'rtol':1e-7}}";
    char text[1024];
    double last[2][7];
    for (int seed = 0; seed < 2; seed++) {
        (void)snprintf(text, sizeof text, body, seed);
        json_t *r = tqt_ask("panda", "simulate", text);
        cr_assert(lt(dbl, tqt_number(r, "tracking.point.max"), 0.02));
        cr_assert(gt(dbl, tqt_number(r, "tracking.point.max"), 1e-4), "it is disturbed");
        for (size_t k = 0; k < 7; k++) {
            last[seed][k] = tqt_at_number(r, "tracking.final", k);
        }
        json_decref(r);
        r = tqt_ask("panda", "simulate", text);
        cr_assert(eq(dbl, tqt_at_number(r, "tracking.final", 3), last[seed][3]), "same seed");
        json_decref(r);
    }
    cr_assert(ne(dbl, last[0][3], last[1][3]), "another seed");
}

/* the same wrench in three forms */
Test(simulate_verdict, wrenches_are_what_they_say)
{
    static const char *const pushes[] = {
        "'external_wrenches':[{'link':'link2','force':[0,3,0],'moment':[0,0,0.5],'at':'origin',"
        "'applied_to':'robot','expressed_in':'world'}]",
        "'external_wrenches':[{'link':'link2','force':[[0,-3,0],[0,-3,0]],"
        "'moment':[[0,0,-0.5],[0,0,-0.5]],'t':[0,9],'interpolation':'hold','at':'origin',"
        "'applied_to':'environment','expressed_in':'world'}]",
        "'disturbance':[{'kind':'pulse','wrench':{'link':'link2','force':[0,3,0],"
        "'moment':[0,0,0.5],'at':'origin','applied_to':'robot','expressed_in':'world'}}]",
        "'disturbance':[{'kind':'table','t':[0,9],'interpolation':'hold','wrench':{'link':'link2',"
        "'force':[[0,3,0],[0,3,0]],'moment':[[0,0,0.5],[0,0,0.5]],'at':'origin',"
        "'applied_to':'robot','expressed_in':'world'}}]"};
    double first[2] = {0};
    for (size_t k = 0; k < 4; k++) {
        char body[1024];
        (void)snprintf(body, sizeof body,
                       "{'initial':{'q':[0.3,0.4]},'duration_s':0.2,'output':{'interval_s':0.1},"
                       "'include':['momentum'],%s}",
                       pushes[k]);
        json_t *r = tqt_ask("planar-2r", "simulate", body);
        for (size_t i = 0; i < 2; i++) {
            char path[16];
            (void)snprintf(path, sizeof path, "q.2.%zu", i);
            const double q = tqt_number(r, path);
            first[i] = k == 0 ? q : first[i];
            cr_assert(eq(dbl, q, first[i]), "push %zu", k);
        }
        cr_assert(
            epsilon_eq(dbl, tqt_at_number(r, "audit.momentum.external_impulse", 1), 0.6, 1e-12));
        cr_assert(lt(dbl, tqt_number(r, "audit.momentum.relative"), 1e-8));
        cr_assert(ne(dbl, tqt_number(r, "audit.energy.external"), 0.0));
        cr_assert(lt(dbl, tqt_number(r, "audit.energy.relative"), 1e-7));
        json_decref(r);
    }
}

Test(simulate_verdict, refusals_have_place_and_hint)
{
#define BEGIN "{'initial':{'q':[0.3,0.4]},'duration_s':0.2,'output':{'interval_s':0.1},"
    static const struct {
        const char *rest, *slug, *pointer, *hint;
        int status;
    } rows[] = {
        {"'include':['tracking_error']}", "invalid-value", "/include", NULL, 422},
        {"'input':{'kind':'pd','kp':1,'kd':1}}", "missing-field", "/input/reference", NULL, 422},
        {"'input':{'kind':'pd','kd':1,'reference':{'setpoint':[0,0]}}}", "missing-field",
         "/input/kp", "add \"kp\": 100, or one for each joint", 422},
        {"'input':{'kind':'pd','kp':[1,-1],'kd':1,'reference':{'setpoint':[0,0]}}}", "range",
         "/input/kp/1", NULL, 422},
        {"'input':{'kind':'feedforward','kp':1,'reference':{'setpoint':[0,0]}}}", "invalid-value",
         "/input/kp", "leave it out", 422},
        {"'input':{'kind':'pd','kp':1,'kd':1,'model':{},'reference':{'setpoint':[0,0]}}}",
         "invalid-value", "/input/model", "leave it out", 422},
        {"'input':{'kind':'pd','kp':1,'kd':1,'reference':{'setpoint':[0,0],'timing':'cubic'}}}",
         "invalid-value", "/input/reference/timing", "leave it out", 422},
        {"'input':{'kind':'pid','kp':1}}", "unknown-name", "/input/kind", NULL, 422},
        {"'input':{'kind':'pd','kp':1,'kd':1,'sample_time_s':0,'reference':{'setpoint':[0,0]}}}",
         "range", "/input/sample_time_s", NULL, 422},
        {"'input':{'kind':'pd','kp':1,'kd':1,'reference':{'table':{'t':[0,0],'q':[[0,0],[0,0]]}}}}",
         "range", "/input/reference/table/t/1", NULL, 422},
        {"'disturbance':[{'kind':'pulse'}]}", "missing-field", "/disturbance/0/torque", NULL, 422},
        {"'disturbance':[{'kind':'noise','torque':[1,1],'interval_s':0.1}]}", "missing-field",
         "/disturbance/0/seed", NULL, 422},
        {"'disturbance':[{'kind':'sine','torque':[1,1],'frequency_hz':-1}]}", "range",
         "/disturbance/0/frequency_hz", NULL, 422},
        {"'external_wrenches':[{'link':'link2','force':[0,0,1],'moment':[0,0,0],'at':'com',"
         "'expressed_in':'world'}]}",
         "missing-field", "/external_wrenches/0/applied_to", NULL, 422},
        {"'input':{'kind':'pd','kp':1,'kd':1,'reference':{'poses':[{'position':[9,9,0]},"
         "{'position':[0.5,0.5,0]}],'times_s':[0,1],'timing':'cubic','frame':'link2',"
         "'axes':['x','y']}}}",
         "no-convergence", "/input/reference/poses/0", "bring the pose within reach", 422},
        {"'verdict':{'tolerated_error':0}}", "range", "/verdict/tolerated_error", NULL, 422},
        {"'verdict':{'tolerated':1}}", "unknown-field", "/verdict/tolerated", NULL, 400},
        {"'payload':{'link':'link2','mass':-1,'com':[0,0,0]}}", "range", "/payload/mass", NULL,
         422},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char body[1024];
        (void)snprintf(body, sizeof body, BEGIN "%s", rows[k].rest);
        tqt_refused("planar-2r", "simulate", body, rows[k].status, rows[k].slug, rows[k].pointer,
                    rows[k].hint);
    }
}

/* With one dof there are no velocity terms: gravity or the input caused the divergence. With two,
 * and m2 l1 lc2 sin(q2) = h: joint 1 has a Coriolis term 2 h qd1 qd2 and a centrifugal term h
 * qd2^2, joint 2 a centrifugal term h qd1^2; at these velocities each exceeds gravity, and gravity
 * exceeds an input of zero. */
Test(simulate_verdict, a_verdict_names_the_term_that_drove_a_joint_away)
{
    static const struct {
        const char *robot, *body, *term;
    } cases[] = {
        {"pendulum", "{'initial':{'q':[1],'qd':[1e6]},'duration_s':1,'output':{'interval_s':0.5}}",
         "gravity"},
        {"pendulum",
         "{'initial':{'q':[1]},'duration_s':1,'output':{'interval_s':0.5},"
         "'input':{'kind':'torque','t':[0,1],'tau':[[1e9],[1e9]]}}",
         "input"},
        {"planar-2r",
         "{'initial':{'q':[1,1],'qd':[1e6,1e6]},'duration_s':1,'output':{'interval_s':0.5}}",
         "coriolis"},
        {"planar-2r",
         "{'initial':{'q':[1,1],'qd':[1e3,1e6]},'duration_s':1,'output':{'interval_s':0.5}}",
         "centrifugal"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        json_t *r = tqt_ask(cases[k].robot, "simulate", cases[k].body);
        const char *term = json_string_value(tqt_at(r, "verdict.term"));
        cr_assert(term != NULL && strcmp(term, cases[k].term) == 0, "case %d: %s", (int)k,
                  term != NULL ? term : "none");
        json_decref(r);
    }
}
