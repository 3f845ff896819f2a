/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/pass_private.h - the inside of a pass through a log: a window of rows, and the even
 * samples made of it. */
#ifndef TQA_RECORDINGS_RESAMPLE_H
#define TQA_RECORDINGS_RESAMPLE_H

#include "api/recordings/parts.h"

/* Shapes of friction along a window, where a fit asks for them: F[tau] = F[Y] pi. */
typedef struct tqa_friction_rows {
    const tq_fit *fit;
    const tq_model *model;
    size_t n;            /* rows; 0: blocks have none */
    size_t nv, stride;   /* stride: n_even_room */
    double *rows;        /* (n x stride) */
    double *signs;       /* (nv x stride) the first of them before any filter */
    double *state;       /* (nv) signs before the first sample; NaN: there is none */
    uint64_t signs_from; /* number of the sample that signs begin with */
    size_t n_sign;       /* how many there are; 0: nothing is remembered */
    bool follows;        /* they are of the segment at hand, else of the one before */
    bool gives_way;      /* blocks tell the way of those samples that are used */
} tqa_friction_rows;

/* False: memory is short. A log without torque has none to open. */
bool tqa_friction_rows_open(tqa_friction_rows *shapes, const tqa_recording *log, size_t stride,
                            tqa_buffer_pools *rooms);
void tqa_friction_rows_close(tqa_friction_rows *shapes, tqa_buffer_pools *rooms);
/* Unfiltered rows of m samples from number `lowest` of the segment on. way: of each step; NULL: as
 * q says. (nq x stride) q, else (nv x stride). */
void tqa_friction_rows_find(tqa_friction_rows *shapes, uint64_t lowest, size_t m, double step,
                            const double *q, const double *qd, const double *way);

/* One pass. The window holds rows of one segment: strictly rising in time, no gap too long. */
typedef struct tqa_recording_pass_state {
    tqa_recording *log;
    tqa_buffer_pools *rooms;  /* of the memory below */
    tqa_recording_sink *sink; /* NULL: only `look` */
    bool (*look)(void *ctx, const tqa_resample *even);
    void *ctx;
    bool has_looked;

    /* rows */
    size_t n, room, n_looked;  /* n_looked: rows that an earlier window had too */
    double *t, *values, *work; /* (room), (n_channel x room), (room) */
    uint64_t *row;
    unsigned char *bad;
    size_t brake;   /* the next rest on brakes */
    bool is_braked; /* the row before was of it */
    double *turns;  /* (n_channel) whole turns taken off */

    /* even samples: number k of the segment is at segment_t + k step */
    bool in_segment;
    double segment_t;
    uint64_t next;  /* the first that has not been given away */
    size_t context; /* samples that the filter looks to each side */
    size_t border;  /* samples next to the ends of a segment, where the filter has to guess */
    tq_filter filter;
    size_t n_even_room;
    double *even, *raw_tau; /* (n_channel), (nv), each x n_even_room */
    double *derived; /* (2 nv x n_even_room) rates that were not logged; of logged ones, the way */
    double *fast;    /* (2 nv x n_even_room) what the filter takes off the acceleration, its rate */
    tqa_friction_rows shapes; /* of friction */
    uint64_t *even_row;       /* (n_even_room) */
    tq_stencil *stencils;     /* (n_even_room) */
    unsigned char *memory;    /* of scratch */
    size_t memory_size;

    /* the block that is being filled */
    double *block; /* (nq + 7 nv + shapes) x TQ_BLOCK */
    size_t n_block;
    bool begins; /* it begins a segment */
    double block_t[TQ_BLOCK];
    uint64_t block_row[TQ_BLOCK];
} tqa_recording_pass_state;

/* Joints whose coordinates end with a quaternion, and its first row among all coordinates. */
static inline bool tqa_recording_has_quaternion(const tq_joint *joint)
{
    return joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING;
}
static inline size_t tqa_recording_quaternion(const tq_joint *joint)
{
    return (size_t)joint->q_index + joint->nq - 4;
}

/* True if the log has a column of this quantity. */
static inline bool tqa_resample_has(const tqa_recording_pass_state *p,
                                    tqa_recording_quantity quantity)
{
    return p->log->column[quantity] != NULL;
}
/* Row r of a quantity among the even samples. */
static inline double *tqa_resample_channel(const tqa_recording_pass_state *p,
                                           tqa_recording_quantity quantity, size_t r)
{
    return p->even + (p->log->first_channel[quantity] + r) * p->n_even_room;
}
/* Filters the m even samples of the window, the first of them number `lowest` of the segment. */
void tqa_resample_filter_rows(tqa_recording_pass_state *p, uint64_t lowest, size_t m);

/* False, with the problem set: the request's delay is of more samples than can be shifted. */
bool tqa_resample_reaches(const tqa_recording *log);
/* Designs the filter; false with the problem set. */
bool tqa_resample_filter(tqa_recording_pass_state *pass);
bool tqa_resample_open(tqa_recording_pass_state *pass); /* false: memory is short */
void tqa_resample_close(tqa_recording_pass_state *pass);
/* Rows [from, end) of the window become samples; `ends`: of a segment that ends with them. */
bool tqa_resample_take(tqa_recording_pass_state *pass, size_t from, size_t end, bool ends);
/* Gives the last block away. */
bool tqa_resample_end(tqa_recording_pass_state *pass);

#endif
