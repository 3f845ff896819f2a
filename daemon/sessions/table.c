/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/sessions/table.c - sessions in slots under one lock; the number of its slot begins an
 * id. */
#include "daemon/sessions/table.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sodium.h>

#include "daemon/http/bearer.h"
#include "daemon/key.h"
#include "daemon/lock.h"
#include "daemon/share.h"

enum { SLOT_DIGITS = 4, SECRET = (TQD_LOCK_STEP_ID - 1 - SLOT_DIGITS) / 2, SWEEP_MS = 1000 };

typedef struct slot {
    tqa_session *session; /* NULL: free */
    char id[TQD_LOCK_STEP_ID];
    char client[TQD_CLIENT_TEXT];
    bool is_held, is_doomed; /* doomed: the session is closed when it is released */
    int64_t used_ms;
    size_t bytes;
} slot;

struct tqd_lock_steps {
    tqd_lock_step_options options;
    pthread_mutex_t mutex; /* guards what follows; a leaf */
    tqd_lock_steps_figures figures;
    int64_t swept_ms;
    size_t n_slot; /* number of slots used so far */
    slot slots[];
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

tqd_lock_steps *tqd_lock_steps_new(const tqd_lock_step_options *options)
{
    assert(options->sessions_max <= TQD_LOCK_STEPS_MAX);
    tqd_lock_steps *table = calloc(1, sizeof *table + options->sessions_max * sizeof(slot));
    if (table != NULL) {
        table->options = *options;
        tqd_lock_init(&table->mutex);
    }
    return table;
}

void tqd_lock_steps_free(tqd_lock_steps *table)
{
    for (size_t k = 0; table != NULL && k < table->n_slot; k++) {
        tqa_session_close(table->slots[k].session);
    }
    if (table != NULL) {
        pthread_mutex_destroy(&table->mutex);
    }
    free(table);
}

int64_t tqd_lock_steps_idle_s(const tqd_lock_steps *table)
{
    return table->options.idle_ms / 1000;
}

/* removes a session from its slot; the caller closes it */
static tqa_session *take_out(tqd_lock_steps *table, slot *s)
{
    tqa_session *session = s->session;
    table->figures.open--;
    table->figures.bytes -= s->bytes;
    *s = (slot){.session = NULL};
    return session;
}

/* Sessions to close after this lock is released: closing one takes the registry's lock. */
enum { ENDED_MAX = 32 };
typedef struct ended {
    size_t n;
    tqa_session *list[ENDED_MAX];
} ended;

static void close_all(const ended *of)
{
    for (size_t k = 0; k < of->n; k++) {
        tqa_session_close(of->list[k]);
    }
}

/* Removes expired sessions; those beyond the list's size wait for the next sweep. */
static void sweep(tqd_lock_steps *table, int64_t now, ended *ret)
{
    ret->n = 0;
    if (now - table->swept_ms < SWEEP_MS && now - table->swept_ms < table->options.idle_ms) {
        return;
    }
    table->swept_ms = now;
    for (size_t k = 0; k < table->n_slot && ret->n < ENDED_MAX; k++) {
        slot *s = &table->slots[k];
        if (s->session != NULL && !s->is_held && now - s->used_ms >= table->options.idle_ms) {
            table->figures.expired++;
            ret->list[ret->n++] = take_out(table, s);
        }
    }
}

static bool may_use(const slot *s, const tqd_identity *who)
{
    return strcmp(s->client, who->client) == 0 ||
           ((who->roles & TQD_ROLE_ADMIN) != 0 && tqd_key_is_beside(s->client, who->client));
}

/* the slot number in an id's first digits; TQD_LOCK_STEPS_MAX: invalid */
static size_t number_of(const char *id)
{
    size_t k = 0;
    for (unsigned i = 0; i < SLOT_DIGITS; i++) {
        const char *digits = "0123456789abcdef";
        const char *found = id[i] != '\0' ? strchr(digits, id[i]) : NULL;
        if (found == NULL) {
            return TQD_LOCK_STEPS_MAX;
        }
        k = k * 16 + (size_t)(found - digits);
    }
    return k;
}

/* the slot with the number in the id, if its session has this id and the client may use it */
static slot *find(tqd_lock_steps *table, const tqd_identity *who, const char *id)
{
    const size_t k = number_of(id);
    if (strlen(id) != TQD_LOCK_STEP_ID - 1 || k >= table->n_slot) {
        return NULL;
    }
    slot *s = &table->slots[k];
    return s->session != NULL && !s->is_doomed && sodium_memcmp(s->id, id, sizeof s->id) == 0 &&
                   (who == NULL || may_use(s, who))
               ? s
               : NULL;
}

static void refuse_unknown(const char *id, tqa_problem *reterr)
{
    tqa_problem_set(reterr, "not-found",
                    "there is no session \"%.40s\": a session ends when it has no request for the "
                    "time of the setting session_idle, and when the service restarts",
                    id);
}

/* -------------------------------------------------------------------------------- bounds */

typedef struct held {
    size_t n;
    uint64_t bytes;
} held;

static held held_by(const tqd_lock_steps *table, const char *client)
{
    held ret = {0};
    for (size_t k = 0; k < table->n_slot; k++) {
        const slot *s = &table->slots[k];
        if (s->session != NULL && strcmp(s->client, client) == 0) {
            ret.n++;
            ret.bytes += s->bytes;
        }
    }
    return ret;
}

/* memory limit of a new session, bytes; 0: refused, with the problem */
static uint64_t room(const tqd_lock_steps *table, const tqd_identity *who, tqa_problem *reterr)
{
    const tqd_lock_step_options *o = &table->options;
    const tqd_lock_steps_figures *all = &table->figures;
    if (all->open >= o->sessions_max || all->bytes >= o->bytes_max) {
        tqa_problem_set(reterr, "busy", "as many sessions are open as the settings %s",
                        all->open >= o->sessions_max ? "allow (sessions)"
                                                     : "have memory for (sessions_size)");
        reterr->retry_after_s = 5;
        return 0;
    }
    uint64_t bytes = o->bytes_max - all->bytes;
    if (who->client[0] == '\0') {
        return bytes;
    }
    const held own = held_by(table, who->client);
    const uint64_t n_max =
        tqd_share_now(o->sessions_max, o->client_sessions_max, all->open - own.n);
    const uint64_t bytes_max =
        tqd_share_now(o->bytes_max, o->client_bytes_max, all->bytes - own.bytes);
    if (own.n >= n_max || own.bytes >= bytes_max) {
        tqa_problem_set(reterr, "too-many-requests",
                        "\"%s\" has as many sessions open, or as much memory in them, as it may "
                        "(client_share of sessions and sessions_size)",
                        who->client);
        reterr->retry_after_s = 5;
        return 0;
    }
    const uint64_t left = bytes_max - own.bytes;
    return left < bytes ? left : bytes;
}

bool tqd_lock_steps_room(tqd_lock_steps *table, const tqd_identity *who, size_t *ret_bytes,
                         tqa_problem *reterr)
{
    ended over;
    pthread_mutex_lock(&table->mutex);
    sweep(table, now_ms(), &over);
    *ret_bytes = (size_t)room(table, who, reterr);
    pthread_mutex_unlock(&table->mutex);
    close_all(&over);
    return *ret_bytes > 0;
}

/* ------------------------------------------------------------------------------ sessions */

static slot *free_slot(tqd_lock_steps *table)
{
    for (size_t k = 0; k < table->n_slot; k++) {
        if (table->slots[k].session == NULL) {
            return &table->slots[k];
        }
    }
    return &table->slots[table->n_slot++];
}

bool tqd_lock_steps_add(tqd_lock_steps *table, const tqd_identity *who, tqa_session *session,
                        char ret_id[TQD_LOCK_STEP_ID], tqa_problem *reterr)
{
    unsigned char secret[SECRET];
    const size_t bytes = tqa_session_bytes(session);
    const int64_t now = now_ms();
    randombytes_buf(secret, sizeof secret);
    pthread_mutex_lock(&table->mutex);
    const uint64_t left = room(table, who, reterr);
    if (left > 0 && left < bytes) { /* another request took the memory meanwhile */
        tqa_problem_set(reterr, "busy",
                        "there is no memory for this session now "
                        "(sessions_size)");
    }
    const bool good = left >= bytes && left > 0;
    if (good) {
        slot *s = free_slot(table);
        *s = (slot){.session = session, .is_held = true, .used_ms = now, .bytes = bytes};
        snprintf(s->client, sizeof s->client, "%s", who->client);
        snprintf(s->id, sizeof s->id, "%04x", (unsigned)(s - table->slots));
        sodium_bin2hex(s->id + SLOT_DIGITS, sizeof s->id - SLOT_DIGITS, secret, sizeof secret);
        memcpy(ret_id, s->id, sizeof s->id);
        table->figures.open++;
        table->figures.opened++;
        table->figures.bytes += bytes;
    }
    pthread_mutex_unlock(&table->mutex);
    return good;
}

tqa_session *tqd_lock_steps_acquire(tqd_lock_steps *table, const tqd_identity *who, const char *id,
                                    tqa_problem *reterr)
{
    const int64_t now = now_ms();
    tqa_session *session = NULL;
    ended over;
    pthread_mutex_lock(&table->mutex);
    sweep(table, now, &over);
    slot *s = find(table, who, id);
    const bool is_held = s != NULL && s->is_held;
    if (s != NULL && !is_held) {
        s->is_held = true;
        s->used_ms = now;
        session = s->session;
    }
    pthread_mutex_unlock(&table->mutex);
    close_all(&over);
    if (is_held) {
        tqa_problem_set(reterr, "conflict",
                        "another request is using this session: one step at a time");
    } else if (session == NULL) {
        refuse_unknown(id, reterr);
    }
    return session;
}

void tqd_lock_steps_release(tqd_lock_steps *table, const char *id, uint64_t steps)
{
    tqa_session *doomed = NULL;
    const size_t k = number_of(id);
    const int64_t now = now_ms();
    pthread_mutex_lock(&table->mutex);
    slot *s = &table->slots[k];
    assert(k < table->n_slot && s->is_held);
    s->is_held = false;
    s->used_ms = now;
    table->figures.steps += steps;
    if (s->is_doomed) {
        doomed = take_out(table, s);
    }
    pthread_mutex_unlock(&table->mutex);
    tqa_session_close(doomed);
}

bool tqd_lock_steps_remove(tqd_lock_steps *table, const tqd_identity *who, const char *id,
                           tqa_problem *reterr)
{
    ended over;
    pthread_mutex_lock(&table->mutex);
    sweep(table, now_ms(), &over);
    tqa_session *session = NULL;
    slot *s = find(table, who, id);
    const bool found = s != NULL;
    if (found && s->is_held) {
        s->is_doomed = true;
    } else if (found) {
        session = take_out(table, s);
    }
    pthread_mutex_unlock(&table->mutex);
    tqa_session_close(session);
    close_all(&over);
    if (!found) {
        refuse_unknown(id, reterr);
    }
    return found;
}

/* A held session may end or be in use on another thread: the listed members are constant. */
void tqd_lock_steps_list(tqd_lock_steps *table, const tqd_identity *who, tqa_writer *list)
{
    const int64_t now = now_ms();
    ended over;
    pthread_mutex_lock(&table->mutex);
    sweep(table, now, &over);
    for (size_t k = 0; k < table->n_slot; k++) {
        const slot *s = &table->slots[k];
        if (s->session == NULL || s->is_doomed || !may_use(s, who)) {
            continue;
        }
        tqa_writer_object(list, NULL);
        tqa_writer_string(list, "id", s->id);
        tqa_writer_string(list, "robot", tqa_session_robot(s->session));
        tqa_writer_string(list, "robot_digest", tqa_session_robot_digest(s->session));
        tqa_writer_count(list, "bytes", s->bytes);
        tqa_writer_integer(list, "expires_in_s",
                           (table->options.idle_ms - (now - s->used_ms)) / 1000);
        tqa_writer_end(list);
    }
    pthread_mutex_unlock(&table->mutex);
    close_all(&over);
}

void tqd_lock_steps_count(tqd_lock_steps *table, tqd_lock_steps_figures *ret)
{
    ended over;
    pthread_mutex_lock(&table->mutex);
    sweep(table, now_ms(), &over);
    *ret = table->figures;
    pthread_mutex_unlock(&table->mutex);
    close_all(&over);
}
