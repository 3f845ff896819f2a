/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/session/save.c - the state of a session between two recordings, as bytes. */
#include <string.h>

#include "core/identify/session/session_private.h"

/* Layout: head, decisions, samples of passes, the fit, its solution, the bias, sums of the pass. */
typedef struct head {
    char magic[8];
    uint64_t size, fingerprint,
        checksum; /* checksum of all bytes; size of the session; size of the bytes after the head */
} head;
static const char magic[8] = {'t', 'q', 'i', 'd', 'e', 'n', 't', '5'};

/* Triangles are saved while a pass has filled a part of them, and for the leave-one-out fits of the
 * validation. */
static size_t experiments_of(const tq_session_now *now, size_t n_fitted)
{
    return now->pass == TQ_IDENTIFY_PASS_FIT        ? now->recording
           : now->pass == TQ_IDENTIFY_PASS_VALIDATE ? n_fitted
                                                    : 0;
}

static void archive_decisions(tq_identify *id, tq_session_now *now, tq_archive *archive)
{
    tq_archive_bytes(archive, now, sizeof *now);
    tq_archive_bytes(archive, id->pushed, id->options.n_recording * sizeof *id->pushed);
    tq_archive_bytes(archive, id->fitted, id->options.n_recording * sizeof *id->fitted);
}

/* all parts after the decisions and the fit; false: too little memory */
static bool archive_rest(tq_identify *id, tq_archive *archive)
{
    const tq_session_now *now = &id->now;
    if (now->pass == TQ_IDENTIFY_PASS_VALIDATE &&
        !tq_fit_solution_archive(id->fit, &id->memory[TQ_IDENTIFY_OF_SOLUTION],
                                 &id->result.solution, archive)) {
        return false;
    }
    if (now->has_bias) {
        tq_archive_doubles(archive, id->bias, id->result.n_column);
        tq_session_show_bias(id);
    }
    if (now->pass == TQ_IDENTIFY_PASS_ALIGN) {
        tq_archive_bytes(archive, id->aligns, id->nv * sizeof *id->aligns);
    }
    return true;
}

static void archive_all(tq_identify *id, tq_archive *archive)
{
    archive_decisions(id, &id->now, archive);
    tq_fit_archive(id->fit, experiments_of(&id->now, id->options.n_fitted), archive);
    (void)archive_rest(id, archive);
    if (id->now.pass == TQ_IDENTIFY_PASS_VALIDATE) {
        tq_session_validation_archive(id, archive);
    }
}

size_t tq_identify_save_size(tq_identify *id)
{
    const tq_identify_pass pass = id->now.pass;
    if (!id->is_reading ||
        (pass != TQ_IDENTIFY_PASS_ALIGN && pass != TQ_IDENTIFY_PASS_FIT &&
         pass != TQ_IDENTIFY_PASS_VALIDATE) ||
        id->measured != NULL) { /* output error begins again from the fit before */
        return 0;
    }
    tq_archive archive = {.mode = TQ_ARCHIVE_COUNT};
    archive_all(id, &archive);
    return sizeof(head) + archive.at;
}

void tq_identify_save(tq_identify *id, unsigned char *ret_bytes, size_t size)
{
    head top = {.size = size, .fingerprint = id->fingerprint};
    tq_archive archive = {
        .mode = TQ_ARCHIVE_WRITE, .bytes = ret_bytes + sizeof top, .size = size - sizeof top};
    memcpy(top.magic, magic, sizeof magic);
    archive_all(id, &archive);
    top.checksum = tq_archive_checksum(archive.bytes, archive.size);
    memcpy(ret_bytes, &top, sizeof top);
}

bool tq_identify_load(tq_identify *id, unsigned char *bytes, size_t size)
{
    head top;
    if (size < sizeof top) {
        return false;
    }
    memcpy(&top, bytes, sizeof top);
    tq_archive archive = {
        .mode = TQ_ARCHIVE_READ, .bytes = bytes + sizeof top, .size = size - sizeof top};
    if (memcmp(top.magic, magic, sizeof magic) != 0 || top.size != size ||
        top.fingerprint != id->fingerprint ||
        top.checksum != tq_archive_checksum(archive.bytes, archive.size)) {
        return false;
    }
    id->saved = archive;
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Resuming: the fit is built once more, then its state replaced by what was saved.
 */

tq_status tq_session_resume(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    archive_decisions(id, &id->resumed, &id->saved);
    id->now = id->resumed;
    id->now.pass = TQ_IDENTIFY_PASS_NONE;
    id->now.state = TQ_SESSION_BUILD;
    id->now.after_build = TQ_SESSION_RESUME_FIT;
    return TQ_OK;
}

tq_status tq_session_resume_fit(tq_identify *id, tq_error *reterr)
{
    (void)reterr;
    const tq_session_now *saved = &id->resumed;
    tq_fit_archive(id->fit, experiments_of(saved, id->options.n_fitted), &id->saved);
    if (saved->pass == TQ_IDENTIFY_PASS_VALIDATE) {
        tq_session_need(id, TQ_IDENTIFY_OF_SOLUTION, tq_fit_solution_size(id->fit));
        tq_session_need(id, TQ_IDENTIFY_OF_VALIDATION, tq_session_validation_size(id));
    } else if (saved->pass == TQ_IDENTIFY_PASS_FIT) {
        tq_session_need(id, TQ_IDENTIFY_OF_SOLUTION, tq_fit_solution_size(id->fit));
        tq_session_need(id, TQ_IDENTIFY_OF_STREAM, tq_fit_stream_size(id->fit));
        tq_session_need(id, TQ_IDENTIFY_OF_SOLVER, tq_fit_solve_size(id->fit));
    }
    if (saved->has_bias) {
        tq_session_need(id, TQ_IDENTIFY_OF_BIAS,
                        tq_scratch_cost(id->result.n_column + 1, sizeof(double)));
    }
    id->now.state = TQ_SESSION_RESUME_REST;
    return TQ_OK;
}

tq_status tq_session_resume_rest(tq_identify *id, tq_error *reterr)
{
    id->now = id->resumed;
    tq_status status = TQ_OK;
    if (id->now.has_bias) {
        id->bias = tq_scratch_take(&id->memory[TQ_IDENTIFY_OF_BIAS], id->result.n_column + 1,
                                   sizeof *id->bias);
        status = id->bias != NULL ? TQ_OK : tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, 0.0);
    }
    if (status == TQ_OK && !archive_rest(id, &id->saved)) {
        status = tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, 0.0);
    }
    if (status == TQ_OK && id->now.pass == TQ_IDENTIFY_PASS_VALIDATE) {
        status = tq_session_validation_begin(id, reterr);
    }
    if (status == TQ_OK && id->now.pass == TQ_IDENTIFY_PASS_VALIDATE) {
        tq_session_validation_archive(id, &id->saved);
    }
    if (status == TQ_OK && (id->saved.is_bad || id->saved.at != id->saved.size)) {
        status = tq_fail(reterr, TQ_ERR_SHAPE, "saved", 0, (double)id->saved.at);
    }
    return status;
}
