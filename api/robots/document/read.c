/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/read.c - robot documents: which field has links and joints, and all else. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/document/document.h"
#include "api/robots/document/parts.h"
#include "api/robots/urdf/urdf.h"

static const char *const nothing[] = {NULL};

/* Everything but links and joints. `needs_gravity`: the kinematics do not determine it. */
static void read_head(const tqa_json_at *root, bool needs_gravity)
{
    static const char *const known[] = {"name",     "description", "gravity", "tree", "links",
                                        "joints",   "dh",          "poe",     "urdf", "constraints",
                                        "actuated", "medium",      "tendons", NULL};
    static const char *const derived[] = {"source", "digest",    "builtin",    "nq",
                                          "nv",     "root",      "understood", "ignored",
                                          "doctor", "assembled", "dof",        NULL};
    tqa_draft *draft = root->draft;
    tqa_json_fields(root, known, derived);
    const tqa_json_at name = tqa_json_field(root, "name");
    const tqa_json_at note = tqa_json_field(root, "description");
    const tqa_json_at gravity = tqa_json_field(root, "gravity");
    const tqa_json_at medium = tqa_json_field(root, "medium");
    tqa_document_medium(&medium, &draft->model.medium);
    if (name.value != NULL) {
        (void)tqa_json_name(&name, &draft->name);
    }
    if (note.value != NULL && json_is_string(note.value)) {
        const char *copy = tqa_arena_text(draft->arena, json_string_value(note.value),
                                          json_string_length(note.value));
        draft->description = copy != NULL ? copy : "";
    } else if (note.value != NULL) {
        tqa_draft_fault(draft, "wrong-type", note.pointer, "write a text in quotes",
                        "a description is a string");
    }
    if (gravity.value != NULL) {
        (void)tqa_json_numbers(&gravity, 3, draft->model.gravity);
    } else if (needs_gravity) {
        tqa_draft_fault(draft, "missing-field", gravity.pointer,
                        "add \"gravity\": [0, 0, -9.81] if z points up, [0, 0, 0] if there is none",
                        "it must be said where gravity points");
    }
}

/* A URDF as text; its faults have XML paths. */
static bool read_urdf(const tqa_json_at *urdf)
{
    tqa_draft *draft = urdf->draft;
    if (!json_is_string(urdf->value)) {
        tqa_draft_fault(draft, "wrong-type", urdf->pointer, "write the text of the file here",
                        "this must be: a string");
        return false;
    }
    const bool ok =
        tqa_urdf_read(draft, json_string_value(urdf->value), json_string_length(urdf->value));
    draft->source = "document";
    return ok;
}

/* Links and joints from the one field that has them. */
static bool read_kinematics(const tqa_json_at *root)
{
    static const char *const ways[] = {"tree", "dh", "poe", "urdf"};
    enum { N_WAY = sizeof ways / sizeof ways[0] };
    static const char *const known_tree[] = {"links", "joints", NULL};
    static const char *const forms[] = {
        "write {\"links\": [{\"name\": \"base\"}, ...], \"joints\": [{\"name\": \"j1\", \"kind\": "
        "\"revolute\", \"parent\": \"base\", ...}, ...]}",
        "write {\"convention\": \"standard\", \"joints\": [{\"name\": \"j1\", \"theta\": 0, \"d\": 0.3, "
        "\"a\": 0, \"alpha\": 1.5708}, ...]}; or \"modified\", Craig's",
        "write {\"joints\": [{\"name\": \"j1\", \"kind\": \"revolute\", \"screw\": [...], \"link\": "
        "{...}}, ...]}"};
    tqa_draft *draft = root->draft;
    const bool bare = json_object_get(root->value, "links") != NULL ||
                      json_object_get(root->value, "joints") != NULL;
    tqa_json_at chosen = {.value = NULL};
    size_t way = N_WAY;
    for (size_t k = 0; k < N_WAY; k++) {
        const tqa_json_at at = tqa_json_field(root, ways[k]);
        if (at.value != NULL && (bare || way != N_WAY)) {
            tqa_draft_fault(draft, "invalid-value", at.pointer, "keep one of the two",
                            "links and joints are given twice: use one of \"links\" with "
                            "\"joints\", \"tree\", \"dh\", \"poe\", \"urdf\"");
            return false;
        }
        if (at.value != NULL) {
            chosen = at;
            way = k;
        }
    }
    if (way == N_WAY) {
        return tqa_document_tree(root);
    }
    if (way == 3) {
        return read_urdf(&chosen);
    }
    if (!json_is_object(chosen.value)) {
        tqa_draft_fault(draft, "wrong-type", chosen.pointer, forms[way],
                        "\"%s\" is an object, not %s", ways[way],
                        json_is_array(chosen.value) ? "an array" : "this");
        return false;
    }
    if (way == 0) {
        draft->prefix = "/tree";
        tqa_json_fields(&chosen, known_tree, nothing);
        return tqa_document_tree(&chosen);
    }
    return way == 1 ? tqa_document_dh(&chosen) : tqa_document_poe(&chosen);
}

bool tqa_robot_document_read(tqa_draft *draft, const char *bytes, size_t n)
{
    json_t *root = tqa_json_load(draft, bytes, n, "a robot document",
                                 "write its fields in braces: {\"tree\": ...} or {\"urdf\": ...}");
    if (root == NULL) {
        return false;
    }
    draft->source = "document";
    draft->lists_words = true;
    const tqa_json_at at = {.draft = draft, .value = root, .pointer = ""};
    const bool ok = read_kinematics(&at);
    /* last, because a URDF brings a name and gravity of its own */
    const bool has_urdf = json_object_get(root, "urdf") != NULL;
    read_head(&at, !has_urdf);
    if (ok) {
        tqa_document_constraints(&at);
        tqa_document_tendons(&at);
    }
    json_decref(root);
    return ok && draft->problem->status == 0;
}
