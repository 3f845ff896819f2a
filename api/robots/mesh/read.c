/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mesh/read.c - triangles of STL, OBJ and MSH files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/number/number.h"
#include "api/robots/mesh/mesh.h"

enum { STL_HEAD = 84, STL_FACE = 50, MSH_HEAD = 16, WORD_MAX = 64, CORNER_MAX = 64 };

static const char short_memory[] = "memory is short";
static const double FLOAT_MOST = 3.4e38;

/* Rows that grow by doubling; n and capacity are in rows of 3. */
typedef struct rows {
    void *data;
    size_t n, capacity, each;
} rows;

static void *add_row(rows *r)
{
    if (r->n == r->capacity) {
        const size_t capacity = r->capacity != 0 ? 2 * r->capacity : 64;
        void *data = realloc(r->data, 3 * capacity * r->each);
        if (data == NULL) {
            return NULL;
        }
        r->data = data;
        r->capacity = capacity;
    }
    return (char *)r->data + 3 * r->each * r->n++;
}

/* Text under way. */
typedef struct text {
    const char *at, *end;
} text;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of the line; n = 0 at its end. */
static size_t next_word(text *t, const char **ret)
{
    while (t->at < t->end && is_blank(*t->at)) {
        t->at++;
    }
    *ret = t->at;
    while (t->at < t->end && !is_blank(*t->at) && *t->at != '\n') {
        t->at++;
    }
    return (size_t)(t->at - *ret);
}

static void skip_line(text *t)
{
    while (t->at < t->end && *t->at++ != '\n') {
    }
}

/* A number as a 32-bit float has it. False: none. Digits may begin with '+' or '.'. */
static bool read_float(const char *word, size_t n, double *ret)
{
    char copy[WORD_MAX + 4];
    size_t used = 0;
    if (n == 0 || n > WORD_MAX) {
        return false;
    }
    if (*word == '+' || *word == '-') {
        used = *word == '-';
        copy[0] = '-';
        word++;
        n--;
    }
    while (n > 1 && word[0] == '0' && word[1] >= '0' && word[1] <= '9') {
        word++;
        n--;
    }
    if (n > 0 && word[0] == '.') {
        copy[used++] = '0';
    }
    for (size_t k = 0; k < n; k++) {
        const bool bare = word[k] == '.' && (k + 1 == n || word[k + 1] < '0' || word[k + 1] > '9');
        if (!bare) {
            copy[used++] = word[k]; /* "1." is 1 */
        }
    }
    copy[used] = '\0';
    if (tqa_number_read(copy, used, ret) != TQA_NUMBER_OK) {
        return false;
    }
    if (!(fabs(*ret) < FLOAT_MOST)) {
        return false;
    }
    *ret = (double)(float)*ret;
    return true;
}

static bool read_vertex(text *t, rows *vertices, const char **retfault)
{
    double *vertex = add_row(vertices);
    *retfault = vertex == NULL ? short_memory : "a vertex has no three numbers";
    for (int k = 0; k < 3; k++) {
        const char *word;
        const size_t n = next_word(t, &word);
        if (vertex == NULL || !read_float(word, n, &vertex[k])) {
            return false;
        }
    }
    return true;
}

static bool add_face(rows *faces, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *face = add_row(faces);
    if (face != NULL) {
        face[0] = a;
        face[1] = b;
        face[2] = c;
    }
    return face != NULL;
}

static double distance_square(const double *v, uint32_t a, uint32_t b)
{
    double sum = 0.0;
    for (size_t k = 0; k < 3; k++) {
        const double d = v[3 * (size_t)a + k] - v[3 * (size_t)b + k];
        sum += d * d;
    }
    return sum;
}

/* "7", "7/1", "7//3": the vertex, from 1, or from the end when below 0. */
static bool read_corner(const char *word, size_t n, size_t n_vertex, uint32_t *ret)
{
    const bool back = n > 0 && *word == '-';
    size_t value = 0;
    size_t k = back;
    for (; k < n && word[k] >= '0' && word[k] <= '9' && value <= UINT32_MAX; k++) {
        value = 10 * value + (size_t)(word[k] - '0');
    }
    const bool good = k > (size_t)back && (k == n || word[k] == '/');
    if (!good || value == 0 || value > n_vertex) {
        return false;
    }
    *ret = (uint32_t)(back ? n_vertex - value : value - 1);
    return true;
}

