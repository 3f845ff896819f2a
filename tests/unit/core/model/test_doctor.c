/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/model/test_doctor.c - sound models have no findings; for each finding there is a
 * model with that one only. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <math.h>
#include <string.h>

#include "core/model/doctor.h"

enum { N_LINK = 3, SCRATCH_BYTES = 65536 };

/* base - revolute - arm - prismatic - tool: one metre each, 2 kg, a compact body */
typedef struct subject {
    tq_model model;
    tq_link links[N_LINK];
    tq_joint joints[N_LINK - 1];
    uint32_t order[N_LINK - 1];
} subject;

static void make(subject *s)
{
    memset(s, 0, sizeof *s);
    s->model = (tq_model){.n_link = N_LINK,
                          .n_joint = N_LINK - 1,
                          .links = s->links,
                          .joints = s->joints,
                          .order = s->order,
                          .gravity = {0, 0, -9.81}};
    for (uint32_t i = 0; i < N_LINK; i++) {
        s->links[i].inertia =
            (tq_inertia){.mass = 2, .com = {0.5, 0, 0}, .about_com = {0.1, 0, 0, 0.2, 0, 0.2}};
    }
    for (uint32_t i = 0; i < N_LINK - 1; i++) {
        s->joints[i] = (tq_joint){
            .kind = i == 0 ? TQ_JOINT_REVOLUTE : TQ_JOINT_PRISMATIC,
            .parent = i,
            .child = i + 1,
            .origin = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {1, 0, 0}},
            .axis = {0, 0, 1},
            .limits = {.lower = -(double)INFINITY, .upper = (double)INFINITY},
            .rotor = {.ratio = 1},
            .mimic = TQ_NONE,
        };
    }
}

static size_t examine(subject *s, tq_doctor_finding *rows)
{
    static _Alignas(64) unsigned char memory[SCRATCH_BYTES];
    tq_error error = {.what = NULL};
    cr_assert(eq(int, (int)tq_model_finish(&s->model, &error), TQ_OK), "%s", error.what);
    cr_assert(le(sz, tq_doctor_scratch_size(&s->model), sizeof memory));
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, tq_doctor_scratch_size(&s->model));
    size_t n = 999;
    cr_assert(eq(int, (int)tq_doctor_check(&s->model, &scratch, rows, &n, &error), TQ_OK));
    cr_assert(eq(sz, scratch.used, 0));
    cr_assert(le(sz, n, tq_doctor_finding_max(&s->model)));
    return n;
}

static void make_massless(tq_link *link)
{
    link->inertia = (tq_inertia){.mass = 0};
}

/* one change for each number: ParameterizedTest takes no pointers */
static void spoil(subject *s, size_t which)
{
    tq_inertia *tip = &s->links[2].inertia;
    switch (which) {
    case 0:
        tip->mass = 0;
        memset(tip->com, 0, sizeof tip->com);
        s->joints[1].rotor.inertia = 1; /* so that the prismatic joint is not singular */
        break;
    case 1:
        tip->about_com[0] = -0.01;
        break;
    case 2:
        tip->about_com[5] = 0.301;
        break;
    case 3:
        tip->about_com[0] *= 1e6;
        tip->about_com[3] *= 1e6;
        tip->about_com[5] *= 1e6;
        break;
    case 4:
        tip->about_com[0] *= 1e-9;
        tip->about_com[3] *= 1e-9;
        tip->about_com[5] *= 1e-9;
        break;
    case 5:
        tip->com[0] = 500;
        break;
    case 6:
        tip->mass = 2e6;
        tip->about_com[0] *= 1e6;
        tip->about_com[3] *= 1e6;
        tip->about_com[5] *= 1e6;
        break;
    case 7:
        s->joints[1].origin.p[0] = 1000;
        break;
    case 8:
        s->joints[1].limits.lower = 1;
        s->joints[1].limits.upper = 0.5;
        break;
    case 9:
        s->joints[1].friction.viscous = -0.1;
        break;
    case 10:
        make_massless(&s->links[2]);
        break;
    case 11:
        /* a point mass on the axis of the last, revolute joint */
        s->joints[1].kind = TQ_JOINT_REVOLUTE;
        *tip = (tq_inertia){.mass = 2};
        break;
    case 12:
        /* two revolute joints about one axis with a massless link between: neither is singular
         * alone */
        make_massless(&s->links[1]);
        s->joints[1].kind = TQ_JOINT_REVOLUTE;
        s->joints[1].origin.p[0] = 0;
        break;
    case 13:
        s->joints[1].rotor.inertia = -0.1;
        break;
    case 14:
        /* a body of 3 kg and 5 cm in grams */
        tip->mass = 3000;
        memcpy(tip->about_com, (const double[6]){3, 0, 0, 3, 0, 3}, sizeof tip->about_com);
        break;
    case 15:
        s->joints[0].limits.lower = -170;
        s->joints[0].limits.upper = 170;
        break;
    case 16:
        s->joints[1].limits.upper = 250;
        break;
    case 17:
        s->joints[1].limits.effort = -3;
        break;
    case 18:
        s->joints[1].spring.stiffness = -3;
        break;
    case 19:
        /* a point mass on the first axis, which leaves it when the second joint moves */
        make_massless(&s->links[1]);
        s->joints[1] = s->joints[0];
        s->joints[1].parent = 1;
        s->joints[1].child = 2;
        memset(s->joints[1].origin.p, 0, sizeof s->joints[1].origin.p);
        s->joints[1].axis[0] = 1;
        s->joints[1].axis[2] = 0;
        *tip = (tq_inertia){.mass = 2, .com = {0, 0, -1}};
        break;
    default:
        break;
    }
}

