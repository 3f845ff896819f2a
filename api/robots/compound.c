/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/compound.c - joints of files that are two joints of core: helical and universal. */
#include "api/robots/compound.h"

#include <math.h>
#include <string.h>

#include "core/spatial/frame.h"

enum { NAME_ROOM = 16 }; /* of TQA_NAME_MAX, for the endings of names */

static const struct {
    const char *word, *joint, *link;
} compounds[] = {[TQA_COMPOUND_NONE] = {"", "", ""},
                 [TQA_HELICAL] = {"helical", "advance", "nut"},
                 [TQA_UNIVERSAL] = {"universal", "axis2", "cross"}};

tqa_compound tqa_compound_find(const char *word)
{
    for (tqa_compound k = TQA_HELICAL; k <= TQA_UNIVERSAL; k++) {
        if (strcmp(word, compounds[k].word) == 0) {
            return k;
        }
    }
    return TQA_COMPOUND_NONE;
}

const char *tqa_compound_name(tqa_arena *arena, const char *name, const char *ending,
                              uint32_t number)
{
    if (strlen(name) < TQA_NAME_MAX - NAME_ROOM) {
        return tqa_arena_format(arena, "%s_%s", name, ending);
    }
    return tqa_arena_format(arena, "joint%u_%s", number + 1, ending);
}

const char *tqa_compound_joint(tqa_arena *arena, tqa_compound compound, const char *name,
                               uint32_t number)
{
    return tqa_compound_name(arena, name, compounds[compound].joint, number);
}

const char *tqa_compound_link(tqa_arena *arena, tqa_compound compound, const char *name,
                              uint32_t number)
{
    return tqa_compound_name(arena, name, compounds[compound].link, number);
}

bool tqa_helical_check(tqa_draft *draft, double pitch, const char *pointer)
{
    if (isfinite(pitch) && fabs(pitch) >= TQA_PITCH_LEAST) {
        return true;
    }
    tqa_draft_fault(
        draft, "range", pointer,
        "metres a turn, 1e-12 or more, positive for a right-handed thread; a joint that "
        "only turns is revolute or continuous",
        "a helical joint cannot have a pitch of %g", pitch);
    return false;
}

/* joints[first + 1]: from `between` on to what joints[first] carried */
static tq_joint *lead_on(tq_joint *joints, uint32_t first, uint32_t between, tq_joint_kind kind)
{
    const double none = (double)INFINITY;
    tq_joint *from = &joints[first], *ret = &joints[first + 1];
    *ret = (tq_joint){
        .kind = kind,
        .parent = between,
        .child = from->child,
        .origin = tq_pose_identity,
        .limits = {.lower = -none, .upper = none, .velocity = none, .effort = none},
        .rotor.ratio = 1.0,
        .mimic = TQ_NONE,
        .mimic_multiplier = 1.0,
    };
    from->child = between;
    return ret;
}

void tqa_helical_split(tq_joint *joints, uint32_t first, uint32_t between)
{
    tq_joint *slide = lead_on(joints, first, between, TQ_JOINT_PRISMATIC);
    memcpy(slide->axis, joints[first].axis, sizeof slide->axis);
}

void tqa_universal_split(tq_joint *joints, uint32_t first, uint32_t between, const double axis2[3])
{
    const tq_joint *from = &joints[first];
    tq_joint *second = lead_on(joints, first, between, from->kind);
    memcpy(second->axis, axis2, sizeof second->axis);
    second->limits = from->limits;
    second->friction = from->friction;
    second->spring = from->spring;
    second->rotor = from->rotor;
}

void tqa_helical_settle(tq_joint *joints, uint32_t first, double pitch)
{
    tq_joint *turn = &joints[first], *slide = &joints[first + 1];
    const double factor = pitch / (2.0 * M_PI);
    const bool bounded = isfinite(turn->limits.lower) || isfinite(turn->limits.upper);
    const bool follows = turn->mimic != TQ_NONE;
    turn->kind = bounded ? TQ_JOINT_REVOLUTE : TQ_JOINT_CONTINUOUS;
    slide->mimic = follows ? turn->mimic : first;
    slide->mimic_multiplier = follows ? factor * turn->mimic_multiplier : factor;
    slide->mimic_offset = follows ? factor * turn->mimic_offset : 0.0;
}

void tqa_compound_report(tqa_draft *draft, const char *const names[3], double pitch)
{
    tqa_arena *arena = draft->arena;
    const char *where = tqa_arena_format(arena, "joint %s", names[0]);
    const char *text =
        pitch != 0.0
            ? tqa_arena_format(arena,
                               "helical, %.9g m a turn: it turns link \"%s\", without mass, along "
                               "whose axis \"%s\" follows by pitch / (2 pi); torque is about the "
                               "angle",
                               pitch, names[2], names[1])
            : tqa_arena_format(arena,
                               "universal: it turns link \"%s\", without mass, about its first "
                               "axis, and \"%s\" turns from there about the second",
                               names[2], names[1]);
    tqa_draft_find(draft, TQA_FINDING_UNDERSTOOD, where, text, 1);
}
