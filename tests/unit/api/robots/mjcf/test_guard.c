/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/robots/mjcf/test_guard.c - elements with an effect in MuJoCo: refused by name, or
 * read with MuJoCo's numbers. All attributes are in tests/peers/test_mujoco_mjcf.py. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/parsed.h"
#include "tests/support/subject.h"

#define M(more)    "<mujoco>" more "</mujoco>"
#define BODY(more) M("<worldbody><body name='b'>" more "</body></worldbody>")
#define ARM(more)                                                                                  \
    M("<worldbody><body><joint name='j'/><geom size='0.1' pos='1 0 0'/></body></worldbody>" more)
#define AROUND(before, attributes)                                                                 \
    M("<worldbody><geom name='g' size='0.1' mass='0' pos='2 2 2'/><site name='w' pos='0 1 1'/>"    \
      "<body><joint name='j'/><geom size='0.1' pos='1 0 0'/><site name='s' pos='1 0 0'/></body>"   \
      "</worldbody>" before "<tendon><spatial " attributes                                         \
      "><site site='w'/><geom geom='g'/><site site='s'/></spatial></tendon>")
#define BALL "<geom size='0.1'/>"

typedef struct row {
    const char *name, *text, *says; /* NULL: the file is accepted */
} row;

/* clang-format off */
static const row cases[] = {
    {"compensated", M("<worldbody><body gravcomp='0.5'><joint/>" BALL "</body><body gravcomp='0'><joint/>" BALL "</body></worldbody>"), NULL},
    {"all alike compensated", M("<worldbody><body><geom size='2'/></body><body gravcomp='0.5'><joint/>" BALL "<body/></body></worldbody>"), NULL},
    {"compensated by an actuator", M("<worldbody><body gravcomp='0.5'><joint name='j' actuatorgravcomp='true'/>" BALL "</body></worldbody><actuator><motor joint='j'/></actuator>"), NULL},
    {"compensated by no actuator", M("<worldbody><body gravcomp='0.5'><joint actuatorgravcomp='true'/>" BALL "</body></worldbody><actuator/>"), "actuatorgravcomp=\"true\""},
    {"compensated by an actuator that is off", M("<option><flag actuation='disable'/></option><worldbody><body gravcomp='0.5'><joint name='j' actuatorgravcomp='true'/>" BALL "</body></worldbody><actuator><motor joint='j'/></actuator>"), "actuatorgravcomp=\"true\""},
    {"compensated within limits", M("<worldbody><body gravcomp='0.5'><joint name='j' actuatorgravcomp='true' actuatorfrcrange='-9 9'/>" BALL "</body></worldbody><actuator><motor joint='j'/></actuator>"), "within actuatorfrcrange"},
    {"compensated, limits not in effect", M("<worldbody><body gravcomp='0.5'><joint name='j' actuatorgravcomp='true' actuatorfrcrange='-9 9' actuatorfrclimited='false'/>" BALL "</body></worldbody><actuator><motor joint='j'/></actuator>"), NULL},
    {"compensated, without gravity", M("<option gravity='0 0 0'/><worldbody><body name='b' gravcomp='0.5'><joint/>" BALL "</body><body><joint/>" BALL "</body></worldbody>"), NULL},
    {"ellipsoid in air", M("<option density='1.2'/><worldbody><body><joint/><geom size='0.1' fluidshape='ellipsoid'/></body></worldbody>"), "fluidshape=\"ellipsoid\""},
    {"ellipsoid that does not move", M("<option density='1.2'/><worldbody><body><geom size='0.1' fluidshape='ellipsoid'/></body></worldbody>"), NULL},
    {"ellipsoid in a vacuum", M("<worldbody><body><joint/><geom size='0.1' fluidshape='ellipsoid'/></body></worldbody>"), NULL},
    {"still air", M("<option density='0' viscosity='0' wind='1 0 0'/><worldbody/>"), NULL},
    {"damper of a ball", BODY("<joint type='ball' damping='1'/>" BALL), NULL},
    {"armature of a free joint", BODY("<joint type='free' armature='0.1'/>" BALL), NULL},
    {"spring of a ball", BODY("<joint type='ball' stiffness='2'/>" BALL), NULL},
    {"dry friction of a ball", BODY("<joint type='ball' frictionloss='2'/>" BALL), "frictionloss=\"2\""},
    {"by default", M("<default><joint damping='3'/></default><worldbody><body><joint type='ball'/>" BALL "</body></worldbody>"), NULL},
    {"by class", M("<default><default class='k'><joint damping='3'/></default></default><worldbody><body childclass='k'><joint type='free'/>" BALL "</body></worldbody>"), NULL},
    {"a class of nobody", M("<default><default class='k'><joint damping='3'/></default></default><worldbody><body><joint type='ball'/>" BALL "</body></worldbody>"), NULL},
    {"<freejoint> inherits nothing", M("<default><joint damping='3'/></default><worldbody><body><freejoint/>" BALL "</body></worldbody>"), NULL},
    {"dampers are off", M("<option><flag damper='disable' spring='disable' frictionloss='disable'/></option><worldbody><body><joint type='ball' damping='3' stiffness='1' frictionloss='1'/>" BALL "</body></worldbody>"), NULL},
    {"damper of second order", BODY("<joint damping='1 2'/>" BALL), "damping=\"1 2\""},
    {"of second order, off", M("<option><flag damper='disable'/></option><worldbody><body><joint damping='1 2'/>" BALL "</body></worldbody>"), NULL},
    {"spring of third order", BODY("<joint stiffness='1 0 2'/>" BALL), "stiffness=\"1 0 2\""},
    {"yielding spring", BODY("<joint springyield='1'/>" BALL), "springyield=\"1\""},
    {"spring by time", BODY("<joint springdamper='0.1 1'/>" BALL), NULL},
    {"spring by time, of nothing", M("<worldbody><body name='b'><joint name='j' springdamper='0.1 1'/></body></worldbody>"), "springdamper"},
    {"aligned", BODY("<freejoint align='true'/>" BALL), "align=\"true\""},
    {"all aligned", M("<compiler alignfree='true'/><worldbody><body><joint type='free'/>" BALL "</body></worldbody>"), "alignfree=\"true\""},
    {"all but one aligned", M("<compiler alignfree='true'/><worldbody><body><freejoint align='false'/>" BALL "</body></worldbody>"), NULL},
    {"mesh", BODY("<joint/><geom type='mesh' mesh='x'/>"), "type=\"mesh\""},
    {"shape of a mesh", BODY("<joint/><geom type='box' mesh='x'/>"), "type=\"box\""},
    {"mesh on a moving arm", BODY("<joint/>" BALL "<body name='c'><geom type='mesh' mesh='x' mass='2'/></body>"), "type=\"mesh\""},
    {"mesh in no group", M("<compiler inertiagrouprange='0 1'/><worldbody><body><joint/>" BALL "<geom type='mesh' mesh='x' group='2'/></body></worldbody>"), NULL},
    {"light mesh", M("<default><geom density='0'/></default><worldbody><body><joint/><geom type='mesh' mesh='x'/><geom size='0.1' density='1'/></body></worldbody>"), NULL},
    {"mesh beside an inertia", BODY("<joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom type='mesh' mesh='x'/>"), NULL},
    {"still mesh counts in the total", M("<compiler settotalmass='3'/><worldbody><body><geom type='mesh' mesh='x'/></body><body><joint/>" BALL "</body></worldbody>"), "type=\"mesh\""},
    {"shell", BODY("<joint/><geom size='0.1' shellinertia='true'/>"), "shellinertia=\"true\""},
    {"spring of a tendon around a geom", AROUND("", "stiffness='3'"), NULL},
    {"damper of a tendon around a geom, by default", AROUND("<default><tendon damping='3'/></default>", ""), NULL},
    {"tendon around a geom, without forces", ARM("<tendon><spatial limited='true' range='0 1'><geom geom='g'/></spatial></tendon>"), NULL},
    {"joint in a path", ARM("<tendon><spatial stiffness='3'><joint joint='j' coef='1'/></spatial></tendon>"), "<joint>"},
    {"spring along a path", M("<worldbody><site name='w' pos='0 1 1'/><body><joint name='j'/><geom size='0.1' pos='1 0 0'/><site name='s' pos='1 0 0'/></body></worldbody>"
                              "<tendon><spatial stiffness='3'><site site='w'/><site site='s'/></spatial></tendon>"), NULL},
    {"spring of a tendon", ARM("<tendon><fixed stiffness='3'><joint joint='j' coef='1'/></fixed></tendon>"), NULL},
    {"spring of a tendon that is not linear", ARM("<tendon><fixed stiffness='3 1'><joint joint='j' coef='1'/></fixed></tendon>"), "stiffness=\"3 1\""},
    {"dry friction of a tendon around a geom", AROUND("", "frictionloss='3'"), NULL},
    {"inertia of a tendon", ARM("<tendon><spatial armature='3'/></tendon>"), "armature=\"3\""},
    {"inertia of a tendon of one joint", ARM("<tendon><fixed armature='3'><joint joint='j' coef='1'/></fixed></tendon>"), NULL},
    {"inertia of a tendon of no joint", ARM("<tendon><fixed armature='3'/></tendon>"), "armature=\"3\""},
    {"inertia of a tendon of two joints", M("<worldbody><body><joint name='j'/><joint name='i' axis='1 0 0'/>" BALL "</body></worldbody><tendon><fixed armature='3'><joint joint='j' coef='1'/><joint joint='i' coef='1'/></fixed></tendon>"), "armature=\"3\""},
    {"tendon", ARM("<tendon><fixed limited='true' range='0 1'><joint joint='j' coef='1'/></fixed></tendon>"), NULL},
    {"armature of an actuator", ARM("<actuator><motor joint='j' armature='0.1'/></actuator>"), "armature=\"0.1\""},
    {"by another actuator's default", ARM("<default><position armature='0.1'/></default><actuator><motor joint='j'/></actuator>"), "armature=\"0.1\""},
    {"damper of an actuator", ARM("<actuator><motor joint='j' damping='0.1'/></actuator>"), "damping=\"0.1\""},
    {"actuator", ARM("<actuator><position joint='j' kp='3' kv='1'/></actuator>"), NULL},
    {"copies", M("<worldbody><replicate count='3'><body/></replicate></worldbody>"), "<replicate>"},
    {"composite", M("<worldbody><body><composite/></body></worldbody>"), "<composite>"},
    {"attached", M("<worldbody><attach model='x'/></worldbody>"), "<attach>"},
    {"plugin", BODY("<plugin plugin='x'/>"), "<plugin>"},
    {"soft body", M("<worldbody/><deformable><flex/></deformable>"), "<flex>"},
};
/* clang-format on */

