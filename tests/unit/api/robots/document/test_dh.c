/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/robots/document/test_dh.c - one arm as DH tables, screws and URDF is the same
 * robot. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/parsed.h"
#include "core/model/inertia.h"
#include "core/spatial/rotation.h"
#include "tests/support/random.h"
#include "tests/support/subject.h"

enum { N = 6, TEXT = 65536 };

/* a random arm: rows of the standard table, and inertias of links in the frames of the rows */
typedef struct arm {
    bool slides[N];
    double theta[N], d[N], a[N], alpha[N], offset[N];
    tq_inertia links[N];
} arm;

typedef struct text {
    char bytes[TEXT];
    size_t n;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->bytes + t->n, TEXT - t->n, format, args);
    va_end(args);
    cr_assert(t->n < TEXT);
}

static arm make_arm(uint64_t seed)
{
    tqt_random random = tqt_random_seed(seed);
    arm from = {.slides = {false}};
    for (int i = 0; i < N; i++) {
        from.slides[i] = i == 2;
        from.theta[i] = tqt_random_uniform(&random, -3.0, 3.0);
        from.offset[i] = tqt_random_uniform(&random, -0.5, 0.5);
        from.d[i] = tqt_random_uniform(&random, -0.5, 0.5);
        from.a[i] = i == 1 ? 0.0 : tqt_random_uniform(&random, -0.5, 0.5);
        from.alpha[i] = tqt_random_uniform(&random, -3.0, 3.0);
        tq_inertia *link = &from.links[i];
        link->mass = tqt_random_uniform(&random, 0.5, 4.0);
        for (int k = 0; k < 3; k++) {
            link->com[k] = tqt_random_uniform(&random, -0.2, 0.2);
        }
        memcpy(link->about_com, (const double[6]){.03, .002, -.004, .05, .003, .04},
               sizeof link->about_com);
    }
    return from;
}

/* theta and d at q = 0 */
static double theta_of(const arm *from, int i)
{
    return from->theta[i] + (from->slides[i] ? 0.0 : from->offset[i]);
}

static double d_of(const arm *from, int i)
{
    return from->d[i] + (from->slides[i] ? from->offset[i] : 0.0);
}

static void put_inertia(text *t, const tq_inertia *link)
{
    const double *s = link->about_com;
    put(t,
        "\"mass\": %.17g, \"com\": [%.17g, %.17g, %.17g], \"inertia_about\": \"com\", \"inertia\": "
        "[[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]",
        link->mass, link->com[0], link->com[1], link->com[2], s[0], s[1], s[2], s[1], s[3], s[4],
        s[2], s[4], s[5]);
}

static void put_standard(text *t, const arm *from)
{
    put(t, "{\"gravity\": [0, 0, -9.81], \"dh\": {\"convention\": \"standard\", \"joints\": [");
    for (int i = 0; i < N; i++) {
        put(t,
            "%s{\"name\": \"j%d\", \"kind\": \"%s\", \"theta\": %.17g, \"offset\": %.17g, "
            "\"d\": %.17g, \"a\": %.17g, \"alpha\": %.17g, \"link\": {\"name\": \"l%d\", ",
            i > 0 ? ", " : "", i, from->slides[i] ? "prismatic" : "revolute", from->theta[i],
            from->offset[i], from->d[i], from->a[i], from->alpha[i], i);
        put_inertia(t, &from->links[i]);
        put(t, "}}");
    }
    put(t, "]}}");
}

/* Tx(a) Rx(alpha) of row i */
static tq_pose twist_of(const arm *from, int i)
{
    tq_pose pose = {.p = {from->a[i], 0.0, 0.0}};
    tq_rotation_about((const double[3]){1.0, 0.0, 0.0}, from->alpha[i], pose.r);
    return pose;
}

/* row i has a and alpha of row i - 1; the inertia is expressed in the frame on the axis */
static void put_modified(text *t, const arm *from)
{
    put(t, "{\"gravity\": [0, 0, -9.81], \"dh\": {\"convention\": \"modified\", \"joints\": [");
    for (int i = 0; i < N; i++) {
        const tq_pose twist = twist_of(from, i);
        const tq_inertia link = tq_inertia_move(&from->links[i], &twist);
        put(t,
            "%s{\"name\": \"j%d\", \"kind\": \"%s\", \"theta\": %.17g, \"d\": %.17g, \"a\": %.17g, "
            "\"alpha\": %.17g, \"link\": {\"name\": \"l%d\", ",
            i > 0 ? ", " : "", i, from->slides[i] ? "prismatic" : "revolute", theta_of(from, i),
            d_of(from, i), i > 0 ? from->a[i - 1] : 0.0, i > 0 ? from->alpha[i - 1] : 0.0, i);
        put_inertia(t, &link);
        put(t, "}}");
    }
    put(t, "]}}");
}

