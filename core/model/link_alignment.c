/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/link_alignment.c - canonical form, step 4: relative orientation of links and bodies,
 * lengths of paths. */
#include <math.h>

#include "core/model/canonical.h"

/* Larger displacements along z count as oblique: the products with them could overflow. */
#define SHIFT_FAR 1e6

enum { X, Y, Z };

/* number of a symmetric matrix's entry among xx xy xz yy yz zz */
static uint8_t entry(int i, int j)
{
    static const uint8_t number[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    return number[i][j];
}

/* Permutation and signs of the axes: axis k of the link is sign[k] times axis from[k]. */
static void name_axes(tq_canonical_axes *f, const int *from, const double *sign)
{
    double minus[3] = {0.0, 0.0, 0.0}; /* of the body's axes */
    int to[3] = {X, Y, Z};
    for (int k = X; k <= Z; k++) {
        to[from[k]] = k;
        minus[from[k]] = sign[k];
        f->renamed = f->renamed || from[k] != k;
        f->reversed = f->reversed || sign[k] < 0.0;
    }
    f->row[0] = 0;
    for (int i = X; i <= Z; i++) {
        f->row[1 + i] = (uint8_t)(1 + to[i]);
        f->sign[i] = minus[i] < 0.0 ? -0.0 : 0.0;
        for (int j = i; j <= Z; j++) {
            f->row[4 + entry(i, j)] = (uint8_t)(4 + entry(to[i], to[j]));
            if (i != j) {
                f->sign[2 + i + j] = minus[i] * minus[j] < 0.0 ? -0.0 : 0.0;
            }
        }
    }
}

/* If one column of a rotation is z or -z, the other two are x and y rotated about z; a rotation by
 * right angles is a permutation. */
static tq_canonical_alignment alignment_of(const tq_pose *at, tq_canonical_axes *f)
{
    const double *r = at->r;
    *f = (tq_canonical_axes){.shift = at->p[2], .c = 1.0, .s = 0.0};
    int axis = Z;
    while (axis >= X && fabs(r[6 + axis]) != 1.0) {
        axis--;
    }
    if (axis < X || at->p[0] != 0.0 || at->p[1] != 0.0 || !(fabs(at->p[2]) < SHIFT_FAR)) {
        return TQ_ALIGN_OBLIQUE;
    }
    const int next = (axis + 1) % 3, last = (axis + 2) % 3;
    const double up = r[6 + axis];
    int from[3];
    double sign[3];
    from[axis] = Z;
    sign[axis] = up;
    if (fabs(r[3 + next]) == 1.0) { /* rotation by +-90 degrees */
        from[next] = Y;
        from[last] = X;
        sign[next] = r[3 + next];
        sign[last] = -up * r[3 + next];
    } else {
        from[next] = X;
        from[last] = Y;
        sign[next] = r[next] == -1.0 ? -1.0 : 1.0;
        sign[last] = up * sign[next];
        f->c = sign[next] * r[next];
        f->s = sign[next] * r[3 + next];
    }
    name_axes(f, from, sign);
    return f->c == 1.0 ? TQ_ALIGN_ALONG : TQ_ALIGN_TURNED;
}

static void chain_links(tq_canonical *c)
{
    for (int32_t b = 0; b < c->n_body; b++) {
        c->joints[b].first_link = -1;
    }
    for (int alignment = TQ_ALIGN_OBLIQUE; alignment >= TQ_ALIGN_ALONG; alignment--) {
        for (int32_t l = c->n_link - 1; l >= 0; l--) {
            tq_canonical_link *link = &c->links[l];
            if (link->body >= 0 && (int)link->alignment == alignment) {
                link->next = c->joints[link->body].first_link;
                c->joints[link->body].first_link = l;
            }
        }
    }
}

void tq_canonical_faces(tq_canonical *c)
{
    int32_t kept = 0;
    for (int32_t b = 0; b < c->n_body; b++) {
        tq_canonical_joint *k = &c->joints[b];
        k->path = tq_canonical_freedoms(k->kind) + (k->parent < 0 ? 0 : c->joints[k->parent].path);
        k->kept = kept;
        kept += k->has_branch ? k->path : 0;
        c->has_travel =
            c->has_travel || k->kind == TQ_CANONICAL_PRISMATIC || k->kind == TQ_CANONICAL_FLOATING;
        c->reach += fabs(k->a) + fabs(k->d) + fabs(k->p[0]) + fabs(k->p[1]) + fabs(k->p[2]);
    }
    c->kept = kept;
    for (int32_t l = 0; l < c->n_link; l++) {
        tq_canonical_link *link = &c->links[l];
        const double *p = link->in_body.p;
        link->next = -1;
        if (link->body >= 0) {
            link->alignment = alignment_of(&link->in_body, &link->axes);
            c->reach += fabs(p[0]) + fabs(p[1]) + fabs(p[2]);
        }
    }
    chain_links(c);
}