enum { N_CASE = sizeof cases / sizeof cases[0] };

ParameterizedTestParameters(mjcf_guard, by_name)
{
    static size_t number[N_CASE];
    for (size_t i = 0; i < N_CASE; i++) {
        number[i] = i;
    }
    return cr_make_param_array(size_t, number, N_CASE);
}

ParameterizedTest(size_t *number, mjcf_guard, by_name)
{
    static tqa_problem problem;
    const row *c = &cases[*number];
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_XML, c->text, strlen(c->text), &problem);
    const bool read = robot != NULL;
    cr_assert(read == (c->says == NULL), "%s: %s", c->name, problem.detail);
    if (c->says != NULL) {
        cr_assert(strcmp(problem.slug, "invalid-value") == 0, "%s: %s", c->name, problem.slug);
        cr_assert(strstr(problem.faults[0].detail, "line 1: ") != NULL, "%s", c->name);
        cr_assert(strstr(problem.faults[0].detail, c->says) != NULL, "%s: %s", c->name,
                  problem.faults[0].detail);
        cr_assert(problem.faults[0].hint[0] != '\0', "%s", c->name);
    }
    tqa_robot_free(robot);
}

static tqa_robot *parse(const char *text)
{
    static tqa_problem problem;
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_XML, text, strlen(text), &problem);
    cr_assert(robot != NULL, "%s", problem.detail);
    return robot;
}

