/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/recording.h - a recorded motion as signals: options, clock, results of its survey,
 * repairs of a pass. */
#ifndef TQ_SIGNAL_RECORDING_H
#define TQ_SIGNAL_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/mechanism.h"
#include "core/signal/clock.h"
#include "core/signal/row_cache.h"
#include "core/signal/rows.h"
#include "core/signal/spectrum.h"
#include "core/signal/stuck.h"

enum {
    TQ_REPAIR_ROWS = 8,            /* rows listed for each kind of repair */
    TQ_RECORDING_CLEAN_MAX = 256,  /* windows without outliers that are remembered */
    TQ_RECORDING_SAMPLES = 250000, /* of all recordings of a fit: more do not improve the fit */
};

typedef enum tq_smoothing {
    TQ_SMOOTHING_BUTTERWORTH,
    TQ_SMOOTHING_SAVITZKY_GOLAY,
    TQ_SMOOTHING_FIRST_ORDER,
    TQ_SMOOTHING_NONE,
} tq_smoothing;

/* The low-pass filter of all signals, and the decimation after it. */
typedef struct tq_recording_filter {
    tq_smoothing kind;
    unsigned order;    /* Butterworth */
    double cutoff;     /* Hz; 0: from the spectra */
    bool is_auto;      /* the cut-off is chosen from the spectra */
    const double *own; /* (nv) Hz, at most `cutoff`: the cut-off of each joint's position, rate and
                          acceleration, all else has `cutoff`; NULL: so have they */
    double tau_f;      /* s, first order */
    size_t window;     /* Savitzky-Golay: samples, odd */
    unsigned degree;   /* Savitzky-Golay */
    size_t decimate;   /* every n-th sample is used, n >= 1 */
    bool has_decimate; /* the request sets `decimate` */
    bool thins;        /* `decimate` is chosen from the length of the recordings */
} tq_recording_filter;

/* Units that the request does not state; they are checked for plausibility. */
enum {
    TQ_CHECK_TIME = 1u << 0,     /* times may be milliseconds */
    TQ_CHECK_POSITION = 1u << 1, /* angles may be degrees, lengths millimetres */
    TQ_CHECK_TORQUE = 1u << 2,   /* torque is used: it must be one */
    TQ_CHECK_EFFORT = 1u << 3,   /* torque against the joints' limits of effort */
    TQ_CHECK_GRAVITY = 1u << 4,  /* torque against gravity's */
    TQ_CHECK_SIGN = 1u << 5,     /* torque's sign by the work of all motors */
};

/* Options common to all recordings of a fit. */
typedef struct tq_recording_options {
    const tq_mechanism *mechanism;
    const tq_model *model; /* of the mechanism */
    tq_recording_filter filter;
    double rate;                  /* Hz of the uniform grid; 0: the recording's own */
    double delay;                 /* s by which q, qd and qdd lag behind the torque */
    double half_gain;             /* Hz at which the filter's gain is 1/2; 0: no filter */
    bool finds_brakes;            /* surveys list standstills, for tq_recording_find_braked */
    bool searches;                /* passes read only the cached part of a long recording */
    size_t n_cached;              /* recordings that share the row cache; 0: rows are not cached */
    const tq_unknown_gain *gains; /* (n_gain) of a controller, as they are now; NULL: none */
    size_t n_gain;
} tq_recording_options;

/* Repairs of a pass, in the order of their names in answers. */
typedef enum tq_repair {
    TQ_REPAIR_NOT_FINITE,   /* rows left out: NaN or infinite */
    TQ_REPAIR_ABSURD,       /* rows left out: values beyond the range of any robot */
    TQ_REPAIR_SPIKE,        /* rows left out: outliers (Hampel identifier) */
    TQ_REPAIR_OUTLIER,      /* rows with values replaced by a running median */
    TQ_REPAIR_REPEATED,     /* rows left out: the time of another row */
    TQ_REPAIR_OUT_OF_ORDER, /* rows sorted by time */
    TQ_REPAIR_SET_BACK,     /* a new segment begins: the clock was set back */
    TQ_REPAIR_BRIDGED,      /* gaps of a few periods, interpolated */
    TQ_REPAIR_SPLIT,        /* longer gaps: a new segment begins */
    TQ_REPAIR_UNWRAPPED,    /* angles that jumped by 2 pi */
    TQ_REPAIR_BRAKED,       /* standstills left out: zero torque although gravity acts */
    TQ_REPAIR_UNPAIRED,     /* rows left out: another file of the recording ends earlier */
    TQ_REPAIR_TOO_SHORT,    /* segments of fewer than eight rows, left out */
    TQ_REPAIR_SATURATED,    /* rows left out: their torque is at a limit */
    TQ_REPAIR_NOT_UNIT,     /* rows left out: a quaternion whose length is off by 1 % and more */
    TQ_REPAIRS,
} tq_repair;

