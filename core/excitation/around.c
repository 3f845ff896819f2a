/* SPDX-License-Identifier: Apache-2.0 */
/* core/excitation/around.c - a way around solids between two poses: the shortest path of a graph of
 * candidates whose edges are examined only as paths take them. */
#include <math.h>
#include <string.h>

#include "core/excitation/excitation_private.h"
#include "core/excitation/poses_private.h"

enum { NODES = 128, FROM = 0, TO = 1, EXAMINED_MAX = 600 };

typedef enum edge { UNKNOWN, CLEAR, BLOCKED } edge;

/* Node FROM and TO are the poses of the leg, the others candidates. */
struct tq_pose_graph {
    size_t n;
    const double *q[NODES];
    unsigned char edges[NODES][NODES];        /* edge */
    double time[NODES][NODES];                /* s of the line */
    double distance[NODES][NODES];            /* m, of edges examined */
    double best[TQ_POSES_VIA_MAX + 2][NODES]; /* s to a node by at most so many edges */
    unsigned char before[TQ_POSES_VIA_MAX + 2][NODES];
    size_t path[TQ_POSES_VIA_MAX + 2], n_path;
    double *via; /* (n_pose x TQ_POSES_VIA_MAX x nv) of the result */
};

size_t tq_poses_graph_size(const tq_poses_task *task)
{
    const size_t nv = task->motion.model->nv;
    return task->motion.clearance == NULL
               ? 0
               : tq_scratch_cost(1, sizeof(struct tq_pose_graph)) +
                     tq_scratch_cost(task->n_pose * TQ_POSES_VIA_MAX, nv * sizeof(double));
}

bool tq_poses_graph_take(tq_pose_search *s, tq_scratch *scratch)
{
    if (s->task->motion.clearance == NULL) {
        return true;
    }
    s->graph = tq_scratch_take(scratch, 1, sizeof *s->graph);
    double *via = tq_scratch_take(scratch, s->task->n_pose * TQ_POSES_VIA_MAX, s->nv * sizeof *via);
    if (s->graph == NULL || via == NULL) {
        return false;
    }
    s->graph->via = via;
    return true;
}

/* The candidates with the least way by them, the nearest first. */
static void take_nodes(tq_pose_search *s, const double *from, const double *to)
{
    struct tq_pose_graph *g = s->graph;
    double detour[NODES];
    g->q[FROM] = from;
    g->q[TO] = to;
    g->n = 2;
    for (size_t i = 0; i < s->n_candidate; i++) {
        const double *q = s->q + i * s->nv;
        const double way = tq_poses_duration(s, from, q) + tq_poses_duration(s, q, to);
        if (q == from || q == to || (g->n == NODES && !(way < detour[NODES - 1]))) {
            continue;
        }
        size_t at = g->n < NODES ? g->n++ : (size_t)NODES - 1;
        for (; at > 2 && detour[at - 1] > way; at--) {
            detour[at] = detour[at - 1];
            g->q[at] = g->q[at - 1];
        }
        detour[at] = way;
        g->q[at] = q;
    }
    memset(g->edges, UNKNOWN, sizeof g->edges);
    g->edges[FROM][TO] = g->edges[TO][FROM] = BLOCKED;
    for (size_t a = 0; a < g->n; a++) {
        for (size_t b = 0; b < g->n; b++) {
            g->time[a][b] = tq_poses_duration(s, g->q[a], g->q[b]);
        }
    }
}

/* Shortest path of edges that are not blocked, by dynamic programming over their number (Bellman &
 * Ford); false: there is none. */
static bool find_path(struct tq_pose_graph *g)
{
    enum { EDGES = TQ_POSES_VIA_MAX + 1 };
    for (size_t a = 0; a < g->n; a++) {
        g->best[0][a] = a == FROM ? 0.0 : HUGE_VAL;
    }
    for (size_t k = 1; k <= EDGES; k++) {
        for (size_t b = 0; b < g->n; b++) {
            g->best[k][b] = g->best[k - 1][b];
            g->before[k][b] = (unsigned char)b; /* as with one edge less */
            for (size_t a = 0; a < g->n; a++) {
                const double time = g->best[k - 1][a] + g->time[a][b];
                if (a != b && g->edges[a][b] != BLOCKED && time < g->best[k][b]) {
                    g->best[k][b] = time;
                    g->before[k][b] = (unsigned char)a;
                }
            }
        }
    }
    if (!(g->best[EDGES][TO] < HUGE_VAL)) {
        return false;
    }
    g->n_path = 0;
    for (size_t k = EDGES, at = TO;; k--) {
        if (g->n_path == 0 || g->path[g->n_path - 1] != at) {
            g->path[g->n_path++] = at;
        }
        if (k == 0) {
            break;
        }
        at = g->before[k][at];
    }
    return true;
}

/* Examines the edges of the path; *ret_clear: all are clear. */
static tq_status examine(tq_pose_search *s, size_t *inout_n, bool *ret_clear, tq_error *reterr)
{
    struct tq_pose_graph *g = s->graph;
    *ret_clear = true;
    for (size_t i = 1; i < g->n_path && *ret_clear; i++) {
        const size_t a = g->path[i - 1], b = g->path[i];
        if (g->edges[a][b] == UNKNOWN) {
            tq_pose_leg line;
            const tq_status status = tq_poses_line(s, g->q[b], g->q[a], &line, reterr);
            if (status != TQ_OK) {
                return status;
            }
            ++*inout_n;
            const bool is_clear = line.distance >= s->task->motion.clearance->least;
            g->edges[a][b] = g->edges[b][a] = is_clear ? CLEAR : BLOCKED;
            g->distance[a][b] = g->distance[b][a] = line.distance;
        }
        *ret_clear = g->edges[a][b] == CLEAR;
    }
    return TQ_OK;
}

/* The path is listed from its end on. */
static void put_way(tq_pose_search *s, size_t k)
{
    const struct tq_pose_graph *g = s->graph;
    tq_pose_leg *leg = &s->ret->legs[k];
    leg->via = g->via + k * TQ_POSES_VIA_MAX * s->nv;
    leg->n_via = g->n_path - 2;
    leg->duration = 0.0;
    leg->via_distance = HUGE_VAL;
    for (size_t i = 1; i < g->n_path; i++) {
        const size_t a = g->path[g->n_path - i], b = g->path[g->n_path - i - 1];
        leg->duration += g->time[a][b];
        leg->via_distance = fmin(leg->via_distance, g->distance[a][b]);
        if (b != TO) {
            memcpy(leg->via + (i - 1) * s->nv, g->q[b], s->nv * sizeof *leg->via);
        }
    }
}

tq_status tq_poses_around(tq_pose_search *s, size_t k, const double *from, const double *to,
                          tq_error *reterr)
{
    size_t n_examined = 0;
    take_nodes(s, from, to);
    while (n_examined < EXAMINED_MAX && find_path(s->graph)) {
        bool is_clear = false;
        const tq_status status = examine(s, &n_examined, &is_clear, reterr);
        if (status != TQ_OK) {
            return status;
        }
        if (is_clear) {
            put_way(s, k);
            break;
        }
    }
    return TQ_OK;
}
