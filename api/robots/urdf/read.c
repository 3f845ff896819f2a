/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/urdf/read.c - URDF elements, in the order of the file, into plain rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/urdf/urdf.h"
#include "api/robots/urdf/walk.h"

static const char *why_ignored(const char *name)
{
    static const char *const reasons[][2] = {
        {"visual", "a shape to draw: it has no effect on the dynamics"},
        {"collision", "a shape to touch: state it in \"contacts\" of simulate"},
        {"material", "a colour"},
        {"gazebo", "settings of another simulator"},
        {"sensor", "a sensor"},
        {"ros2_control", "settings of a controller"},
        {"calibration", "reference positions of the joint's sensor"},
        {"safety_controller", "soft limits of a controller"},
        {"hardwareInterface", "settings of a controller"},
        {"type", "the kind of transmission"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (strcmp(name, reasons[i][0]) == 0) {
            return reasons[i][1];
        }
    }
    return "not known here";
}

/* False, with a fault, when a robot has no room for one more link or joint. */
static bool has_room(const tqa_urdf_walk *w, const tqa_urdf_element *e, size_t n)
{
    if (n < TQ_LINK_MAX) {
        return true;
    }
    tqa_draft_fault(w->file->draft, "too-large", "/robot",
                    "a robot has at most 4096 links, and one joint fewer",
                    "line %lu: <%s> number %zu", e->line, e->name, n + 1);
    return false;
}

static bool open_link(tqa_urdf_walk *w, const tqa_urdf_element *e)
{
    static const char *const known[] = {"name", NULL};
    tqa_urdf_file *file = w->file;
    tqa_draft *draft = file->draft;
    if (!has_room(w, e, file->n_link)) {
        return false;
    }
    tqa_urdf_link *links = tqa_arena_grow(draft->arena, file->links, file->n_link,
                                          &file->link_capacity, sizeof *links);
    if (links == NULL) {
        return false;
    }
    file->links = links;
    const char *name = tqa_urdf_attribute(e, "name");
    if (name != NULL) {
        (void)snprintf(w->path, sizeof w->path, "/robot/link[@name='%.60s']", name);
    } else {
        (void)snprintf(w->path, sizeof w->path, "/robot/link[%zu]", file->n_link + 1);
    }
    const tqa_urdf_place place = {.draft = draft, .path = w->path, .line = e->line};
    name = tqa_urdf_read_name(&place, e, "name");
    links[file->n_link++] = (tqa_urdf_link){.name = name != NULL ? name : "", .line = e->line};
    w->seen = 0;
    tqa_urdf_ignore_attributes(w, e, known);
    return true;
}

/* The kind that a type names; false when there is no such type. Spherical joints are not in the
 * format: Bullet and others write them. */
static bool joint_kind(const char *type, tq_joint_kind *ret)
{
    return tqa_joint_kind_find(type, ret);
}

static bool open_joint(tqa_urdf_walk *w, const tqa_urdf_element *e)
{
    static const char *const known[] = {"name", "type", NULL};
    tqa_urdf_file *file = w->file;
    tqa_draft *draft = file->draft;
    if (!has_room(w, e, file->n_joint)) {
        return false;
    }
    tqa_urdf_joint *joints = tqa_arena_grow(draft->arena, file->joints, file->n_joint,
                                            &file->joint_capacity, sizeof *joints);
    if (joints == NULL) {
        return false;
    }
    file->joints = joints;
    const char *name = tqa_urdf_attribute(e, "name");
    if (name != NULL) {
        (void)snprintf(w->path, sizeof w->path, "/robot/joint[@name='%.60s']", name);
    } else {
        (void)snprintf(w->path, sizeof w->path, "/robot/joint[%zu]", file->n_joint + 1);
    }
    const tqa_urdf_place place = {.draft = draft, .path = w->path, .line = e->line};
    name = tqa_urdf_read_name(&place, e, "name");
    tq_joint_kind kind = TQ_JOINT_FIXED;
    const char *type = tqa_urdf_attribute(e, "type");
    if (type == NULL || !joint_kind(type, &kind)) {
        tqa_draft_fault(draft, type == NULL ? "missing-field" : "invalid-value", place.path,
                        "type is one of: revolute, continuous, prismatic, fixed, floating, planar, "
                        "spherical",
                        "line %lu: %s%.40s", place.line,
                        type == NULL ? "the joint has no type" : "unknown joint type ",
                        type == NULL ? "" : type);
    }
    joints[file->n_joint++] = (tqa_urdf_joint){
        .name = name != NULL ? name : "",
        .line = e->line,
        .kind = kind,
        .axis = {1.0, 0.0, 0.0},
        .multiplier = 1.0,
        .rotor.ratio = 1.0,
        .turn_limits = {-(double)INFINITY, (double)INFINITY},
    };
    w->seen = 0;
    tqa_urdf_ignore_attributes(w, e, known);
    return true;
}

static void read_origin(tqa_urdf_walk *w, const tqa_urdf_element *e, const tqa_urdf_place *place,
                        double *xyz, double *rpy)
{
    static const char *const known[] = {"xyz", "rpy", NULL};
    tqa_urdf_read_optional(place, e, "xyz", 3, xyz);
    tqa_urdf_read_optional(place, e, "rpy", 3, rpy);
    tqa_urdf_ignore_attributes(w, e, known);
}

/* A child of <inertial>. False: not one that we know. */
static bool open_in_inertial(tqa_urdf_walk *w, const tqa_urdf_element *e)
{
    static const char *const known_mass[] = {"value", NULL};
    static const char *const known_inertia[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz", NULL};
    tqa_urdf_link *link = &w->file->links[w->file->n_link - 1];
    char child[32];
    char path[TQA_POINTER_TEXT];
    (void)snprintf(child, sizeof child, "inertial/%.20s", e->name);
    const tqa_urdf_place place = tqa_urdf_place_of(w, e, child, path);
    if (strcmp(e->name, "origin") == 0) {
        if (tqa_urdf_first_time(&place, e, &w->seen_inertial, TQA_URDF_SEEN_ORIGIN)) {
            read_origin(w, e, &place, link->xyz, link->rpy);
        }
    } else if (strcmp(e->name, "mass") == 0) {
        if (tqa_urdf_first_time(&place, e, &w->seen_inertial, TQA_URDF_SEEN_MASS)) {
            tqa_urdf_read_needed(&place, e, "value", 1, &link->mass);
            tqa_urdf_ignore_attributes(w, e, known_mass);
        }
    } else if (strcmp(e->name, "inertia") == 0) {
        if (tqa_urdf_first_time(&place, e, &w->seen_inertial, TQA_URDF_SEEN_INERTIA)) {
            for (size_t i = 0; i < 6; i++) {
                tqa_urdf_read_needed(&place, e, known_inertia[i], 1, &link->inertia[i]);
            }
            tqa_urdf_ignore_attributes(w, e, known_inertia);
        }
    } else {
        return false;
    }
    return true;
}

static void read_limit(tqa_urdf_walk *w, const tqa_urdf_element *e, const tqa_urdf_place *place,
                       tqa_urdf_joint *joint)
{
    static const char *const known[] = {"lower", "upper", "velocity", "effort", NULL};
    const double none = (double)INFINITY;
    joint->has_limit = true;
    joint->limits = (tq_limits){.lower = 0.0, .upper = 0.0, .velocity = none, .effort = none};
    tqa_urdf_read_optional(place, e, "lower", 1, &joint->limits.lower);
    tqa_urdf_read_optional(place, e, "upper", 1, &joint->limits.upper);
    tqa_urdf_read_optional(place, e, "velocity", 1, &joint->limits.velocity);
    tqa_urdf_read_optional(place, e, "effort", 1, &joint->limits.effort);
    tqa_urdf_ignore_attributes(w, e, known);
}

/* The children of <joint> that hold numbers. False: not one of them. */
static bool open_numbers_in_joint(tqa_urdf_walk *w, const tqa_urdf_element *e,
                                  const tqa_urdf_place *place, tqa_urdf_joint *joint)
{
    static const char *const known_axis[] = {"xyz", NULL};
    static const char *const known_dynamics[] = {"damping", "friction", NULL};
    if (strcmp(e->name, "origin") == 0) {
        if (tqa_urdf_first_time(place, e, &w->seen, TQA_URDF_SEEN_ORIGIN)) {
            read_origin(w, e, place, joint->xyz, joint->rpy);
        }
    } else if (strcmp(e->name, "axis") == 0) {
        if ((w->seen & TQA_URDF_SEEN_AXIS) != 0) {
            tqa_draft_find(
                w->file->draft, TQA_FINDING_DOCTOR,
                tqa_arena_format(w->file->draft->arena, "%s (line %lu)", place->path, place->line),
                "a second <axis>: the first one counts, as other readers have it", 1);
        } else if (tqa_urdf_first_time(place, e, &w->seen, TQA_URDF_SEEN_AXIS)) {
            tqa_urdf_read_needed(place, e, "xyz", 3, joint->axis);
            tqa_urdf_ignore_attributes(w, e, known_axis);
        }
    } else if (strcmp(e->name, "limit") == 0) {
        if (tqa_urdf_first_time(place, e, &w->seen, TQA_URDF_SEEN_LIMIT)) {
            read_limit(w, e, place, joint);
        }
    } else if (strcmp(e->name, "dynamics") == 0) {
        if (tqa_urdf_first_time(place, e, &w->seen, TQA_URDF_SEEN_DYNAMICS)) {
            tqa_urdf_read_optional(place, e, "damping", 1, &joint->damping);
            tqa_urdf_read_optional(place, e, "friction", 1, &joint->friction);
            tqa_urdf_ignore_attributes(w, e, known_dynamics);
        }
    } else {
        return false;
    }
    return true;
}

/* A child of <joint>. False: not one that we know. */
static bool open_in_joint(tqa_urdf_walk *w, const tqa_urdf_element *e)
{
    static const char *const known_link[] = {"link", NULL};
    static const char *const known_mimic[] = {"joint", "multiplier", "offset", NULL};
    tqa_urdf_joint *joint = &w->file->joints[w->file->n_joint - 1];
    char path[TQA_POINTER_TEXT];
    const tqa_urdf_place place = tqa_urdf_place_of(w, e, e->name, path);
    if (open_numbers_in_joint(w, e, &place, joint) ||
        tqa_urdf_open_extension(w, e, &place, joint)) {
        return true;
    }
    if (strcmp(e->name, "parent") == 0) {
        if (tqa_urdf_first_time(&place, e, &w->seen, TQA_URDF_SEEN_PARENT)) {
            joint->parent = tqa_urdf_read_name(&place, e, "link");
            tqa_urdf_ignore_attributes(w, e, known_link);
        }
    } else if (strcmp(e->name, "child") == 0) {
        if (tqa_urdf_first_time(&place, e, &w->seen, TQA_URDF_SEEN_CHILD)) {
            joint->child = tqa_urdf_read_name(&place, e, "link");
            tqa_urdf_ignore_attributes(w, e, known_link);
        }
    } else if (strcmp(e->name, "mimic") == 0) {
        if (tqa_urdf_first_time(&place, e, &w->seen, TQA_URDF_SEEN_MIMIC)) {
            joint->mimic = tqa_urdf_read_name(&place, e, "joint");
            tqa_urdf_read_optional(&place, e, "multiplier", 1, &joint->multiplier);
            tqa_urdf_read_optional(&place, e, "offset", 1, &joint->offset);
            tqa_urdf_ignore_attributes(w, e, known_mimic);
        }
    } else {
        return false;
    }
    return true;
}

/* A child of <transmission> or of its <actuator>. False: not one that we know. */
static bool open_in_transmission(tqa_urdf_walk *w, const tqa_urdf_element *e)
{
    tqa_urdf_transmission *row = &w->file->transmissions[w->file->n_transmission - 1];
    char path[TQA_POINTER_TEXT];
    const tqa_urdf_place place = tqa_urdf_place_of(w, e, e->name, path);
    if (strcmp(e->name, "joint") == 0) {
        row->joint = tqa_urdf_read_name(&place, e, "name");
        row->n_joint++;
    } else if (strcmp(e->name, "drake:rotor_inertia") == 0) {
        tqa_urdf_read_needed(&place, e, "value", 1, &row->rotor_inertia);
    } else if (strcmp(e->name, "drake:gear_ratio") == 0) {
        tqa_urdf_read_needed(&place, e, "value", 1, &row->reduction);
    } else {
        return strcmp(e->name, "mechanicalReduction") == 0;
    }
    return true;
}

static bool open_transmission(tqa_urdf_walk *w, const tqa_urdf_element *e)
{
    tqa_urdf_file *file = w->file;
    tqa_urdf_transmission *rows =
        tqa_arena_grow(file->draft->arena, file->transmissions, file->n_transmission,
                       &file->transmission_capacity, sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    file->transmissions = rows;
    rows[file->n_transmission++] = (tqa_urdf_transmission){.line = e->line};
    (void)snprintf(w->path, sizeof w->path, "/robot/transmission[%zu]", file->n_transmission);
    return true;
}

/* The root element. False: not a robot, a fault was added. */
static bool open_root(tqa_urdf_walk *w, const tqa_urdf_element *e)
{
    static const char *const known[] = {"name", "version", NULL};
    tqa_draft *draft = w->file->draft;
    if (strcmp(e->name, "robot") != 0) {
        const char *hint = "the outermost element of a URDF is <robot name=\"...\">";
        tqa_draft_fault(draft, "malformed", "", hint,
                        "line %lu: the file holds a <%.40s>, no robot", e->line, e->name);
        return false;
    }
    const char *name = tqa_urdf_attribute(e, "name");
    if (name != NULL && name[0] != '\0') {
        const tqa_urdf_place place = {.draft = draft, .path = "/robot", .line = e->line};
        const char *kept = tqa_urdf_read_name(&place, e, "name");
        draft->name = kept != NULL ? kept : "";
    }
    tqa_urdf_ignore_attributes(w, e, known);
    return draft->problem->status == 0;
}

/* Notes an element without meaning here; xacro's own are a fault. */
static bool open_ignored(tqa_urdf_walk *w, const tqa_urdf_element *e)
{
    const char *const inside[] = {"",      "robot",        "link",     "inertial",
                                  "joint", "transmission", "actuator", w->leaf};
    if (strncmp(e->name, "xacro:", 6) == 0) {
        char path[TQA_POINTER_TEXT];
        (void)snprintf(path, sizeof path, "/robot/%.64s", e->name);
        tqa_draft_fault(w->file->draft, "malformed", path,
                        "run xacro first: xacro robot.urdf.xacro > robot.urdf",
                        "line %lu: <%.64s> is a xacro instruction that was not expanded", e->line,
                        e->name);
        return false;
    }
    tqa_urdf_ignore(w, e->line, why_ignored(e->name), "%s/%.80s", inside[w->stack[w->depth]],
                    e->name);
    w->skip = 1;
    return true;
}

/* Takes an element of the robot itself. *ret_next: where its children are. */
static bool open_in_robot(tqa_urdf_walk *w, const tqa_urdf_element *e, tqa_urdf_where *ret_next)
{
    if (strcmp(e->name, "link") == 0) {
        *ret_next = TQA_URDF_IN_LINK;
        return open_link(w, e);
    }
    if (strcmp(e->name, "joint") == 0) {
        *ret_next = TQA_URDF_IN_JOINT;
        return open_joint(w, e);
    }
    if (strcmp(e->name, "transmission") == 0) {
        *ret_next = TQA_URDF_IN_TRANSMISSION;
        return open_transmission(w, e);
    }
    return tqa_urdf_open_gravity(w, e) || open_ignored(w, e);
}

static bool open_inertial(tqa_urdf_walk *w, const tqa_urdf_element *e)
{
    char path[TQA_POINTER_TEXT];
    const tqa_urdf_place place = tqa_urdf_place_of(w, e, "inertial", path);
    if (!tqa_urdf_first_time(&place, e, &w->seen, TQA_URDF_SEEN_INERTIAL)) {
        return false;
    }
    w->seen_inertial = 0;
    return true;
}

static bool on_open(void *ctx, unsigned long line, const char *name, const char *const *attributes)
{
    tqa_urdf_walk *w = ctx;
    const tqa_urdf_element e = {.name = name, .line = line, .attributes = attributes};
    if (w->skip > 0) {
        w->skip++;
        return true;
    }
    tqa_urdf_where next = TQA_URDF_IN_LEAF;
    bool known = true;
    bool ok = true;
    switch (w->stack[w->depth]) {
    case TQA_URDF_OUTSIDE:
        ok = open_root(w, &e);
        next = TQA_URDF_IN_ROBOT;
        break;
    case TQA_URDF_IN_ROBOT:
        ok = open_in_robot(w, &e, &next);
        break;
    case TQA_URDF_IN_LINK:
        known = strcmp(name, "inertial") == 0;
        if (known) {
            ok = open_inertial(w, &e);
            next = TQA_URDF_IN_INERTIAL;
        } else {
            known = tqa_urdf_open_carried(w, &e);
        }
        break;
    case TQA_URDF_IN_INERTIAL:
        known = open_in_inertial(w, &e);
        break;
    case TQA_URDF_IN_JOINT:
        known = open_in_joint(w, &e);
        break;
    case TQA_URDF_IN_TRANSMISSION:
        if (strcmp(name, "actuator") == 0) {
            next = TQA_URDF_IN_ACTUATOR;
        } else {
            known = open_in_transmission(w, &e);
        }
        break;
    case TQA_URDF_IN_ACTUATOR:
        known = open_in_transmission(w, &e);
        break;
    case TQA_URDF_IN_LEAF:
        known = false;
        break;
    }
    if (!known) {
        ok = open_ignored(w, &e);
    }
    if (ok && w->skip == 0) {
        w->stack[++w->depth] = next;
        if (next == TQA_URDF_IN_LEAF) {
            (void)snprintf(w->leaf, sizeof w->leaf, "%s", name);
        }
    }
    return ok && w->file->draft->problem->n_fault < TQA_PROBLEM_FAULTS;
}

/* An <inertial> must say a mass; without a tensor it is one of a point, as other readers have it.
 */
static void check_inertial(const tqa_urdf_walk *w)
{
    const tqa_urdf_link *link = &w->file->links[w->file->n_link - 1];
    char path[TQA_POINTER_TEXT];
    (void)snprintf(path, sizeof path, "%s/inertial", w->path);
    if ((w->seen_inertial & TQA_URDF_SEEN_MASS) == 0) {
        tqa_draft_fault(w->file->draft, "missing-field", path,
                        "add <mass value=\"...\"/> in kilograms, or leave <inertial> out of a link "
                        "without mass",
                        "link of line %lu: <inertial> has no <mass>", link->line);
    }
    if ((w->seen_inertial & TQA_URDF_SEEN_INERTIA) == 0) {
        tqa_draft_find(
            w->file->draft, TQA_FINDING_DOCTOR,
            tqa_arena_format(w->file->draft->arena, "link %s (line %lu)", link->name, link->line),
            "its <inertial> has no <inertia>: read as a point mass, so that turning it "
            "takes too little torque",
            1);
    }
}

static void close_reduction(tqa_urdf_walk *w, const char *text)
{
    tqa_urdf_transmission *row = &w->file->transmissions[w->file->n_transmission - 1];
    char path[TQA_POINTER_TEXT];
    (void)snprintf(path, sizeof path, "%s/mechanicalReduction", w->path);
    const tqa_urdf_place place = {.draft = w->file->draft, .path = path, .line = row->line};
    if (tqa_urdf_is_words(text)) {
        row->is_reduction_text = true;
        return;
    }
    (void)tqa_urdf_read_numbers(&place, "mechanicalReduction", text, 1, &row->reduction);
}

static bool on_close(void *ctx, const char *name, const char *text)
{
    tqa_urdf_walk *w = ctx;
    if (w->skip > 0) {
        w->skip--;
        return true;
    }
    if (w->stack[w->depth] == TQA_URDF_IN_INERTIAL) {
        check_inertial(w);
    } else if (w->stack[w->depth] == TQA_URDF_IN_LEAF && strcmp(name, "mechanicalReduction") == 0) {
        close_reduction(w, text);
    }
    w->depth--;
    return w->file->draft->problem->n_fault < TQA_PROBLEM_FAULTS;
}

/* The problem that the XML reader met, if any. */
static void report_end(tqa_draft *draft, tqa_xml_end end, const tqa_xml_error *error)
{
    char pointer[TQA_POINTER_TEXT];
    (void)snprintf(pointer, sizeof pointer, "line %lu, column %lu", error->line, error->column);
    switch (end) {
    case TQA_XML_MALFORMED:
        tqa_draft_fault(draft, "malformed", "",
                        "check the file with xmllint, and that it arrived whole",
                        "%s: not well-formed XML: %s", pointer, error->detail);
        break;
    case TQA_XML_DTD:
        tqa_draft_fault(draft, "malformed", "", "remove the <!DOCTYPE ...> from the file", "%s: %s",
                        pointer, error->detail);
        break;
    case TQA_XML_LIMIT:
        tqa_draft_fault(draft, "too-large", "", "a robot needs far less; see the limits", "%s: %s",
                        pointer, error->detail);
        break;
    case TQA_XML_OK:
    case TQA_XML_REFUSED:
        break;
    }
}

/* Bytes as they are. */
typedef struct plain {
    tqa_draft *draft;
    const char *bytes;
    size_t n;
} plain;

static void read_file(void *ctx, const tqa_xml_reader *reader)
{
    plain *p = ctx;
    tqa_xml_error error;
    const tqa_xml_end end = tqa_xml_read(p->bytes, p->n, reader, &error);
    if (end == TQA_XML_LIMIT && error.no_memory) {
        tqa_arena_miss(p->draft->arena);
    }
    report_end(p->draft, end, &error);
}

bool tqa_urdf_read(tqa_draft *draft, const char *bytes, size_t n)
{
    plain p = {.draft = draft, .bytes = bytes, .n = n};
    return tqa_urdf_read_from(draft, read_file, &p);
}

bool tqa_urdf_read_elements(tqa_urdf_file *file, tqa_urdf_source *source, void *ctx)
{
    tqa_draft *draft = file->draft;
    tqa_urdf_walk w = {.file = file};
    const tqa_xml_reader reader = {.ctx = &w, .open = on_open, .close = on_close};
    source(ctx, &reader);
    if (draft->problem->status == 0 && tqa_arena_spent(draft->arena)) {
        (void)tqa_draft_no_memory(draft);
    }
    return draft->problem->status == 0;
}
