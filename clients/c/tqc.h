/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/tqc.h - torqued from C and C++: dynamics of samples, any other request; by libcurl. */
/** A client holds one kept-alive connection and belongs to one thread at a time. Arrays are the
 * caller's, row-major, one sample a row, SI units and radians; numbers travel as binary doubles
 * (NPY, CBOR), so what comes back has the bits that the service computed.
 *
 * Every function that can fail returns a tqc_code and fills a tqc_error, if one is given. Nothing
 * is printed, nothing ends the process. */
#ifndef TQC_H
#define TQC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TQC_PUBLIC __attribute__((visibility("default")))
#else
#define TQC_PUBLIC
#endif

#define TQC_VERSION "0.1.0"

typedef enum tqc_code {
    TQC_OK = 0,
    TQC_BAD_ARGUMENT, /* of the caller's; nothing was sent */
    TQC_NO_MEMORY,
    TQC_UNREACHABLE, /* no connection: nothing was computed */
    TQC_BROKEN,      /* the connection ended before the answer was complete */
    TQC_TIMEOUT,
    TQC_REFUSED,        /* the service answered with a problem document */
    TQC_UNAUTHORIZED,   /* the same, 401 or 403 */
    TQC_TOO_SMALL,      /* the answer does not fit into the caller's memory */
    TQC_NOT_UNDERSTOOD, /* the answer is not what was asked for */
    TQC_STOPPED,        /* by a callback of the caller's */
} tqc_code;

/* What went wrong. Texts are "" where there is none; longer ones are cut. `pointer` is a JSON
 * pointer (RFC 6901) into the request, such as /qd/3/1. */
typedef struct tqc_error {
    tqc_code code;
    int status;    /* of HTTP; 0 without an answer */
    char type[64]; /* slug of the problem's type, such as wrong-length */
    char title[128];
    char detail[512]; /* without an answer: the reason */
    char pointer[256];
    char hint[512];
    char request_id[64]; /* names the request in the log of the service */
} tqc_error;

typedef struct tqc_client tqc_client;

/* All zero: $TORQUED_URL, else http://127.0.0.1:8420; no token, no time limit, no retries. */
typedef struct tqc_options {
    const char *address;     /* http://HOST:PORT, https://HOST:PORT or unix:PATH */
    const char *token;       /* "Authorization: Bearer ..." */
    const char *token_file;  /* instead: a file whose first line is the token */
    long connect_timeout_ms; /* 0: 10 s */
    long timeout_ms;         /* of a request with its retries; 0: none */
    int retries;             /* tries after the first one, of what may be repeated */
    const char *client;      /* "Torqued-Client" of jobs; NULL: none */
} tqc_options;

/** Makes a client; connects at the first request. Returns NULL with the reason in `error`. */
TQC_PUBLIC tqc_client *tqc_open(const tqc_options *options, tqc_error *error);
TQC_PUBLIC void tqc_close(tqc_client *client);

/** The words of a code. Returns static text. */
TQC_PUBLIC const char *tqc_code_text(tqc_code code);

/* ------------------------------------------------------------------------------- any request */

/* Writes up to `n` bytes of the body to `to`. Returns how many, 0 at the end, SIZE_MAX to stop. */
typedef size_t tqc_read(void *ctx, char *to, size_t n);
/* Takes bytes of an answer in their order. Returns 0, or another number to stop. */
typedef int tqc_write(void *ctx, const char *bytes, size_t n);
/* Goes back to the start of the body for a retry, and of what `write` has taken. Returns 0 if it
 * can. */
typedef int tqc_rewind(void *ctx);
/* Returns 0 to go on. */
typedef int tqc_stop(void *ctx);

/* `accept` is application/json if NULL. GET, PUT and DELETE may be repeated, POST and PATCH with an
 * `idempotency_key` or `is_repeatable`. After a connection that failed, 429 and 503 they are sent
 * again, up to the client's `retries`, after 100 ms and twice as long each time, or Retry-After. */