typedef struct tq_repair_count {
    uint64_t n;
    uint64_t rows[TQ_REPAIR_ROWS]; /* the first rows of them */
} tq_repair_count;

/* Consecutive rows at standstill. Brakes hold if torque is zero although gravity acts. */
typedef struct tq_standstill {
    uint64_t first, last;
    size_t n;     /* number of rows in the sums */
    double *sums; /* (nq + nv): sum of q, of tau^2; of a braked one: thresholds of |tau| */
} tq_standstill;

typedef struct tq_standstills {
    tq_standstill *list; /* NULL: standstills are not listed */
    size_t n, n_braked;  /* after tq_recording_find_braked the first n_braked are braked */
    bool rests;          /* the last standstill may continue */
    double *moving;      /* (nv) sum of tau^2 in motion */
    size_t n_moving;
    double *group; /* (nq + nv) sums of a group of rows that are classified together */
    size_t n_group;
    double *spare; /* (n_spare x (nq + nv)) memory for sums */
    size_t n_spare;
} tq_standstills;

/* A window of rows without outliers. */
typedef struct tq_clean_window {
    uint64_t first, last;
    size_t n;
} tq_clean_window;

/* One recording. The first group of members is set by the reader of rows, the second by a survey,
 * the last by each pass. Zero-initialised. */
typedef struct tq_recording {
    const tq_recording_options *options;
    tq_channels channels;
    bool is_windowed;    /* only ranges of rows are read */
    uint64_t n_row;      /* in the file; known after the rows of the survey were pushed */
    uint64_t n_unpaired; /* rows that only the longest of several files has */
    unsigned check;      /* TQ_CHECK_... */

    bool has_survey;
    uint64_t n_chosen; /* rows pushed */
    tq_clock *clock;
    bool is_even;
    double period; /* s, of the rows */
    double step;   /* s, of the uniform grid */
    double gap;    /* s: longer steps end a segment */
    tq_standstills standstills;
    tq_stuck_search stuck;
    bool moves;
    uint64_t first_moving, last_moving; /* rows */
    tq_row_cache cache;
    tq_bandwidth bandwidth; /* of the joint with the widest bandwidth */
    double resolution;      /* Hz, of the spectra it was measured with */
    double *coherent;      /* (nq) Hz up to which torque and position are coherent; NULL: unknown */
    double *motion;        /* (nq) Hz, bandwidth of each coordinate; infinite: it hardly moves */
    double *needs;         /* (nv) Hz: a low-pass of a joint's own position that takes none of its
                              motion has at least this cut-off; infinite: that of all */
    double *shares;        /* (nv) of noise in the mean square of its acceleration, at the cut-off
                              of the recording */
    double velocity_noise; /* rad/s or m/s, of the joint with the largest */
    double
        *floor; /* (nv) one-sided noise density, unit^2 / Hz, of the signal from which accelerations
                   are computed by n_difference differences; NULL: unknown */
    unsigned n_difference;
    double rate_band; /* Hz: a low-pass of rates beyond it lets in more noise than motion, or more
                         noise than friction bears; 0: unknown */
    tq_cutoff cutoff;
    double *coherent_memory, *floor_memory; /* (nq), (nv) */
    size_t n_clean;
    tq_clean_window clean[TQ_RECORDING_CLEAN_MAX];

    tq_repair_count repairs[TQ_REPAIRS];
    uint64_t n_sample, n_segment;
    uint64_t n_rest;   /* samples at rest at both ends, left out */
    uint64_t n_border; /* samples next to the ends of segments, left out: the filter extrapolates
                          there */
    uint64_t n_short_segment; /* that are too short for the whole border */
    uint64_t n_braked;        /* rows left out where brakes hold */
    double longest_gap;       /* s, of the bridged gaps */
} tq_recording;

/* A stretch of motion on the uniform grid, unfiltered: the input of the survey's measurements. */
typedef struct tq_uniform {
    size_t n, stride;
    const double *channels; /* (n_channel x stride) */
} tq_uniform;

