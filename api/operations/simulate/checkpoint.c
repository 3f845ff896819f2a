/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/checkpoint.c - checkpoints of a simulation: the state of its run, and the
 * number of rows. */
#include <string.h>

#include "api/operations/simulate/simulate.h"

/* A checkpoint: this head, the run's own bytes, its events, its points, and the rows unless they
 * are in the spool. The run's bytes hold its state bit by bit, so a resumed run continues with the
 * same bits. */
typedef struct saved_head {
    char magic[8];
    uint64_t n_row, width, grid, n_run, spooled, n_event, n_point;
    double apart; /* s, of its points */
} saved_head;
static const char saved_magic[8] = {'t', 'q', 's', 'i', 'm', '0', '0', '3'};

static size_t saved_size(const tqa_simulation *s)
{
    const size_t rows = s->spooled ? 0 : s->held_max * s->width * sizeof(double);
    const tqa_points *p = &s->judge.points;
    return sizeof(saved_head) + tq_run_save_size(s->run) + sizeof(tq_event[TQA_EVENTS_MAX]) + rows +
           p->most * p->width * sizeof(double);
}

/* bytes of the recorded events */
static size_t events_size(uint64_t n_event)
{
    return (size_t)(n_event < TQA_EVENTS_MAX ? n_event : TQA_EVENTS_MAX) * sizeof(tq_event);
}

static size_t points_size(const tqa_simulation *s, uint64_t n_point)
{
    return (size_t)n_point * s->judge.points.width * sizeof(double);
}

/* one room for all checkpoints of a run */
static unsigned char *room(tqa_simulation *s)
{
    if (s->saved == NULL) {
        s->saved = tqa_tree_take(s->tree, saved_size(s), 1);
    }
    return s->saved;
}

/* a checkpoint may count rows that the spool has lost */
static bool has_rows(tqa_simulation *s, size_t n_row)
{
    s->n_row = n_row;
    if (!s->spooled || tqa_simulation_read_rows(s, n_row - 1, 1, s->rows)) {
        return true;
    }
    s->n_row = 0;
    return false;
}

bool tqa_simulation_load(tqa_simulation *s, uint64_t *ret_grid)
{
    const tqa_host *host = s->tree->host;
    if (host == NULL || host->checkpoint_load == NULL) {
        return false;
    }
    unsigned char *bytes = room(s);
    if (bytes == NULL) {
        return false;
    }
    const size_t n = host->checkpoint_load(host->ctx, bytes, saved_size(s));
    saved_head head;
    if (n < sizeof head) {
        return false;
    }
    memcpy(&head, bytes, sizeof head);
    const size_t row = s->width * sizeof(double);
    const size_t n_rows = s->spooled ? 0 : head.n_row * row;
    if (memcmp(head.magic, saved_magic, sizeof saved_magic) != 0 || head.width != s->width ||
        head.n_row == 0 || head.n_row > s->n_output || head.spooled != s->spooled ||
        head.n_run != tq_run_save_size(s->run) || head.n_point > s->judge.points.most ||
        n != sizeof head + head.n_run + events_size(head.n_event) + points_size(s, head.n_point) +
                 n_rows ||
        !has_rows(s, head.n_row)) {
        return false;
    }
    if (!tq_run_load(s->run, bytes + sizeof head, head.n_run)) {
        s->n_row = 0;
        return false;
    }
    bytes += sizeof head + head.n_run;
    s->watch.n_event = head.n_event;
    memcpy(s->watch.recorded, bytes, events_size(head.n_event));
    bytes += events_size(head.n_event);
    s->judge.points.n = head.n_point;
    s->judge.points.apart = head.apart;
    if (head.n_point > 0) {
        memcpy(s->judge.points.rows, bytes, points_size(s, head.n_point));
        bytes += points_size(s, head.n_point);
    }
    if (!s->spooled) {
        memcpy(s->rows, bytes, n_rows);
        s->n_held = s->n_row;
    }
    *ret_grid = head.grid;
    return true;
}

void tqa_simulation_save(tqa_simulation *s, uint64_t grid)
{
    const tqa_host *host = s->tree->host;
    if (host == NULL || host->checkpoint_save == NULL || !tqa_simulation_flush(s)) {
        return;
    }
    const size_t n_rows = s->spooled ? 0 : s->n_row * s->width * sizeof(double);
    saved_head head = {.n_row = s->n_row,
                       .width = s->width,
                       .grid = grid,
                       .n_run = tq_run_save_size(s->run),
                       .spooled = s->spooled,
                       .n_event = s->watch.n_event,
                       .n_point = s->judge.points.n,
                       .apart = s->judge.points.apart};
    unsigned char *bytes = room(s);
    if (bytes == NULL) {
        return; /* the run goes on; it only starts earlier if it is killed */
    }
    memcpy(head.magic, saved_magic, sizeof saved_magic);
    memcpy(bytes, &head, sizeof head);
    tq_run_save(s->run, bytes + sizeof head);
    size_t n = sizeof head + head.n_run;
    memcpy(bytes + n, s->watch.recorded, events_size(head.n_event));
    n += events_size(head.n_event);
    if (head.n_point > 0) {
        memcpy(bytes + n, s->judge.points.rows, points_size(s, head.n_point));
        n += points_size(s, head.n_point);
    }
    if (n_rows > 0) {
        memcpy(bytes + n, s->rows, n_rows);
    }
    (void)host->checkpoint_save(host->ctx, bytes, n + n_rows);
}