typedef struct tqc_request {
    const char *method; /* GET, POST, PUT, PATCH, DELETE */
    const char *path;   /* from /v1 on, escaped */
    const char *content_type;
    const void *body; /* n_body bytes; or: */
    size_t n_body;
    tqc_read *read; /* of n_read bytes, -1: until its end */
    int64_t n_read;
    void *read_ctx;
    tqc_rewind *rewind; /* with read_ctx; NULL: a request with `read` is sent once */
    const char *accept;
    const char *prefer;
    const char *idempotency_key;
    int is_repeatable;
    tqc_write *write; /* takes the body of an answer 2xx; or: */
    void *write_ctx;
    void *memory; /* takes it */
    size_t memory_size;
    const char *last_event_id; /* of an event stream, which continues after it */
    tqc_stop *is_stopped;      /* asked about once a second: other than 0 ends it, TQC_STOPPED */
    void *stop_ctx;
} tqc_request;

typedef struct tqc_answer {
    int status;
    int tries;
    size_t n; /* bytes of the body; with TQC_TOO_SMALL, so many are needed */
    char content_type[96];
    char location[256]; /* of a job: Location, or Content-Location */
    char preference_applied[96];
} tqc_answer;

/** Sends a request, reads its answer. Returns TQC_OK for 2xx. `answer` and `error` may be NULL. */
TQC_PUBLIC tqc_code tqc_send(tqc_client *client, const tqc_request *request, tqc_answer *answer,
                             tqc_error *error);
/** The bytes of the last problem document, valid until the next request. Returns "" without one. */
TQC_PUBLIC const char *tqc_problem(const tqc_client *client);
/** A key for `idempotency_key`, 128 random bits as text. Returns TQC_OK or TQC_NOT_UNDERSTOOD. */
TQC_PUBLIC tqc_code tqc_make_key(char key[33]);

/* ------------------------------------------------------------------------ dynamics of samples */

/* `n` samples: q[n][nq], qd[n][nv] and qdd[n][nv] (or tau) in, ret[n][nv] out. nq = nv but for
 * robots with spherical and floating joints. Units: rad or m, by second; N m or N. The request is
 * made out of the caller's arrays while it is sent, the answer is written into `ret` while it
 * comes. */
TQC_PUBLIC tqc_code tqc_inverse_dynamics(tqc_client *client, const char *robot, size_t n, size_t nq,
                                         size_t nv, const double *q, const double *qd,
                                         const double *qdd, double *ret_tau, tqc_error *error);
TQC_PUBLIC tqc_code tqc_forward_dynamics(tqc_client *client, const char *robot, size_t n, size_t nq,
                                         size_t nv, const double *q, const double *qd,
                                         const double *tau, double *ret_qdd, tqc_error *error);

/* A named array of a request: rows x columns doubles; rows 0: one sample of rank one. */
typedef struct tqc_array {
    const char *name;
    const double *values;
    size_t rows, columns;
} tqc_array;

/* A named array of an answer: `room` doubles at `values`; rows, columns and n are set. `name` is a
 * key of the answer, inside of objects with dots ("reactions.base"), of lists with an index
 * ("frames.0.position"). */
typedef struct tqc_result {
    const char *name;
    double *values;
    size_t room;
    size_t n, rows,
        columns; /* n doubles; rows 0: rank one or less; more than rank two: the first */
} tqc_result;

/** Any operation with arrays in and out: terms, kinematics, trajectory, simulate ... `fields` is
 * the text of a JSON object with the other fields of the request, or NULL. Arrays of the answer
 * that `results` do not name are skipped. One that is not there is TQC_NOT_UNDERSTOOD. `robot` is
 * NULL for operations without one. */
TQC_PUBLIC tqc_code tqc_compute(tqc_client *client, const char *robot, const char *operation,
                                const char *fields, const tqc_array *arrays, size_t n_array,
                                tqc_result *results, size_t n_result, tqc_error *error);