/* Faults that make a recording unusable. */
typedef enum tq_recording_fault_kind {
    TQ_FAULT_NONE,
    TQ_FAULT_FEW_ROWS,    /* n_chosen */
    TQ_FAULT_UNPAIRED,    /* n_row, n_unpaired: files of different recordings */
    TQ_FAULT_BAD_NUMBERS, /* repairs[NOT_FINITE], repairs[ABSURD]: above 5 % of the rows */
    TQ_FAULT_NOT_UNIT,    /* repairs[NOT_UNIT]: above 5 % of the rows */
    TQ_FAULT_TIME_REVERSED,
    TQ_FAULT_TIME_UNSORTED,
    TQ_FAULT_TIME_CONSTANT,
    TQ_FAULT_PERIOD_LONG,  /* value: period, s: times are probably not in seconds */
    TQ_FAULT_PERIOD_SHORT, /* value: period, s */
    TQ_FAULT_RATE,         /* value: rows a second; the grid has more than 20 times as many */
    TQ_FAULT_POSITION,     /* joint, value: a position beyond the range of any joint */
    TQ_FAULT_VELOCITY_ZERO,
    TQ_FAULT_VELOCITY_RATIO,       /* joint, value: velocity over slope of position */
    TQ_FAULT_VELOCITY_CLOCK,       /* value: the same of all joints: time is in another unit */
    TQ_FAULT_VELOCITY_CORRELATION, /* joint, value: correlation of velocity and slope of position */
    TQ_FAULT_TWIST_FRAME,   /* joint: its recorded twist is that of its pose in the parent frame */
    TQ_FAULT_TWIST_ANGULAR, /* joint, value: correlation of its recorded angular velocity and the
                               slope of its rotation; other: their ratio */
    TQ_FAULT_TWIST_LINEAR,  /* the same of the linear velocity */
    TQ_FAULT_TORQUE_CONSTANT,
    TQ_FAULT_TORQUE_EFFORT,  /* joint, value: rms torque; other: the joint's limit */
    TQ_FAULT_TORQUE_GRAVITY, /* joint, value: largest rms torque; other: gravity's largest torque */
    TQ_FAULT_TORQUE_SIGN,    /* joint: that returns most; value: J that all of them return */
    TQ_FAULT_DELAY,          /* of more than four samples and 50 ms */
    TQ_FAULT_CUTOFF,         /* value: samples a second: the cut-off is above half of it */
    TQ_FAULT_FILTER_SLOW,    /* value: samples a second: the filter's memory is too long */
} tq_recording_fault_kind;

typedef struct tq_recording_fault {
    tq_recording_fault_kind kind;
    uint32_t joint;
    double value, other;
} tq_recording_fault;

/* Sets *ret and returns TQ_ERR_RANGE. */
tq_status tq_recording_refuse(tq_recording_fault *ret, tq_recording_fault_kind kind, uint32_t joint,
                              double value, double other);

/* The repair of a row that is not good: it is left out. */
tq_repair tq_repair_of_row(unsigned char state);

/* Counts a repair; the first TQ_REPAIR_ROWS rows are listed. */
void tq_recording_note(tq_recording *recording, tq_repair repair, uint64_t row);

/* The least number of samples next to the ends of a segment that a pass leaves out, a period of the
 * cut-off: the filter extrapolates there. Segments that bear it lose as many as the low-pass needs
 * to forget what is beyond. */
size_t tq_recording_border(const tq_recording *recording);

/* Hz of the low-pass of rates that parallel rows are functions of: above the filter's cut-off as
 * far as their noise admits, at most four times it, or four times that of the spectra if that is
 * higher; 0: the filter itself; infinite: none is needed.
 * Source   core/identify/DECISIONS.md, "Friction at a reversal" */
double tq_recording_rate_cutoff(const tq_recording *recording);

/* True if a pass filters joints by their own cut-offs: it reads more than runs of rows, which are
 * too short for the border of a slow filter. */
bool tq_recording_has_own(const tq_recording *recording);

/* True if the survey cached only runs of rows, long enough for searches. */
bool tq_recording_is_sampled(const tq_recording *recording);
/* Drops every second run; false, without effect, if too few would be left. */
bool tq_recording_search_less(tq_recording *recording);
/* True if passes read the cache and no rows are pushed. */
bool tq_recording_is_cached(const tq_recording *recording);

/* True if friction states integrate the unfiltered velocity: it is recorded, with little noise.
 * Else displacements are differences of positions. */
bool tq_recording_gives_displacement(const tq_recording *recording);

#endif