static bool read_polygon(text *t, const rows *vertices, rows *faces, const char **retfault)
{
    uint32_t corner[CORNER_MAX];
    size_t n = 0;
    const char *word;
    for (size_t length = next_word(t, &word); length > 0; length = next_word(t, &word)) {
        if (n == CORNER_MAX || !read_corner(word, length, vertices->n, &corner[n++])) {
            *retfault = "a face names a vertex that is not there, or too many";
            return false;
        }
    }
    *retfault = n < 3 ? "a face has less than three corners" : short_memory;
    if (n == 4) {
        const double *v = vertices->data;
        const bool first =
            distance_square(v, corner[0], corner[2]) < distance_square(v, corner[1], corner[3]);
        return add_face(faces, corner[0], corner[1], corner[first ? 2 : 3]) &&
               add_face(faces, corner[first ? 0 : 1], corner[2], corner[3]);
    }
    bool good = n >= 3;
    for (size_t k = 2; k < n && good; k++) {
        good = add_face(faces, corner[0], corner[k - 1], corner[k]);
    }
    return good;
}

static const char *finish(rows *vertices, rows *faces, const char *fault, tqa_mesh *ret)
{
    if (fault == NULL && faces->n == 0) {
        fault = "it has no face";
    }
    if (fault != NULL) {
        free(vertices->data);
        free(faces->data);
        return fault;
    }
    *ret = (tqa_mesh){.vertices = vertices->data,
                      .faces = faces->data,
                      .n_vertex = vertices->n,
                      .n_face = faces->n};
    return NULL;
}

static const char *read_obj(const char *bytes, size_t n, tqa_mesh *ret)
{
    rows vertices = {.each = sizeof(double)}, faces = {.each = sizeof(uint32_t)};
    text t = {bytes, bytes + n};
    const char *fault = NULL;
    bool good = true;
    while (t.at < t.end && good) {
        const char *word;
        const size_t length = next_word(&t, &word);
        if (length == 1 && *word == 'v') {
            good = read_vertex(&t, &vertices, &fault);
        } else if (length == 1 && *word == 'f') {
            good = read_polygon(&t, &vertices, &faces, &fault);
        }
        skip_line(&t);
    }
    return finish(&vertices, &faces, good ? NULL : fault, ret);
}

/* "facet ... vertex x y z ... vertex ..." */
static const char *read_stl_text(const char *bytes, size_t n, tqa_mesh *ret)
{
    rows vertices = {.each = sizeof(double)}, faces = {.each = sizeof(uint32_t)};
    text t = {bytes, bytes + n};
    const char *fault = NULL;
    bool good = true;
    while (t.at < t.end && good) {
        const char *word;
        if (next_word(&t, &word) == 6 && memcmp(word, "vertex", 6) == 0) {
            good = read_vertex(&t, &vertices, &fault);
            const uint32_t v = (uint32_t)vertices.n;
            if (good && v % 3 == 0 && !add_face(&faces, v - 3, v - 2, v - 1)) {
                good = false;
                fault = short_memory;
            }
        }
        skip_line(&t);
    }
    return finish(&vertices, &faces, good ? NULL : fault, ret);
}

static uint32_t get32(const unsigned char *s)
{
    return (uint32_t)s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24;
}