static const tq_inertia *inertia_of(const tqa_robot *robot, const char *link)
{
    return &robot->model->links[tqa_robot_link(robot, link, strlen(link))].inertia;
}

#define TWO                                                                                         \
    "<worldbody><body name='a'><joint/><inertial pos='1 0 0' mass='2' diaginertia='1 2 4'/></body>" \
    "<body name='b' pos='1 2 3'><joint/><geom size='0.1' mass='3' group='4'/></body></worldbody>"

/* masses computed as by MuJoCo's compiler:
 * mujoco.readthedocs.io/en/stable/XMLreference.html#compiler */
Test(mjcf_guard, masses_as_the_compiler_makes_them)
{
    tqa_robot *robot = parse(M("<compiler settotalmass='10'/>" TWO));
    cr_expect(epsilon_eq(dbl, inertia_of(robot, "a")->mass, 4.0, 1e-15));
    cr_expect(epsilon_eq(dbl, inertia_of(robot, "a")->about_com[3], 4.0, 1e-15));
    cr_expect(epsilon_eq(dbl, inertia_of(robot, "b")->mass, 6.0, 1e-15));
    tqa_robot_free(robot);
    robot = parse(M("<compiler boundmass='2.5' boundinertia='1.5'/>" TWO));
    cr_expect(epsilon_eq(dbl, inertia_of(robot, "a")->mass, 2.5, 1e-15));
    cr_expect(epsilon_eq(dbl, inertia_of(robot, "a")->about_com[0], 1.5, 1e-15));
    cr_expect(epsilon_eq(dbl, inertia_of(robot, "a")->about_com[3], 2.0, 1e-15));
    cr_expect(epsilon_eq(dbl, inertia_of(robot, "b")->about_com[5], 1.5, 1e-15));
    tqa_robot_free(robot);
    robot = parse(M("<compiler balanceinertia='true'/>" TWO));
    cr_expect(epsilon_eq(dbl, inertia_of(robot, "a")->about_com[0], 7.0 / 3.0, 1e-15));
    cr_expect(epsilon_eq(dbl, inertia_of(robot, "a")->about_com[5], 7.0 / 3.0, 1e-15));
    tqa_robot_free(robot);
    robot = parse(M("<compiler inertiagrouprange='0 3' boundmass='0.1' boundinertia='0.2'/>" TWO));
    cr_expect(epsilon_eq(dbl, inertia_of(robot, "b")->mass, 0.1, 1e-15));
    cr_expect(epsilon_eq(dbl, inertia_of(robot, "b")->com[2], 3.0, 1e-15)); /* as MuJoCo does */
    tqa_robot_free(robot);
}

