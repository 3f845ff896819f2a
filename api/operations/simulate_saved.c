/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate_saved.c - checkpoints of a simulation: its rows so far. */
#include <string.h>

#include "api/operations/simulate.h"

/* A checkpoint: this head, then the rows. Rows hold the state bit by bit, so a resumed run goes on
 * with the same bits. */
typedef struct saved_head {
    char magic[8];
    uint64_t n_row, n_column, n_step;
} saved_head;
static const char saved_magic[8] = {'t', 'q', 's', 'i', 'm', '0', '0', '1'};

static size_t saved_size(const tqa_simulation *s)
{
    return sizeof(saved_head) + s->n_output * s->n_column * sizeof(double);
}

/* one room for all checkpoints of a run */
static unsigned char *room(tqa_simulation *s)
{
    if (s->saved == NULL) {
        s->saved = tqa_control_take(s->control, saved_size(s), 1);
    }
    return s->saved;
}

bool tqa_simulation_load(tqa_simulation *simulation)
{
    const tqa_world *world = simulation->control->world;
    if (world == NULL || world->checkpoint_load == NULL) {
        return false;
    }
    unsigned char *bytes = room(simulation);
    if (bytes == NULL) {
        return false;
    }
    const size_t n = world->checkpoint_load(world->ctx, bytes, saved_size(simulation));
    saved_head head;
    if (n < sizeof head) {
        return false;
    }
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, saved_magic, sizeof saved_magic) != 0 ||
        head.n_column != simulation->n_column || head.n_row == 0 ||
        head.n_row > simulation->n_output ||
        n != sizeof head + head.n_row * head.n_column * sizeof(double)) {
        return false;
    }
    simulation->n_row = head.n_row;
    simulation->n_step = head.n_step;
    memcpy(simulation->rows, bytes + sizeof head, n - sizeof head);
    return true;
}

void tqa_simulation_save(tqa_simulation *simulation)
{
    const tqa_world *world = simulation->control->world;
    if (world == NULL || world->checkpoint_save == NULL) {
        return;
    }
    const size_t n_rows = simulation->n_row * simulation->n_column * sizeof(double);
    const saved_head head = {
        .n_row = simulation->n_row, .n_column = simulation->n_column, .n_step = simulation->n_step};
    unsigned char *bytes = room(simulation);
    if (bytes == NULL) {
        return; /* the run goes on; it only starts earlier if it is killed */
    }
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes, saved_magic, sizeof saved_magic);
    memcpy(bytes + sizeof head, simulation->rows, n_rows);
    (void)world->checkpoint_save(world->ctx, bytes, sizeof head + n_rows);
}
