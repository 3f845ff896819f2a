/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/zip/choose.c - chooses the member of an archive that is the robot. */
#include <stdlib.h>
#include <string.h>

#include "api/robots/xml.h"
#include "api/robots/zip/zip.h"

/* One description: what its outermost element says, and the files that it includes. */
typedef struct scan {
    tqa_zip *archive;
    uint32_t member;
    bool first, is_robot;
    bool *included; /* (n_member) */
} scan;

/* A file of the archive by the end of its path, where the folder of the package is unknown:
 * "$(find pkg)/urdf/arm.xacro" is any ".../urdf/arm.xacro". */
static void mark_tail(scan *s, const char *path)
{
    const char *tail = strchr(path, ')') != NULL ? strchr(path, ')') + 1 : path;
    const size_t n = strlen(tail);
    for (uint32_t k = 0; k < s->archive->n_member && n > 0; k++) {
        const char *whole = s->archive->members[k].path;
        const size_t length = strlen(whole);
        if (length + 1 == n ? strcmp(whole, tail + 1) == 0
                            : length >= n && strcmp(whole + length - n, tail) == 0) {
            s->included[k] = true;
        }
    }
}

static void mark(scan *s, const char *path)
{
    uint32_t k = tqa_zip_find(s->archive, s->member, path);
    if (k != TQ_NONE && k != s->member) {
        s->included[k] = true;
    } else if (path[0] == '$') {
        mark_tail(s, path);
    }
}

static bool on_open(void *ctx, unsigned long line, const char *name, const char *const *attributes)
{
    scan *s = ctx;
    (void)line;
    if (s->first) {
        s->is_robot = strcmp(name, "robot") == 0 || strcmp(name, "mujoco") == 0 ||
                      strcmp(name, "mujocoinclude") == 0 || strcmp(name, "sdf") == 0;
        s->first = false;
        return s->is_robot;
    }
    const bool includes = strcmp(name, "include") == 0 || strcmp(name, "xacro:include") == 0 ||
                          strcmp(name, "model") == 0;
    for (const char *const *a = attributes; includes && *a != NULL; a += 2) {
        if (strcmp(*a, "file") == 0 || strcmp(*a, "filename") == 0) {
            mark(s, a[1]);
        }
    }
    return true;
}

static bool on_close(void *ctx, const char *name, const char *text)
{
    (void)ctx;
    (void)name;
    (void)text;
    return true;
}

static bool is_description(const char *path)
{
    static const char *const endings[] = {".xml", ".mjcf", ".urdf", ".xacro", ".sdf"};
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot != NULL && k < sizeof endings / sizeof endings[0]; k++) {
        if (strcmp(dot, endings[k]) == 0) {
            return true;
        }
    }
    return false;
}

/* Reads member i. False: a fault was added. A description that is not well-formed may be the main
 * one: its own reader says why. */
static bool scan_member(scan *s, uint32_t i)
{
    size_t n = 0;
    tqa_xml_error error;
    const tqa_xml_reader reader = {.ctx = s, .open = on_open, .close = on_close};
    char *bytes = tqa_zip_read(s->archive, i, &n);
    if (bytes == NULL) {
        return false;
    }
    s->member = i;
    s->first = true;
    s->is_robot = false;
    const tqa_xml_end end = tqa_xml_read(bytes, n, &reader, &error);
    s->is_robot = s->is_robot || (s->first && end == TQA_XML_MALFORMED);
    free(bytes);
    return true;
}

const char *tqa_zip_note(const tqa_zip *archive, const char *key)
{
    const size_t n = strlen(key);
    const char *line = archive->comment;
    while (*line != '\0') {
        const size_t length = strcspn(line, "\r\n");
        if (length > n && strncmp(line, key, n) == 0 && line[n] == '=') {
            return tqa_arena_text(archive->draft->arena, line + n + 1, length - n - 1);
        }
        line += length + strspn(line + length, "\r\n");
    }
    return NULL;
}

static uint32_t refuse(tqa_zip *archive, const char *names)
{
    static const char hint[] =
        "name it: PUT ...?main=FOLDER/FILE, or pack one robot and what it includes";
    if (names == NULL) {
        tqa_draft_fault(archive->draft, "invalid-robot", "",
                        "pack the description with what it includes: zip -r robot.zip folder",
                        "the archive has no description of a robot (.xml, .urdf, .sdf, .xacro)");
    } else {
        tqa_draft_fault(archive->draft, "invalid-robot", "", hint,
                        "the archive has several descriptions: %.400s", names);
    }
    return TQ_NONE;
}

/* The only description that no other includes. */
static uint32_t find_only(tqa_zip *archive, const scan *s, const bool *robots)
{
    const char *names = NULL;
    uint32_t found = TQ_NONE;
    for (uint32_t k = 0; k < archive->n_member; k++) {
        if (robots[k] && !s->included[k]) {
            names = names == NULL ? archive->members[k].path
                                  : tqa_arena_format(archive->draft->arena, "%.380s, %.100s", names,
                                                     archive->members[k].path);
            found = found == TQ_NONE ? k : archive->n_member;
        }
    }
    return found < archive->n_member ? found : refuse(archive, names);
}

uint32_t tqa_zip_main(tqa_zip *archive)
{
    tqa_draft *draft = archive->draft;
    scan s = {.archive = archive};
    size_t text = 0;
    uint32_t n_candidate = 0;
    const char *named = tqa_zip_note(archive, "main");
    if (named != NULL) {
        const uint32_t found = tqa_zip_find(archive, TQ_NONE, named);
        if (found == TQ_NONE) {
            tqa_draft_fault(draft, "unknown-name", "", "write its path as in the archive",
                            "main=%.200s: the archive has no member of this name", named);
        }
        return found;
    }
    s.included = tqa_arena_take(draft->arena, archive->n_member + 1, sizeof(bool), 1);
    bool *robots = tqa_arena_take(draft->arena, archive->n_member + 1, sizeof(bool), 1);
    for (uint32_t k = 0; k < archive->n_member && s.included != NULL && robots != NULL; k++) {
        if (!is_description(archive->members[k].path)) {
            continue;
        }
        text += archive->members[k].size;
        if (++n_candidate > TQA_ZIP_CANDIDATE_MAX || text > TQA_ZIP_TEXT_MAX) {
            tqa_draft_fault(draft, "too-large", "", "pack one robot and what it includes",
                            "the archive has too many descriptions, or too large ones");
            return TQ_NONE;
        }
        if (!scan_member(&s, k)) {
            return TQ_NONE;
        }
        robots[k] = s.is_robot;
    }
    if (s.included == NULL || robots == NULL) {
        return refuse(archive, NULL);
    }
    return find_only(archive, &s, robots);
}
