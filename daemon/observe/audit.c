/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/audit.c - entries wait in a ring; a thread writes and rotates the files. */
#include "daemon/observe/audit.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/codec/writer.h"
#include "daemon/lock.h"
#include "daemon/observe/timestamp.h"

enum { LINE_TEXT = 2560, PATH_TEXT = 4096 + 32 };

bool tqd_audit_init(tqd_audit *audit, const char *folder, uint64_t bytes_max)
{
    memset(audit, 0, sizeof *audit);
    tqd_lock_init(&audit->mutex);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&audit->news, &monotonic);
    pthread_condattr_destroy(&monotonic);
    snprintf(audit->folder, sizeof audit->folder, "%s", folder);
    audit->bytes_max = bytes_max;
    audit->fd = -1;
    audit->ring = calloc(TQD_AUDIT_RING, sizeof *audit->ring);
    return audit->ring != NULL;
}

void tqd_audit_clear(tqd_audit *audit)
{
    if (audit->ring != NULL) {
        free(audit->ring);
        pthread_cond_destroy(&audit->news);
        pthread_mutex_destroy(&audit->mutex);
    }
}

/* Guessed tokens cannot push the writes of others out of the files. The lock is held. */
static bool is_suppressed(tqd_audit *audit, tqd_audit_entry *entry)
{
    if (entry->kind != TQD_AUDIT_REFUSAL) {
        return false;
    }
    if (entry->at_ms / 1000 != audit->second) {
        audit->second = entry->at_ms / 1000;
        audit->n_refusal = 0;
    }
    if (audit->n_refusal == TQD_AUDIT_REFUSALS_S) {
        audit->n_suppressed++;
        return true;
    }
    audit->n_refusal++;
    entry->suppressed = audit->n_suppressed;
    audit->n_suppressed = 0;
    return false;
}

void tqd_audit_put(tqd_audit *audit, const tqd_audit_entry *entry)
{
    tqd_audit_entry stamped = *entry;
    stamped.at_ms = tqd_now_ms();
    stamped.suppressed = 0;
    pthread_mutex_lock(&audit->mutex);
    if (!is_suppressed(audit, &stamped)) {
        if (audit->n_put - audit->n_written == TQD_AUDIT_RING) {
            audit->n_lost++;
        } else {
            audit->ring[audit->n_put++ % TQD_AUDIT_RING] = stamped;
            /* a wake-up for each entry would cost an I/O thread its core */
            if (audit->waiting || audit->n_put - audit->n_written == TQD_AUDIT_RING / 2) {
                audit->waiting = false;
                pthread_cond_signal(&audit->news);
            }
        }
    }
    pthread_mutex_unlock(&audit->mutex);
}

uint64_t tqd_audit_lost(tqd_audit *audit)
{
    pthread_mutex_lock(&audit->mutex);
    const uint64_t n = audit->n_lost;
    pthread_mutex_unlock(&audit->mutex);
    return n;
}

/* --------------------------------------------------------------------------------- the thread */

static bool open_file(tqd_audit *audit)
{
    char path[PATH_TEXT];
    struct stat info;
    snprintf(path, sizeof path, "%s/audit.log", audit->folder);
    audit->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    audit->n_byte = audit->fd >= 0 && fstat(audit->fd, &info) == 0 ? (uint64_t)info.st_size : 0;
    return audit->fd >= 0;
}

/* audit.log.3 becomes audit.log.4, and so on; the oldest file is deleted. */
static void rotate(tqd_audit *audit)
{
    char from[PATH_TEXT];
    char to[PATH_TEXT];
    close(audit->fd);
    audit->fd = -1;
    for (int i = TQD_AUDIT_KEPT; i > 0; i--) {
        snprintf(to, sizeof to, "%s/audit.log.%d", audit->folder, i);
        snprintf(from, sizeof from, i > 1 ? "%s/audit.log.%d" : "%s/audit.log", audit->folder,
                 i - 1);
        (void)rename(from, to); /* a file that does not exist yet is skipped */
    }
}

/* A line is never truncated: with six bytes for each byte of text, all texts together take at most
 * 1,900. */
static void put_line(const tqd_audit_entry *e, tqa_writer *to)
{
    static const char *const kinds[] = {"write", "refusal", "login"};
    char when[TQD_TIMESTAMP_TEXT];
    tqd_timestamp(e->at_ms, when);
    tqa_writer_object(to, NULL);
    tqa_writer_string(to, "time", when);
    tqa_writer_string(to, "kind", kinds[e->kind]);
    tqa_writer_string(to, "client", e->client);
    tqa_writer_string(to, "from", e->peer);
    tqa_writer_string(to, "method", e->method);
    tqa_writer_string(to, "path", e->path);
    tqa_writer_integer(to, "status", e->status);
    tqa_writer_string(to, "request_id", e->request_id);
    if (e->suppressed > 0) {
        tqa_writer_integer(to, "suppressed", (int64_t)e->suppressed);
    }
    tqa_writer_end(to);
    tqa_writer_finish(to);
    assert(!to->text.failed);
}

/* False: the write failed. */
static bool write_entry(tqd_audit *audit, const tqd_audit_entry *entry)
{
    char line[LINE_TEXT];
    tqa_writer to = {.text = {.bytes = line, .capacity = sizeof line, .fixed = true}};
    put_line(entry, &to);
    const size_t n = to.text.n;
    if (audit->fd >= 0 && audit->n_byte + n > audit->bytes_max) {
        rotate(audit);
    }
    if (audit->fd < 0 && !open_file(audit)) {
        return false;
    }
    ssize_t written = 0;
    do {
        written = write(audit->fd, line, n);
    } while (written < 0 && errno == EINTR);
    audit->n_byte += written > 0 ? (uint64_t)written : 0;
    return written == (ssize_t)n;
}

/* Waits for the first entry, then a while for others. The lock is held. */
static void gather(tqd_audit *audit)
{
    while (audit->n_put == audit->n_written && !audit->stopping) {
        audit->waiting = true;
        pthread_cond_wait(&audit->news, &audit->mutex);
    }
    audit->waiting = false;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TQD_AUDIT_GATHER_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (audit->n_put - audit->n_written < TQD_AUDIT_RING / 2 && !audit->stopping &&
           pthread_cond_timedwait(&audit->news, &audit->mutex, &until) == 0) {
    }
}

void tqd_audit_run(void *arg)
{
    tqd_audit *audit = arg;
    pthread_mutex_lock(&audit->mutex);
    for (;;) {
        gather(audit);
        const uint64_t end = audit->n_put;
        if (end == audit->n_written) {
            break;
        }
        while (audit->n_written < end) {
            /* its slot stays taken until n_written has passed it */
            const tqd_audit_entry *entry = &audit->ring[audit->n_written % TQD_AUDIT_RING];
            pthread_mutex_unlock(&audit->mutex);
            const bool good = write_entry(audit, entry);
            pthread_mutex_lock(&audit->mutex);
            audit->n_written++;
            audit->n_lost += good ? 0 : 1;
        }
    }
    pthread_mutex_unlock(&audit->mutex);
    if (audit->fd >= 0) {
        (void)fsync(audit->fd);
        close(audit->fd);
        audit->fd = -1;
    }
}

void tqd_audit_stop(tqd_audit *audit)
{
    pthread_mutex_lock(&audit->mutex);
    audit->stopping = true;
    pthread_cond_signal(&audit->news);
    pthread_mutex_unlock(&audit->mutex);
}