static const struct {
    const char *name;
    tq_doctor_code code;
    uint32_t index;
} cases[] = {
    {"no mass", TQ_DOCTOR_NO_MASS, 2},
    {"negative moment", TQ_DOCTOR_NOT_DEFINITE, 2},
    {"triangle", TQ_DOCTOR_TRIANGLE, 2},
    {"inertia in kg mm^2", TQ_DOCTOR_INERTIA_LARGE, 2},
    {"inertia in t m^2 and less", TQ_DOCTOR_INERTIA_SMALL, 2},
    {"centre of mass in mm", TQ_DOCTOR_COM_FAR, 2},
    {"mass in mg", TQ_DOCTOR_DENSE, 2},
    {"origin in mm", TQ_DOCTOR_ORIGIN_FAR, 1},
    {"limits crossed", TQ_DOCTOR_LIMITS, 1},
    {"friction that pushes", TQ_DOCTOR_FRICTION, 1},
    {"massless leaf", TQ_DOCTOR_MASSLESS, 1},
    {"point on its axis", TQ_DOCTOR_SINGULAR_ALWAYS, 1},
    {"two turns about one axis", TQ_DOCTOR_SINGULAR_ALWAYS, 0},
    {"negative rotor", TQ_DOCTOR_ROTOR, 1},
    {"mass in g", TQ_DOCTOR_HEAVY, 2},
    {"limits in degrees", TQ_DOCTOR_DEGREES, 0},
    {"travel in mm", TQ_DOCTOR_TRAVEL_FAR, 1},
    {"negative effort", TQ_DOCTOR_NEGATIVE_LIMIT, 1},
    {"spring that pushes", TQ_DOCTOR_SPRING, 1},
    {"spherical pendulum", TQ_DOCTOR_SINGULAR, 0},
};

enum { N_CASE = sizeof cases / sizeof cases[0] };

ParameterizedTestParameters(doctor, suspicions)
{
    static size_t row[N_CASE];
    for (size_t i = 0; i < N_CASE; i++) {
        row[i] = i;
    }
    return cr_make_param_array(size_t, row, N_CASE);
}

ParameterizedTest(size_t *row, doctor, suspicions)
{
    subject s;
    tq_doctor_finding rows[64];
    make(&s);
    spoil(&s, *row);
    const size_t n = examine(&s, rows);
    for (size_t k = 0; k < n; k++) {
        cr_assert(rows[k].code == cases[*row].code && rows[k].index == cases[*row].index,
                  "%s: %s of %u, %g", cases[*row].name, tq_doctor_text(rows[k].code), rows[k].index,
                  rows[k].value);
    }
    cr_assert(n == 1, "%s: %zu findings", cases[*row].name, n);
}

