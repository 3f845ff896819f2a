/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/asset.c - meshes of <asset>: read from the archive; inertia computed once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/mesh/mesh.h"
#include "api/robots/mjcf/parts.h"
#include "api/robots/zip/zip.h"
#include "core/model/mesh_inertia.h"
#include "core/spatial/rotation.h"

/* One <mesh> and its inertia. */
struct tqa_mjcf_mesh {
    uint32_t node;
    bool read;
    const char *fault; /* why it has no inertia */
    tq_inertia inertia;
};

/* A composed reason. */
static const char *or_short(const char *text)
{
    return text != NULL ? text : "memory is short";
}

/* "assets/link0.stl" -> "link0" */
static const char *name_of(tqa_mjcf *m, uint32_t i)
{
    const char *name = tqa_mjcf_get(m, i, "name");
    const char *file = tqa_mjcf_get(m, i, "file");
    if (name != NULL || file == NULL) {
        return name != NULL ? name : "";
    }
    const char *slash = strrchr(file, '/');
    const char *base = slash != NULL ? slash + 1 : file;
    const char *dot = strrchr(base, '.');
    const char *kept =
        tqa_arena_text(m->draft->arena, base, dot != NULL ? (size_t)(dot - base) : strlen(base));
    return kept != NULL ? kept : "";
}

static bool is_mesh(const tqa_mjcf *m, uint32_t i)
{
    const uint32_t parent = m->nodes[i].parent;
    return strcmp(m->nodes[i].name, "mesh") == 0 && parent != TQ_NONE &&
           m->nodes[parent].parent == 0 && strcmp(m->nodes[parent].name, "asset") == 0;
}

/* All meshes and their names, on first use. */
static bool list_meshes(tqa_mjcf *m)
{
    uint32_t n = 0;
    if (m->meshes != NULL) {
        return true;
    }
    for (uint32_t i = 1; i < m->n_node; i++) {
        n += is_mesh(m, i);
    }
    const char **names = tqa_arena_take(m->draft->arena, n + 1, sizeof *names, 16);
    m->meshes = tqa_arena_take(m->draft->arena, n + 1, sizeof *m->meshes, 16);
    for (uint32_t i = 1; i < m->n_node && names != NULL && m->meshes != NULL; i++) {
        if (is_mesh(m, i)) {
            names[m->n_mesh] = name_of(m, i);
            m->meshes[m->n_mesh++].node = i;
        }
    }
    return names != NULL && m->meshes != NULL &&
           tqa_names_build(&m->mesh_names, m->draft->arena, names, m->n_mesh);
}

/* The last that <compiler> says, or "". */
static const char *setting(const tqa_mjcf *m, const char *key)
{
    const char *found = "";
    for (uint32_t i = 1; i < m->n_node; i = m->nodes[i].end) {
        const char *value =
            strcmp(m->nodes[i].name, "compiler") == 0 ? tqa_mjcf_get(m, i, key) : NULL;
        found = value != NULL ? value : found;
    }
    return found;
}

/* refpos, refquat and scale, in this order: x -> scale R(refquat)^T (x - refpos) */
static bool transform(tqa_mjcf *m, uint32_t i, tqa_mesh *mesh)
{
    double shift[3] = {0.0, 0.0, 0.0}, quat[4] = {1.0, 0.0, 0.0, 0.0}, scale[3] = {1.0, 1.0, 1.0};
    double r[9];
    (void)tqa_mjcf_numbers(m, i, "refpos", 3, 3, shift);
    (void)tqa_mjcf_numbers(m, i, "refquat", 4, 4, quat);
    const double length =
        sqrt(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3]);
    for (int k = 0; k < 4 && length > 0.0; k++) {
        quat[k] /= length;
    }
    (void)tqa_mjcf_numbers(m, i, "scale", 3, 3, scale);
    tq_rotation_from_quaternion(quat, r);
    for (size_t v = 0; v < mesh->n_vertex; v++) {
        double moved[3], turned[3];
        for (size_t k = 0; k < 3; k++) {
            moved[k] = mesh->vertices[3 * v + k] - shift[k];
        }
        tq_mat_tvec(r, moved, turned);
        for (size_t k = 0; k < 3; k++) {
            mesh->vertices[3 * v + k] = scale[k] * turned[k];
        }
    }
    if (scale[0] * scale[1] * scale[2] < 0.0) { /* a mirror turns faces inside out */
        for (size_t f = 0; f < mesh->n_face; f++) {
            const uint32_t first = mesh->faces[3 * f];
            mesh->faces[3 * f] = mesh->faces[3 * f + 1];
            mesh->faces[3 * f + 1] = first;
        }
    }
    return m->draft->problem->status == 0;
}