/* [m E, -m c^; m c^, I] about the link's own frame */
static void put_spatial(text *t, const tq_inertia *link)
{
    double m[36];
    tq_inertia_spatial(link, m);
    put(t, "\"spatial_inertia\": [");
    for (int i = 0; i < 6; i++) {
        put(t, "%s[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", i > 0 ? ", " : "", m[6 * i],
            m[6 * i + 1], m[6 * i + 2], m[6 * i + 3], m[6 * i + 4], m[6 * i + 5]);
    }
    put(t, "]");
}

/* at_base: every link's frame is the base frame at home, as in texts with a single frame */
static void put_screws(text *t, const arm *from, bool at_base)
{
    tq_pose home = tq_pose_identity;
    put(t, "{\"gravity\": [0, 0, -9.81], \"poe\": {\"joints\": [");
    for (int i = 0; i < N; i++) {
        const double w[3] = {home.r[2], home.r[5], home.r[8]};
        const double *p = home.p;
        const double v[3] = {p[1] * w[2] - p[2] * w[1], p[2] * w[0] - p[0] * w[2],
                             p[0] * w[1] - p[1] * w[0]};
        if (from->slides[i]) {
            put(t,
                "%s{\"name\": \"j%d\", \"kind\": \"prismatic\", \"screw\": [%.17g, %.17g, %.17g, "
                "0, 0, 0]",
                i > 0 ? ", " : "", i, w[0], w[1], w[2]);
        } else {
            put(t,
                "%s{\"name\": \"j%d\", \"kind\": \"revolute\", \"screw\": [%.17g, %.17g, %.17g, "
                "%.17g, %.17g, %.17g]",
                i > 0 ? ", " : "", i, v[0], v[1], v[2], w[0], w[1], w[2]);
        }
        tq_pose turn = {.p = {0.0, 0.0, d_of(from, i)}};
        tq_rotation_about((const double[3]){0.0, 0.0, 1.0}, theta_of(from, i), turn.r);
        const tq_pose twist = twist_of(from, i);
        home = tq_pose_multiply(&home, &turn);
        home = tq_pose_multiply(&home, &twist);
        put(t, ", \"link\": {\"name\": \"l%d\", ", i);
        if (at_base) {
            const tq_inertia link = tq_inertia_move(&from->links[i], &home);
            put_spatial(t, &link);
        } else {
            const double *r = home.r;
            put(t,
                "\"home\": {\"position\": [%.17g, %.17g, %.17g], \"rotation\": [[%.17g, %.17g, "
                "%.17g], [%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]}, ",
                home.p[0], home.p[1], home.p[2], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7],
                r[8]);
            put_inertia(t, &from->links[i]);
        }
        put(t, "}}");
    }
    put(t, "]}}");
}

static void put_urdf(text *t, const arm *from)
{
    put(t, "<robot name='arm'><link name='l-1'/>");
    for (int i = 0; i < N; i++) {
        const tq_inertia *link = &from->links[i];
        const double *s = link->about_com;
        put(t,
            "<link name='axis%d'/><joint name='j%d' type='%s'><parent link='l%d'/><child "
            "link='axis%d'/><origin xyz='0 0 %.17g' rpy='0 0 %.17g'/><axis xyz='0 0 1'/><limit "
            "lower='-9' upper='9' effort='1' velocity='1'/></joint>",
            i, i, from->slides[i] ? "prismatic" : "revolute", i - 1, i, d_of(from, i),
            theta_of(from, i));
        put(t,
            "<link name='l%d'><inertial><origin xyz='%.17g %.17g %.17g'/><mass value='%.17g'/>"
            "<inertia ixx='%.17g' ixy='%.17g' ixz='%.17g' iyy='%.17g' iyz='%.17g' izz='%.17g'/>"
            "</inertial></link>",
            i, link->com[0], link->com[1], link->com[2], link->mass, s[0], s[1], s[2], s[3], s[4],
            s[5]);
        put(t,
            "<joint name='f%d' type='fixed'><parent link='axis%d'/><child link='l%d'/><origin "
            "xyz='%.17g 0 0' rpy='%.17g 0 0'/></joint>",
            i, i, i, from->a[i], from->alpha[i]);
    }
    put(t, "</robot>");
}