static uint32_t findings(const tqa_robot *robot, tqa_finding_kind kind, const char *where)
{
    uint32_t n = 0;
    for (size_t k = 0; k < robot->n_finding; k++) {
        n += robot->findings[k].kind == kind && strstr(robot->findings[k].where, where) != NULL;
    }
    return n;
}

/* the compiler's bounds of a file of ours are not torqued's; others are */
Test(mjcf_guard, bounds_for_mujoco_alone)
{
#define OWN "<custom><numeric name='torqued:bounds' data='1e-15 1e-15'/></custom>"
#define NOTHING                                                                                    \
    "<worldbody><body name='a'><joint/><body name='b'><joint/><inertial pos='1 0 0' mass='2' diaginertia='0 0 0'/></body></body></worldbody>"
    static const struct {
        const char *text;
        double mass, moment;
    } rows[] = {
        {M("<compiler boundmass='1e-15' boundinertia='1e-15'/>" NOTHING OWN), 0.0, 0.0},
        {M("<compiler boundmass='1e-15' boundinertia='1e-15'/>" NOTHING), 1e-15, 1e-15},
        {M("<compiler boundmass='0.5' boundinertia='1e-15'/>" NOTHING OWN), 0.5, 0.0},
        {M("<compiler boundmass='1e-15' boundinertia='0.5'/>" NOTHING OWN), 0.0, 0.5},
        {M(NOTHING OWN), 0.0, 0.0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        tqa_robot *robot = parse(rows[k].text);
        cr_expect(eq(dbl, inertia_of(robot, "a")->mass, rows[k].mass), "%zu", k);
        cr_expect(epsilon_eq(dbl, inertia_of(robot, "b")->about_com[3], rows[k].moment, 1e-30),
                  "%zu", k);
        cr_expect(eq(u32, findings(robot, TQA_FINDING_IGNORED, "custom"), 0), "%zu", k);
        tqa_robot_free(robot);
    }
}

static tqa_robot *written(const char *text, const char *has, const char *lacks)
{
    tqa_robot *robot = parse(text);
    tqa_problem problem;
    size_t n = 0;
    char *bytes = tqa_robot_mjcf(robot, "robot", &n, &problem);
    tqa_robot_free(robot);
    cr_assert(bytes != NULL, "%s", problem.detail);
    cr_expect(strstr(bytes, has) != NULL, "%s: %s", has, bytes);
    cr_expect(strstr(bytes, lacks) == NULL, "%s: %s", lacks, bytes);
    robot = parse(bytes);
    free(bytes);
    return robot;
}

/* MuJoCo's least mass and moment are in the file where a body that moves has less, and not in a
 * medium, where they would be a box of 2 m */
Test(mjcf_guard, bodies_that_weigh_nothing_are_written)
{
    tqa_robot *robot = written(M(NOTHING), "boundmass=\"1e-15\" boundinertia=\"1e-15\"", "refuses");
    cr_expect(eq(dbl, inertia_of(robot, "a")->mass, 0.0));
    cr_expect(eq(dbl, inertia_of(robot, "b")->about_com[0], 0.0));
    tqa_robot_free(robot);
    tqa_robot_free(written(ARM(""), "mass", "bound"));
    /* another is fixed to it */
    tqa_robot_free(written(M("<worldbody><body><joint/><body>" BALL "</body></body></worldbody>"),
                           "mass", "bound"));
    tqa_robot_free(written(M("<option density='1.2'/><worldbody><body><joint/><body><joint/>" BALL
                             "</body></body></worldbody>"),
                           "in a medium, moving bodies", "boundmass"));
    /* no body has these moments */
    tqa_robot_free(written(
        M("<worldbody><body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 2.1'/></body></worldbody>"),
        "above the sum of the other two, of 1 bodies", "boundmass"));
}

/* Near MuJoCo's conditions a tensor is written by its moments: the same one. */
Test(mjcf_guard, rods_and_plates_are_written_by_moments)
{
    /* a rod of 1 kg m^2 along (1, 2, 2) / 3, and a plate across it */
    static const char *const texts[] = {
        M("<worldbody><body name='b'><joint/><inertial pos='1 0 0' mass='1' fullinertia='0.8888888888888888 0.5555555555555556 0.5555555555555556 -0.2222222222222222 -0.2222222222222222 -0.4444444444444444'/></body></worldbody>"),
        M("<worldbody><body name='b'><joint/><inertial pos='1 0 0' mass='1' fullinertia='1.1111111111111112 1.4444444444444444 1.4444444444444444 0.2222222222222222 0.2222222222222222 0.4444444444444444'/></body></worldbody>"),
    };
    for (size_t k = 0; k < 2; k++) {
        tqa_robot *robot = parse(texts[k]),
                  *again = written(texts[k], "diaginertia", "fullinertia");
        for (int e = 0; e < 6; e++) {
            cr_expect(epsilon_eq(dbl, inertia_of(again, "b")->about_com[e],
                                 inertia_of(robot, "b")->about_com[e], 1e-14),
                      "%zu, %d", k, e);
        }
        tqa_robot_free(robot);
        tqa_robot_free(again);
    }
}

Test(mjcf_guard, flags_leave_terms_out)
{
    tqa_robot *robot =
        parse(M("<option gravity='1 2 3'><flag gravity='disable'/></option>"
                "<option><flag constraint='disable' passive='disable'/></option>"
                "<worldbody><body name='a'><joint name='j' damping='1' frictionloss='2' "
                "stiffness='3' springref='1'/>" BALL "</body></worldbody>"
                "<equality><joint joint1='j'/></equality>"));
    const tq_joint *joint = &robot->model->joints[tqa_robot_joint(robot, "j", 1)];
    for (int k = 0; k < 3; k++) {
        cr_expect(eq(dbl, robot->model->gravity[k], 0.0));
    }
    cr_expect(eq(dbl, joint->friction.viscous, 0.0));
    cr_expect(eq(dbl, joint->friction.coulomb, 0.0));
    cr_expect(eq(dbl, joint->spring.stiffness, 0.0));
    cr_expect(robot->constraints == NULL || robot->constraints->n_constraint == 0);
    tqa_robot_free(robot);
    /* and nothing beside what a flag names */
    robot = parse(M("<option><flag gravity='disable'/></option><worldbody><body name='a'>"
                    "<joint name='j' damping='1' frictionloss='2' stiffness='3'/>" BALL
                    "</body></worldbody><equality><joint joint1='j'/></equality>"));
    joint = &robot->model->joints[tqa_robot_joint(robot, "j", 1)];
    cr_expect(eq(dbl, joint->friction.viscous, 1.0));
    cr_expect(eq(dbl, joint->friction.coulomb, 2.0));
    cr_expect(eq(dbl, joint->spring.stiffness, 3.0));
    cr_expect(robot->constraints != NULL && robot->constraints->n_constraint == 1);
    tqa_robot_free(robot);
    /* the last setting applies */
    robot = parse(M("<option><flag gravity='disable'/></option><option><flag gravity='enable'/>"
                    "</option><worldbody/>"));
    cr_expect(eq(dbl, robot->model->gravity[2], -9.81));
    tqa_robot_free(robot);
}

/* unknown elements may change numbers and are reported; known elements without effect are not */
Test(mjcf_guard, implausible_values_are_findings_of_the_doctor)
{
    tqa_robot *robot =
        parse(M("<compiler usethread='false' massscale='2'/><wings/><visual/>"
                "<worldbody><body><joint name='j' dampimg='1' group='2'/>" BALL "<rotor/></body>"
                "</worldbody><equality><tendon tendon1='t'/><connect site1='s' site2='t' "
                "active='false'/></equality><actuator><velocity joint='j' kv='1'/></actuator>"));
    cr_expect(eq(u32, findings(robot, TQA_FINDING_DOCTOR, "compiler@massscale"), 1));
    cr_expect(eq(u32, findings(robot, TQA_FINDING_DOCTOR, "mujoco/wings"), 1));
    cr_expect(eq(u32, findings(robot, TQA_FINDING_DOCTOR, "body/rotor"), 1));
    cr_expect(eq(u32, findings(robot, TQA_FINDING_DOCTOR, "joint@dampimg"), 1));
    cr_expect(eq(u32, findings(robot, TQA_FINDING_DOCTOR, "equality/tendon"), 1));
    cr_expect(eq(u32, findings(robot, TQA_FINDING_IGNORED, "equality/connect"), 1));
    cr_expect(eq(u32, findings(robot, TQA_FINDING_IGNORED, "actuator/velocity"), 1));
    cr_expect(eq(u32, findings(robot, TQA_FINDING_IGNORED, "compiler@usethread"), 1));
    cr_expect(eq(u32, findings(robot, TQA_FINDING_IGNORED, "joint@group"), 1));
    cr_expect(eq(u32, findings(robot, TQA_FINDING_IGNORED, "mujoco/visual"), 1));
    tqa_robot_free(robot);
}
