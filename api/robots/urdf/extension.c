/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/urdf/extension.c - elements "torqued:...", in which an exported URDF holds what the
   format cannot express. Other programs ignore them. */
#include <math.h>
#include <string.h>

#include "api/robots/log_law.h"
#include "api/robots/urdf/urdf.h"
#include "api/robots/urdf/walk.h"
#include "api/robots/xml_print.h"

bool tqa_urdf_open_gravity(tqa_urdf_walk *w, const tqa_urdf_element *e)
{
    static const char *const known[] = {"xyz", NULL};
    if (strcmp(e->name, "torqued:gravity") != 0) {
        return false;
    }
    const tqa_urdf_place place = {
        .draft = w->file->draft, .path = "/robot/torqued:gravity", .line = e->line};
    tqa_urdf_read_needed(&place, e, "xyz", 3, w->file->draft->model.gravity);
    tqa_urdf_ignore_attributes(w, e, known);
    return true;
}

bool tqa_urdf_open_carried(tqa_urdf_walk *w, const tqa_urdf_element *e)
{
    static const char *const known[] = {"share", NULL};
    char path[TQA_POINTER_TEXT];
    if (strcmp(e->name, TQA_XML_CARRIED) != 0) {
        return false;
    }
    const tqa_urdf_place place = tqa_urdf_place_of(w, e, e->name, path);
    if (tqa_urdf_first_time(&place, e, &w->seen, TQA_URDF_SEEN_CARRIED)) {
        tqa_urdf_read_needed(&place, e, "share", 1, &w->file->links[w->file->n_link - 1].carried);
        tqa_urdf_ignore_attributes(w, e, known);
    }
    return true;
}

static bool open_log_law(tqa_urdf_walk *w, const tqa_urdf_element *e, const tqa_urdf_place *place,
                         tqa_urdf_joint *joint)
{
    double *numbers[TQA_LOG_LAW_NUMBERS];
    if (strcmp(e->name, "torqued:" TQA_LOG_LAW) != 0) {
        return false;
    }
    if (tqa_urdf_first_time(place, e, &w->seen, TQA_URDF_SEEN_LOG_LAW)) {
        tqa_log_law_numbers(&joint->log_law, numbers);
        for (size_t k = 0; k < TQA_LOG_LAW_NUMBERS; k++) {
            tqa_urdf_read_optional(place, e, tqa_log_law_names[k], 1, numbers[k]);
        }
        tqa_urdf_ignore_attributes(w, e, tqa_log_law_names);
        joint->extended = joint->log_law.is_there = true;
    }
    return true;
}

static bool open_passive(tqa_urdf_walk *w, const tqa_urdf_element *e, tqa_urdf_joint *joint)
{
    static const char *const known[] = {NULL};
    if (strcmp(e->name, "torqued:passive") != 0) {
        return false;
    }
    joint->passive = true;
    tqa_urdf_ignore_attributes(w, e, known);
    return true;
}

/* One element of a joint: up to four attributes that may be absent, each into its number. */
typedef struct extension {
    const char *name;
    unsigned bit;
    const char *attributes[5];
    double *values[4];
} extension;

bool tqa_urdf_open_extension(tqa_urdf_walk *w, const tqa_urdf_element *e,
                             const tqa_urdf_place *place, tqa_urdf_joint *joint)
{
    const extension rows[] = {
        {"torqued:friction",
         TQA_URDF_SEEN_MORE_FRICTION,
         {"breakaway", "stribeck_velocity", "smoothing", "offset", NULL},
         {&joint->more.breakaway, &joint->more.stribeck_velocity, &joint->more.smoothing,
          &joint->more.offset}},
        {"torqued:spring",
         TQA_URDF_SEEN_SPRING,
         {"stiffness", "rest", NULL},
         {&joint->spring.stiffness, &joint->spring.rest}},
        {"torqued:rotor",
         TQA_URDF_SEEN_ROTOR,
         {"inertia", "ratio", NULL},
         {&joint->rotor.inertia, &joint->rotor.ratio}},
        {"torqued:limits",
         TQA_URDF_SEEN_LIMITS,
         {"lower", "upper", NULL},
         {&joint->turn_limits[0], &joint->turn_limits[1]}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        if (strcmp(e->name, rows[k].name) == 0) {
            if (tqa_urdf_first_time(place, e, &w->seen, rows[k].bit)) {
                for (size_t a = 0; rows[k].attributes[a] != NULL; a++) {
                    tqa_urdf_read_optional(place, e, rows[k].attributes[a], 1, rows[k].values[a]);
                }
                tqa_urdf_ignore_attributes(w, e, rows[k].attributes);
                joint->extended = true;
            }
            return true;
        }
    }
    return open_passive(w, e, joint) || open_log_law(w, e, place, joint);
}

/* A program that must write a limit writes a number that no joint reaches. */
static double limit(double x)
{
    return x >= TQA_URDF_NO_LIMIT    ? (double)INFINITY
           : x <= -TQA_URDF_NO_LIMIT ? -(double)INFINITY
                                     : x;
}

void tqa_urdf_fill_extension(const tqa_urdf_joint *row, tq_joint *joint)
{
    joint->friction.breakaway = row->more.breakaway;
    joint->friction.stribeck_velocity = row->more.stribeck_velocity;
    joint->friction.smoothing = row->more.smoothing;
    joint->friction.offset = row->more.offset;
    joint->log_law = row->log_law;
    joint->spring = row->spring;
    joint->rotor = row->rotor;
    if (joint->kind == TQ_JOINT_CONTINUOUS) {
        joint->limits.lower = row->turn_limits[0];
        joint->limits.upper = row->turn_limits[1];
    }
    joint->limits.lower = limit(joint->limits.lower);
    joint->limits.upper = limit(joint->limits.upper);
    joint->limits.velocity = limit(joint->limits.velocity);
    joint->limits.effort = limit(joint->limits.effort);
}