static void put_urdf_inside(text *t, const arm *from)
{
    static text inner;
    inner.n = 0;
    put_urdf(&inner, from);
    put(t, "{\"name\": \"inside\", \"urdf\": \"%s\"}", inner.bytes);
}

static tqa_robot *parse(const text *t, const char *what)
{
    static tqa_problem problem;
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_NONE, t->bytes, t->n, &problem);
    cr_assert(robot != NULL, "%s: %s: %s %s", what, problem.slug, problem.detail,
              problem.faults[0].pointer);
    cr_assert(eq(u32, robot->model->nv, N), "%s", what);
    return robot;
}

/* 1e-13 of the largest entry: issue 4; each description has its own rounding of frames, some ten
 * operations deep */
static void assert_same_mass(const tqa_robot *a, const tqa_robot *b, uint64_t seed,
                             const char *what)
{
    tqt_random random = tqt_random_seed(seed);
    tqt_subject *x = tqt_subject_new(a->model, 0);
    tqt_subject *y = tqt_subject_new(b->model, 0);
    for (int sample = 0; sample < 5; sample++) {
        double q[N];
        double m[N * N];
        double n[N * N];
        double largest = 0.0;
        for (int k = 0; k < N; k++) {
            q[k] = tqt_random_uniform(&random, -3.0, 3.0);
        }
        tqt_mass(x, q, m);
        tqt_mass(y, q, n);
        for (int k = 0; k < N * N; k++) {
            largest = fmax(largest, fabs(m[k]));
        }
        for (int k = 0; k < N * N; k++) {
            cr_assert(fabs(m[k] - n[k]) <= 1e-13 * largest, "%s: M[%d]: %.17g %.17g", what, k, m[k],
                      n[k]);
        }
        double g[N];
        double h[N];
        tqt_gravity(x, q, g);
        tqt_gravity(y, q, h);
        for (int k = 0; k < N; k++) {
            cr_assert(fabs(g[k] - h[k]) <= 1e-12 * 9.81 * 20.0, "%s: g[%d]: %.17g %.17g", what, k,
                      g[k], h[k]);
        }
    }
    tqt_subject_free(x);
    tqt_subject_free(y);
}

Test(robot_document_dh, dh_poe_and_urdf_are_one_arm)
{
    static text t;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const arm from = make_arm(seed);
        t.n = 0;
        put_standard(&t, &from);
        tqa_robot *standard = parse(&t, "standard");
        for (int way = 0; way < 5; way++) {
            static const char *const names[] = {"modified", "screws", "screws at base", "urdf",
                                                "urdf inside"};
            t.n = 0;
            switch (way) {
            case 0:
                put_modified(&t, &from);
                break;
            case 1:
                put_screws(&t, &from, false);
                break;
            case 2:
                put_screws(&t, &from, true);
                break;
            case 3:
                put_urdf(&t, &from);
                break;
            default:
                put_urdf_inside(&t, &from);
                break;
            }
            tqa_robot *other = parse(&t, names[way]);
            assert_same_mass(standard, other, seed, names[way]);
            tqa_robot_free(other);
        }
        tqa_robot_free(standard);
    }
}

/* the link frames of a table have the numbers of the file: they are not transformed before printing
 */
Test(robot_document_dh, link_frames_are_those_of_the_table)
{
    static text t;
    const arm from = make_arm(7);
    t.n = 0;
    put_standard(&t, &from);
    tqa_robot *robot = parse(&t, "standard");
    for (int i = 0; i < N; i++) {
        char name[8];
        const int n = snprintf(name, sizeof name, "l%d", i);
        const uint32_t l = tqa_robot_link(robot, name, (size_t)n);
        cr_assert(l != TQ_NONE);
        cr_assert(memcmp(&robot->model->links[l].inertia, &from.links[i], sizeof from.links[i]) ==
                  0);
        /* the body lies beside the axis, except if a = 0 or the joint is prismatic */
        const tq_joint *joint = &robot->model->joints[robot->model->links[l].joint];
        const bool carried = i != 1 && i != 2;
        cr_assert(eq(int, joint->kind == TQ_JOINT_FIXED, carried), "%s", name);
        if (carried) {
            cr_assert(epsilon_eq(dbl, joint->origin.p[0], from.a[i], 1e-15), "%s", name);
        }
    }
    tqa_robot_free(robot);
}
