/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/drive.c - the drive of a joint in a robot document, read and printed.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/document/drive_fields.h"
#include "api/robots/document/parts.h"

enum { LINE = 5 }; /* column of the lines of a joint */

static const char *const nothing[] = {NULL};

static void read_kind(const tqa_json_at *group, tq_amplifier *ret)
{
    const tqa_json_at at = tqa_json_field(group, "kind");
    const char *word = json_string_value(at.value);
    if (at.value == NULL) {
        return;
    }
    for (unsigned k = 0; word != NULL && tqa_amplifier_words[k] != NULL; k++) {
        if (strcmp(word, tqa_amplifier_words[k]) == 0) {
            ret->kind = (tq_amplifier_kind)k;
            return;
        }
    }
    tqa_draft_fault(at.draft, "invalid-value", at.pointer, "kind is \"pwm\" or \"linear\"",
                    "unknown kind of amplifier");
}

static void read_group(const tqa_json_at *group, const char *name, tq_drive *ret)
{
    const char *known[TQA_DRIVE_GROUP_FIELDS];
    tqa_drive_group_names(name, known);
    tqa_json_fields(group, known, nothing);
    for (size_t k = 0; k < tqa_drive_n_field; k++) {
        const tqa_drive_field *field = &tqa_drive_fields[k];
        if (strcmp(field->group, name) != 0) {
            continue;
        }
        const tqa_json_at at = tqa_json_field(group, field->name);
        if (at.value == NULL && field->example != 0.0) {
            tqa_draft_fault(at.draft, "missing-field", at.pointer, field->hint, "%s needs \"%s\"",
                            name, field->name);
        } else if (at.value != NULL) {
            (void)tqa_json_number(&at, tqa_drive_number(ret, field));
        }
    }
    if (strcmp(name, "amplifier") == 0) {
        read_kind(group, &ret->amplifier);
    }
}

void tqa_document_motor(const tqa_json_at *at, const tq_joint *joint)
{
    tqa_draft *draft = at->draft;
    tqa_joint_drive *room = tqa_draft_drive(draft, (uint32_t)(joint - draft->model.joints));
    if (room != NULL) {
        tqa_document_read_drive(at, joint, &room->drive);
    }
}

void tqa_document_read_drive(const tqa_json_at *at, const tq_joint *joint, tq_drive *ret)
{
    tqa_draft *draft = at->draft;
    if (!tqa_json_is_object(at)) {
        return;
    }
    if (joint->mimic != TQ_NONE) {
        tqa_draft_fault(draft, "invalid-value", at->pointer,
                        "give the drive to the joint it follows",
                        "a joint that follows another has no drive of its own");
        return;
    }
    tqa_json_fields(at, tqa_drive_groups, nothing);
    for (const char *const *name = tqa_drive_groups; *name != NULL; name++) {
        const tqa_json_at group = tqa_json_field(at, *name);
        const bool required = name == tqa_drive_groups;
        if (group.value == NULL && required) {
            tqa_draft_fault(
                draft, "missing-field", group.pointer,
                "add \"motor\": {\"constant_nm_a\": 0.05, \"resistance\": 0.6}, in N m/A and "
                "ohm",
                "a drive needs a motor");
        } else if (group.value != NULL && tqa_json_is_object(&group)) {
            read_group(&group, *name, ret);
        }
    }
    tqa_drive_complete(ret);
    tq_error error = {0};
    if (draft->problem->status == 0 && tq_drive_check(ret, &error) != TQ_OK) {
        const tqa_drive_field *field = tqa_drive_field_find(error.what);
        const tqa_json_at group = tqa_json_field(at, field->group);
        const tqa_json_at number = tqa_json_field(&group, field->name);
        tqa_draft_fault(draft, "range", number.pointer, field->hint, "%s %s cannot be %g",
                        field->group, field->name, error.value);
    }
}

/* Whether anything of a group differs from what is meant without it. */
static bool is_stated(const tq_drive *drive, const tq_drive *plain, const char *group)
{
    bool stated = strcmp(group, "motor") == 0;
    stated =
        stated || (strcmp(group, "amplifier") == 0 && drive->amplifier.kind != TQ_AMPLIFIER_PWM);
    for (size_t k = 0; k < tqa_drive_n_field && !stated; k++) {
        const tqa_drive_field *field = &tqa_drive_fields[k];
        stated = strcmp(field->group, group) == 0 &&
                 tqa_drive_value(drive, field) != tqa_drive_value(plain, field);
    }
    return stated;
}

static void put_group(tqa_writer *to, const tq_drive *drive, const tq_drive *plain,
                      const char *group)
{
    tqa_writer_object(to, group);
    if (strcmp(group, "amplifier") == 0) {
        tqa_writer_string(to, "kind", tqa_amplifier_words[drive->amplifier.kind]);
    }
    for (size_t k = 0; k < tqa_drive_n_field; k++) {
        const tqa_drive_field *field = &tqa_drive_fields[k];
        const double x = tqa_drive_value(drive, field);
        const bool differs = x != tqa_drive_value(plain, field) || field->example != 0.0;
        if (strcmp(field->group, group) == 0 && differs) {
            tqa_writer_number(to, field->name, x);
        }
    }
    tqa_writer_end(to);
}

void tqa_document_put_motor(tqa_writer *to, const tq_drive *drive)
{
    tq_drive plain;
    if (drive == NULL) {
        return;
    }
    tq_drive_init(&plain);
    tqa_writer_line(to, LINE);
    tqa_writer_object(to, "drive");
    for (size_t k = 0; tqa_drive_groups[k] != NULL; k++) {
        if (is_stated(drive, &plain, tqa_drive_groups[k])) {
            put_group(to, drive, &plain, tqa_drive_groups[k]);
        }
    }
    tqa_writer_end(to);
}