/* NULL, or why there is no mesh. */
static const char *read_mesh(tqa_mjcf *m, uint32_t i, tqa_mesh *ret)
{
    tqa_arena *arena = m->draft->arena;
    const char *file = tqa_mjcf_get(m, i, "file");
    const char *vertices = tqa_mjcf_get(m, i, "vertex");
    const char *faces = tqa_mjcf_get(m, i, "face");
    if (file == NULL) {
        return vertices != NULL && faces != NULL ? tqa_mesh_read_lists(vertices, faces, ret)
               : vertices != NULL ? "it has no faces: its convex hull is not computed"
                                  : "it has no file";
    }
    if (m->draft->archive == NULL) {
        return or_short(tqa_arena_format(arena, "its file %.100s was not sent along", file));
    }
    const char *folder = setting(m, "meshdir");
    folder = folder[0] != '\0' ? folder : setting(m, "assetdir");
    const char *slash = strrchr(file, '/');
    const bool strip = strcmp(setting(m, "strippath"), "true") == 0;
    const uint32_t k =
        tqa_mjcf_member(m, m->nodes[i].member, folder, strip && slash != NULL ? slash + 1 : file);
    if (k == TQ_NONE) {
        return or_short(tqa_arena_format(arena, "its file %.60s%s%.100s is not in the archive",
                                         folder, folder[0] != '\0' ? "/" : "", file));
    }
    size_t n = 0;
    char *bytes = tqa_zip_read(m->draft->archive, k, &n);
    const char *why = bytes != NULL ? tqa_mesh_read(file, bytes, n, ret) : "its file is damaged";
    free(bytes);
    return why != NULL ? or_short(tqa_arena_format(arena, "%.100s: %.80s", file, why)) : NULL;
}

static const char *weigh(tqa_mjcf *m, uint32_t i, tq_inertia *ret)
{
    tqa_mesh mesh = {.n_vertex = 0};
    const char *kind = tqa_mjcf_get(m, i, "inertia");
    const bool exact = kind != NULL && strcmp(kind, "exact") == 0;
    if (kind != NULL && !exact && strcmp(kind, "legacy") != 0) {
        return strcmp(kind, "shell") == 0 ? "inertia=\"shell\" is not read"
                                          : "inertia=\"convex\": its convex hull is not computed";
    }
    const char *why = read_mesh(m, i, &mesh);
    if (why != NULL) {
        return why;
    }
    const tq_triangles solid = {
        .vertices = mesh.vertices, .faces = mesh.faces, .n_face = mesh.n_face};
    const bool good = transform(m, i, &mesh) &&
                      tq_mesh_inertia(&solid, exact ? TQ_MESH_SIGNED : TQ_MESH_ABSOLUTE, ret);
    tqa_mesh_free(&mesh);
    return good ? NULL : "it encloses no volume";
}

const char *tqa_mjcf_mesh_inertia(tqa_mjcf *m, uint32_t geom, tq_inertia *ret)
{
    const char *name = tqa_mjcf_get(m, geom, "mesh");
    if (!list_meshes(m)) {
        return "memory is short";
    }
    const uint32_t k =
        name != NULL ? tqa_names_find(&m->mesh_names, name, strlen(name)) : UINT32_MAX;
    if (k == UINT32_MAX) {
        return or_short(tqa_arena_format(m->draft->arena, "<asset> has no mesh \"%.100s\"",
                                         name != NULL ? name : ""));
    }
    struct tqa_mjcf_mesh *mesh = &m->meshes[k];
    if (!mesh->read) {
        mesh->read = true;
        mesh->fault = weigh(m, mesh->node, &mesh->inertia);
    }
    *ret = mesh->inertia;
    return mesh->fault;
}