Test(doctor, healthy_models_pass)
{
    subject s;
    tq_doctor_finding rows[64];
    make(&s);
    cr_assert(eq(sz, examine(&s, rows), 0));

    /* a flat plate with six digits: the triangle inequality is violated by rounding only */
    make(&s);
    s.links[2].inertia.about_com[0] = 0.333333;
    s.links[2].inertia.about_com[3] = 0.333333;
    s.links[2].inertia.about_com[5] = 0.666667;
    cr_assert(eq(sz, examine(&s, rows), 0));

    /* a massless leaf on a fixed joint, and one whose joint has a rotor */
    make(&s);
    make_massless(&s.links[2]);
    s.joints[1].kind = TQ_JOINT_FIXED;
    cr_assert(eq(sz, examine(&s, rows), 0));
    make(&s);
    make_massless(&s.links[2]);
    s.joints[1].rotor = (tq_rotor){.inertia = 1e-5, .ratio = 100};
    cr_assert(eq(sz, examine(&s, rows), 0));

    /* a point mass away from its axis */
    make(&s);
    s.links[2].inertia = (tq_inertia){.mass = 2, .com = {0.5, 0, 0}};
    s.joints[1].kind = TQ_JOINT_REVOLUTE;
    cr_assert(eq(sz, examine(&s, rows), 0));
}

/* the free base of a spacecraft is singular only if its body is */
Test(doctor, floating_base)
{
    subject s;
    tq_doctor_finding rows[64];
    make(&s);
    s.joints[0].kind = TQ_JOINT_FLOATING;
    cr_assert(eq(sz, examine(&s, rows), 0));
    make_massless(&s.links[1]);
    make_massless(&s.links[2]);
    const size_t n = examine(&s, rows);
    cr_assert(eq(sz, n, 2));
    cr_assert(rows[0].code == TQ_DOCTOR_MASSLESS && rows[0].index == 0);
    cr_assert(rows[1].code == TQ_DOCTOR_MASSLESS && rows[1].index == 1);
}

Test(doctor, too_little_scratch)
{
    subject s;
    make(&s);
    cr_assert(eq(int, (int)tq_model_finish(&s.model, NULL), TQ_OK));
    static _Alignas(64) unsigned char memory[SCRATCH_BYTES];
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, tq_doctor_scratch_size(&s.model) - 64);
    tq_doctor_finding rows[64];
    size_t n = 999;
    tq_error error = {.what = NULL};
    cr_assert(eq(int, (int)tq_doctor_check(&s.model, &scratch, rows, &n, &error), TQ_ERR_SCRATCH));
    cr_assert(eq(sz, n, 999));
    cr_assert(eq(dbl, error.value, (double)tq_doctor_scratch_size(&s.model)));
}

Test(doctor, every_code_has_words)
{
    for (int code = 0; code <= TQ_DOCTOR_SINGULAR_ALWAYS; code++) {
        cr_assert(strlen(tq_doctor_text((tq_doctor_code)code)) > 10);
    }
    cr_assert(tq_doctor_about_of(TQ_DOCTOR_DENSE) == TQ_DOCTOR_LINK);
    cr_assert(tq_doctor_about_of(TQ_DOCTOR_ORIGIN_FAR) == TQ_DOCTOR_JOINT);
}

/* a massless joint is not reported if a joint that mimics it moves an inertia */
Test(doctor, mimicking_joints_add_their_inertia)
{
    static tq_doctor_finding rows[64];
    for (int heavy = 0; heavy < 2; heavy++) {
        subject s;
        make(&s);
        s.joints[1].parent = 0; /* side by side; the first has no inertia, the second mimics it */
        s.joints[1].mimic = 0;
        s.joints[1].mimic_multiplier = -2.0;
        s.links[1].inertia = (tq_inertia){.mass = 0.0};
        if (heavy == 0) {
            s.links[2].inertia = (tq_inertia){.mass = 0.0};
        }
        const size_t n = examine(&s, rows);
        size_t singular = 0;
        for (size_t k = 0; k < n; k++) {
            singular += rows[k].code == TQ_DOCTOR_MASSLESS && rows[k].index == 0;
        }
        cr_expect(eq(sz, singular, heavy == 0 ? 1 : 0));
    }
}
