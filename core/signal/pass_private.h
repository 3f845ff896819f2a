/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/pass_private.h - the state of a pass: a window of rows, the uniform samples made of
 * it, and the block that is being filled. */
#ifndef TQ_SIGNAL_PASS_PRIVATE_H
#define TQ_SIGNAL_PASS_PRIVATE_H

#include "core/signal/pass.h"

enum { TQ_SEGMENT_LEAST = 8 }; /* least rows of a segment */

/* The window holds rows of one segment: times increase, and no gap is too long. */
struct tq_pass {
    tq_recording *recording;
    const tq_recording_options *options;
    tq_pass_plan plan;
    tq_block_sink *sink;
    void *ctx;
    bool has_uniform;
    tq_uniform uniform;

    /* rows */
    size_t n, room, n_checked; /* n_checked: rows that were in an earlier window too */
    double *t, *values, *work; /* (room), (n_channel x room), (room) */
    uint64_t *row;
    unsigned char *bad;
    size_t brake;    /* index of the next braked standstill */
    bool is_braked;  /* the row before belongs to it */
    double *turns;   /* (n_channel) multiples of 2 pi subtracted */
    double *current; /* (n_channel) the present row */
    uint64_t before; /* index of the previous row */
    bool has_before;

    /* uniform samples: number k of the segment is at segment_t + k step */
    bool in_segment;
    double segment_t;
    uint64_t next; /* index of the first sample that has not been emitted */
    size_t context;
    size_t n_uniform;
    double *even, *raw_tau; /* (n_channel), (nv), each x n_uniform */
    double *derived;        /* (2 nv + 1 x n_uniform) qd and qdd if they were not recorded; if qd
                               was, displacements from the unfiltered qd; a copy */
    double *fast;           /* (2 nv x n_uniform) part of qdd that the filter removes, and its
                               rate */
    double *own;            /* (3 x n_own x n_uniform) q, qd, qdd of joints with a cut-off of their
                               own, as recorded; NULL: none */
    bool uses_own;          /* the window's segment is long enough for it */
    size_t n_parallel;
    double *rates;    /* (nv x n_uniform) of which parallel rows are functions; NULL: the filtered
                         ones */
    double *parallel; /* (n_parallel x n_uniform) */
    void *parallel_state;
    bool gives_way;        /* blocks contain displacements */
    uint64_t *even_row;    /* (n_uniform) */
    tq_stencil *stencils;  /* (n_uniform) */
    unsigned char *memory; /* of scratch */
    size_t memory_size;

    /* the block that is being filled */
    double *block; /* (nq + 7 nv + n_parallel) x TQ_BLOCK */
    size_t n_block;
    bool begins; /* the block starts a segment */
    double block_t[TQ_BLOCK];
    uint64_t block_row[TQ_BLOCK];
};

/* True if the joint's coordinates end with a quaternion; *ret_row: its first row among all
 * coordinates. */
static inline bool tq_has_quaternion(const tq_joint *joint)
{
    return joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING;
}
static inline size_t tq_quaternion_row(const tq_joint *joint)
{
    return (size_t)joint->q_index + joint->nq - 4;
}

/* True if the recording has this quantity. */
static inline bool tq_pass_has(const tq_pass *p, tq_quantity quantity)
{
    return p->recording->channels.has[quantity];
}
/* True if the rates of joints with quaternions are recorded, or there are no such joints. */
static inline bool tq_pass_gives_rates(const tq_pass *p)
{
    const tq_channels *channels = &p->recording->channels;
    return channels->has[TQ_QUANTITY_QD] && !channels->twists_missing;
}
/* True if recorded linear velocities of floating joints are filtered in the axes of the world. */
static inline bool tq_pass_turns(const tq_pass *p)
{
    return tq_pass_gives_rates(p) && !tq_pass_has(p, TQ_QUANTITY_QDD);
}
/* Row r of a quantity among the uniform samples. */
static inline double *tq_pass_channel(const tq_pass *p, tq_quantity quantity, size_t r)
{
    return p->even + (p->recording->channels.first[quantity] + r) * p->n_uniform;
}

/* clean.c: takes rows. flush: converts the window to samples; `ends`: its segment ends with it.
 * Here and below false: the sink has stopped the pass. */
bool tq_clean_rows(tq_pass *pass, const tq_raw_rows *rows, size_t *inout_at);
bool tq_clean_flush(tq_pass *pass, bool ends);

/* outliers.c: removes rows with an outlier in some channel from the window, and counts them. */
void tq_outliers_remove(tq_pass *pass);

/* resample.c: converts rows [from, end) of the window to samples; `ends`: the segment ends with
 * them. */
bool tq_resample_window(tq_pass *pass, size_t from, size_t end, bool ends);

/* filter_rows.c: filters the m uniform samples of the window; `lowest`: index of the first one in
 * the segment; `ends`: the segment ends with it. */
void tq_filter_window(tq_pass *pass, uint64_t lowest, size_t m, bool ends);
/* A zero-phase filter of n_row rows of m samples; and how a quantity continues beyond the ends. */
void tq_filter_pass(tq_pass *pass, const tq_filter *filter, tq_filter_ends ends, size_t m,
                    size_t n_row, double *rows);
tq_filter_ends tq_filter_ends_of(const tq_pass *pass, tq_quantity quantity);

/* own_rows.c: joints with a cut-off of their own. Keeps their rows before the window is filtered;
 * puts them in the place of the filtered ones at last, when all that is computed of these is. */
void tq_own_keep(tq_pass *pass, uint64_t lowest, size_t m, bool ends);
void tq_own_put(tq_pass *pass, size_t m);

/* emit.c: samples next to the ends of a segment of n samples that are left out. */
uint64_t tq_emit_border(const tq_pass *pass, uint64_t n);

/* emit.c: copies the samples of the window that are final to blocks; the last block goes to the
 * sink. */
bool tq_emit_samples(tq_pass *pass, uint64_t lowest, size_t m, bool ends);
bool tq_emit_block(tq_pass *pass);

#endif