/* ------------------------------------------------------------------------------- lock step */

/* A simulated robot that the caller's controller drives: docs/lock-step.md. */
typedef struct tqc_session {
    char id[64];
    unsigned long long step; /* control periods since the start; not as many as asked: it ended */
    double t;                /* s */
    char hash[33];           /* of the state's bits: two runs that agree in it agree in all */
    char ended[128];         /* why the motion has ended; "" while it goes on */
    char ended_joint[128];   /* the joint that it ended at, where there is one */
} tqc_session;

/** Opens a session. `request` is the text of its JSON: {"robot": "panda", "initial": ...}. Arrays
 * and numbers of the answers go into `results` by their names in a state: "q", "qd", "tau",
 * "sensors.q" ...; at most 30. Returns a tqc_code, as all of these. */
TQC_PUBLIC tqc_code tqc_session_open(tqc_client *client, const char *request, tqc_session *session,
                                     tqc_result *results, size_t n_result, tqc_error *error);
/** Holds tau[nv], N m or N, for `steps` control periods. It is sent with the step that it follows,
 * and again, up to the client's `retries`, where an answer was lost: no second step is made. */
TQC_PUBLIC tqc_code tqc_session_step(tqc_client *client, tqc_session *session, size_t nv,
                                     const double *tau, unsigned steps, tqc_result *results,
                                     size_t n_result, tqc_error *error);
/** Back to a step of its history; 0 is the start. */
TQC_PUBLIC tqc_code tqc_session_rewind(tqc_client *client, tqc_session *session,
                                       unsigned long long step, tqc_result *results,
                                       size_t n_result, tqc_error *error);
/** A second session, `fork`, that goes on from a step of the first one. */
TQC_PUBLIC tqc_code tqc_session_fork(tqc_client *client, const tqc_session *session,
                                     unsigned long long step, tqc_session *fork,
                                     tqc_result *results, size_t n_result, tqc_error *error);
/** Ends it; one that has ended already is no fault. */
TQC_PUBLIC tqc_code tqc_session_close(tqc_client *client, const tqc_session *session,
                                      tqc_error *error);

/* ------------------------------------------------------------------------------ in a control
 * loop */

/* The same two operations for a thread with a period. After tqc_call_open neither this library nor
 * libcurl allocates: the request is laid out in memory that was taken at the start, HTTP/1.1 is
 * written and read here, and libcurl only moves bytes (CURLOPT_CONNECT_ONLY, curl_easy_send,
 * curl_easy_recv). The exception is a new connection, after the service has closed the old one or
 * after TQC_TIMEOUT: tqc_call_reconnects counts them. Over https the TLS library may allocate. */
typedef struct tqc_call tqc_call;

typedef enum tqc_operation { TQC_INVERSE_DYNAMICS, TQC_FORWARD_DYNAMICS } tqc_operation;

/** Connects, takes the memory for up to `n_most` samples a call. Returns NULL with the reason. */
TQC_PUBLIC tqc_call *tqc_call_open(const tqc_options *options, const char *robot,
                                   tqc_operation operation, size_t nq, size_t nv, size_t n_most,
                                   tqc_error *error);
/** One call, as tqc_inverse_dynamics. `timeout_us` is its deadline from now, 0: none. After a code
 * other than TQC_OK and TQC_REFUSED the next call connects anew. Returns a tqc_code. */
TQC_PUBLIC tqc_code tqc_call_run(tqc_call *call, size_t n, const double *q, const double *qd,
                                 const double *third, double *ret, long timeout_us,
                                 tqc_error *error);
/** How often a connection was made anew. */
TQC_PUBLIC unsigned long tqc_call_reconnects(const tqc_call *call);
TQC_PUBLIC void tqc_call_close(tqc_call *call);

#ifdef __cplusplus
}
#endif

#endif
