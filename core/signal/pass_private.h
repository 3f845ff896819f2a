/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/pass_private.h - the state of a pass: a window of rows, the uniform samples made of
 * it, and the block that is being filled. */
#ifndef TQ_SIGNAL_PASS_PRIVATE_H
#define TQ_SIGNAL_PASS_PRIVATE_H

#include "core/signal/pass.h"

enum { TQ_SEGMENT_LEAST = 8 }; /* rows */

/* The window holds rows of one segment: strictly rising in time, no gap too long. */
struct tq_pass {
    tq_recording *recording;
    const tq_recording_options *options;
    tq_pass_plan plan;
    tq_block_sink *sink;
    void *ctx;
    bool has_uniform;
    tq_uniform uniform;

    /* rows */
    size_t n, room, n_checked; /* n_checked: rows that an earlier window had too */
    double *t, *values, *work; /* (room), (n_channel x room), (room) */
    uint64_t *row;
    unsigned char *bad;
    size_t brake;    /* the next braked standstill */
    bool is_braked;  /* the row before was of it */
    double *turns;   /* (n_channel) multiples of 2 pi taken off */
    double *current; /* (n_channel) the present row */
    uint64_t before; /* number of the row before */
    bool has_before;

    /* uniform samples: number k of the segment is at segment_t + k step */
    bool in_segment;
    double segment_t;
    uint64_t next; /* the first that has not been emitted */
    size_t context, border;
    size_t n_uniform;
    double *even, *raw_tau; /* (n_channel), (nv), each x n_uniform */
    double *derived;        /* (2 nv + 1 x n_uniform) qd, qdd that were not recorded; where qd was,
                               displacements of the unfiltered one; a copy */
    double *fast;           /* (2 nv x n_uniform) what the filter takes off qdd, and its rate */
    size_t n_parallel;
    double *parallel; /* (n_parallel x n_uniform) */
    void *parallel_state;
    bool gives_way;        /* blocks have displacements */
    uint64_t *even_row;    /* (n_uniform) */
    tq_stencil *stencils;  /* (n_uniform) */
    unsigned char *memory; /* of scratch */
    size_t memory_size;

    /* the block that is being filled */
    double *block; /* (nq + 7 nv + n_parallel) x TQ_BLOCK */
    size_t n_block;
    bool begins; /* it begins a segment */
    double block_t[TQ_BLOCK];
    uint64_t block_row[TQ_BLOCK];
};

/* Joints whose coordinates end with a quaternion, and its first row among all coordinates. */
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
/* Row r of a quantity among the uniform samples. */
static inline double *tq_pass_channel(const tq_pass *p, tq_quantity quantity, size_t r)
{
    return p->even + (p->recording->channels.first[quantity] + r) * p->n_uniform;
}

/* clean.c: takes rows. flush: the window becomes samples; `ends`: nothing of its segment follows.
 * Here and below false: the sink has stopped the pass. */
bool tq_clean_rows(tq_pass *pass, const tq_raw_rows *rows, size_t *inout_at);
bool tq_clean_flush(tq_pass *pass, bool ends);

/* outliers.c: removes rows with an outlier in some channel from the window, and counts them. */
void tq_outliers_remove(tq_pass *pass);

/* resample.c: rows [from, end) of the window become samples; `ends`: of a segment that ends with
 * them. */
bool tq_resample_window(tq_pass *pass, size_t from, size_t end, bool ends);

/* filter_rows.c: filters the m uniform samples of the window, the first of them number `lowest` of
 * the segment. */
void tq_filter_window(tq_pass *pass, uint64_t lowest, size_t m);

/* emit.c: samples of the window that are final go into blocks; the last block to the sink. */
bool tq_emit_samples(tq_pass *pass, uint64_t lowest, size_t m, bool ends);
bool tq_emit_block(tq_pass *pass);

#endif