static double get_float(const unsigned char *s)
{
    const uint32_t bits = get32(s);
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

/* Room for a mesh of known size. */
static bool take(tqa_mesh *mesh, size_t n_vertex, size_t n_face)
{
    *mesh = (tqa_mesh){.vertices = malloc(n_vertex * 3 * sizeof(double) + 1),
                       .faces = malloc(n_face * 3 * sizeof(uint32_t) + 1),
                       .n_vertex = n_vertex,
                       .n_face = n_face};
    if (mesh->vertices == NULL || mesh->faces == NULL) {
        tqa_mesh_free(mesh);
        return false;
    }
    return true;
}

static const char *check(tqa_mesh *mesh)
{
    bool good = mesh->n_face > 0;
    for (size_t k = 0; k < 3 * mesh->n_vertex && good; k++) {
        good = isfinite(mesh->vertices[k]);
    }
    for (size_t k = 0; k < 3 * mesh->n_face && good; k++) {
        good = mesh->faces[k] < mesh->n_vertex;
    }
    if (!good) {
        tqa_mesh_free(mesh);
        return "it has no face, or numbers that are none";
    }
    return NULL;
}

static const char *read_stl(const char *bytes, size_t n, tqa_mesh *ret)
{
    const unsigned char *s = (const unsigned char *)bytes;
    const size_t n_face = n >= STL_HEAD ? get32(s + 80) : 0;
    const bool fits = n >= STL_HEAD && n_face <= (n - STL_HEAD) / STL_FACE;
    if (!fits || (n >= 5 && memcmp(bytes, "solid", 5) == 0 && n_face == 0)) {
        return n >= 5 && memcmp(bytes, "solid", 5) == 0 ? read_stl_text(bytes, n, ret)
                                                        : "the STL file is cut short";
    }
    if (!take(ret, 3 * n_face, n_face)) {
        return short_memory;
    }
    for (size_t f = 0; f < n_face; f++) {
        for (size_t k = 0; k < 9; k++) {
            ret->vertices[9 * f + k] = get_float(s + STL_HEAD + STL_FACE * f + 12 + 4 * k);
        }
        for (size_t c = 0; c < 3; c++) {
            ret->faces[3 * f + c] = (uint32_t)(3 * f + c);
        }
    }
    return check(ret);
}

/* counts of vertices, normals, texture coordinates and faces; then these */
static const char *read_msh(const char *bytes, size_t n, tqa_mesh *ret)
{
    const unsigned char *s = (const unsigned char *)bytes;
    if (n < MSH_HEAD) {
        return "the MSH file is cut short";
    }
    const uint64_t n_vertex = get32(s), n_normal = get32(s + 4), n_texture = get32(s + 8),
                   n_face = get32(s + 12);
    if (n_face == 0) {
        return "the MSH file has no faces: its convex hull is not computed";
    }
    const uint64_t wanted = MSH_HEAD + 12 * n_vertex + 12 * n_normal + 8 * n_texture + 12 * n_face;
    if (wanted != n) {
        return "the MSH file has another size than its counts say";
    }
    if (!take(ret, (size_t)n_vertex, (size_t)n_face)) {
        return short_memory;
    }
    for (size_t k = 0; k < 3 * n_vertex; k++) {
        ret->vertices[k] = get_float(s + MSH_HEAD + 4 * k);
    }
    const unsigned char *faces = s + n - 12 * n_face;
    for (size_t k = 0; k < 3 * n_face; k++) {
        ret->faces[k] = get32(faces + 4 * k);
    }
    return check(ret);
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t n = strlen(name);
    for (size_t k = 0; k < 4; k++) {
        if (n < 4 || (name[n - 4 + k] | 32) != (ending[k] | 32)) {
            return false;
        }
    }
    return true;
}

const char *tqa_mesh_read(const char *name, const char *bytes, size_t n, tqa_mesh *ret)
{
    if (ends_with(name, ".stl")) {
        return read_stl(bytes, n, ret);
    }
    if (ends_with(name, ".obj")) {
        return read_obj(bytes, n, ret);
    }
    return ends_with(name, ".msh") ? read_msh(bytes, n, ret)
                                   : "only STL, OBJ and MSH files are read";
}

const char *tqa_mesh_read_lists(const char *vertices, const char *faces, tqa_mesh *ret)
{
    rows v = {.each = sizeof(double)}, f = {.each = sizeof(uint32_t)};
    const char *fault = NULL;
    const char *word;
    for (size_t k = 0;; k++) {
        vertices += strspn(vertices, " \t\r\n");
        const size_t n = strcspn(vertices, " \t\r\n");
        if (n == 0) {
            fault = k % 3 != 0 ? "vertices come in threes" : NULL;
            break;
        }
        double *row = k % 3 == 0 ? add_row(&v) : (double *)v.data + 3 * (v.n - 1);
        if (row == NULL || !read_float(vertices, n, &row[k % 3])) {
            fault = row == NULL ? short_memory : "a vertex is no number";
            break;
        }
        vertices += n;
    }
    text t = {faces, faces + strlen(faces)};
    uint32_t corner[3];
    for (size_t k = 0; fault == NULL; k++) {
        t.at += strspn(t.at, " \t\r\n");
        size_t n = next_word(&t, &word);
        uint32_t one = 0;
        for (size_t d = 0; d < n && word[d] >= '0' && word[d] <= '9' && one < v.n; d++) {
            one = 10 * one + (uint32_t)(word[d] - '0');
        }
        if (n == 0) {
            fault = k % 3 != 0 ? "corners come in threes" : NULL;
            break;
        }
        corner[k % 3] = one;
        if (one >= v.n || (k % 3 == 2 && !add_face(&f, corner[0], corner[1], corner[2]))) {
            fault = one >= v.n ? "a face names a vertex that is not there" : short_memory;
        }
    }
    return finish(&v, &f, fault, ret);
}

void tqa_mesh_free(tqa_mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->faces);
    *mesh = (tqa_mesh){.n_vertex = 0};
}
