/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/nodes.c - /v1/nodes: the daemons that run jobs of this store, and whether they are
 * drained. */
#include <stdio.h>
#include <string.h>

#include "api/version.h"
#include "daemon/http/answer.h"
#include "daemon/http/bearer.h"
#include "daemon/http/document.h"
#include "daemon/jobs/exchange.h"
#include "daemon/jobs/handlers.h"
#include "daemon/jobs/jobs_private.h"
#include "daemon/observe/log.h"
#include "daemon/observe/resident.h"

static void look_for_drain(tqd_jobs *jobs)
{
    bool drained = false;
    if (tqd_store_node_drained(jobs->options.store, jobs->node, &drained) != TQD_STORE_OK ||
        atomic_exchange(&jobs->drained, drained) == drained) {
        return;
    }
    tqd_log(TQD_LOG_WARNING,
            drained ? "this node is drained: it takes no jobs until it is resumed"
                    : "this node is resumed",
            TQD_TEXT("node", jobs->node));
    if (!drained) {
        tqd_jobs_follow(jobs, true); /* jobs that wait in the queue */
        tqd_jobs_parts_opened(jobs);
    }
}

typedef struct list {
    size_t n;
    tqd_node nodes[TQD_NODES_MAX];
} list;

static int list_node(void *ctx, const tqd_node *node)
{
    list *l = ctx;
    l->nodes[l->n++] = *node;
    return l->n == TQD_NODES_MAX;
}

void tqd_jobs_beat_node(tqd_jobs *jobs)
{
    tqd_node node = {.n_runner = (uint32_t)jobs->options.n_runner,
                     .n_lane = tqa_lane_width(),
                     .memory_bytes = tqd_resident_bytes()};
    list l = {.n = 0};
    look_for_drain(jobs);
    const unsigned n = atomic_load(&jobs->n_started);
    for (unsigned i = 0; i < n; i++) {
        pthread_mutex_lock(&jobs->runners[i].mutex);
        node.n_running += jobs->runners[i].busy ? 1 : 0;
        pthread_mutex_unlock(&jobs->runners[i].mutex);
    }
    snprintf(node.name, sizeof node.name, "%s", jobs->node);
    snprintf(node.version, sizeof node.version, "%s", TQA_VERSION);
    /* a failure here is reported by other accesses */
    (void)tqd_store_node_beat(jobs->options.store, &node,
                              tqd_event_hub_now_ms() - jobs->started_ms);
    if (tqd_store_nodes(jobs->options.store, list_node, &l) == TQD_STORE_OK) {
        pthread_mutex_lock(&jobs->mutex);
        jobs->n_node = l.n;
        memcpy(jobs->nodes, l.nodes, l.n * sizeof l.nodes[0]);
        pthread_mutex_unlock(&jobs->mutex);
    }
}

static void put_node(tqa_writer *document, const tqd_node *node)
{
    tqa_writer_object(document, NULL);
    tqa_writer_string(document, "name", node->name);
    tqa_writer_string(document, "version", node->version);
    tqa_writer_string(document, "state", node->drained ? "drained" : "active");
    tqd_document_time(document, "since", node->since_ms);
    tqd_document_time(document, "seen", node->seen_ms);
    tqa_writer_count(document, "running", node->n_running);
    tqa_writer_count(document, "runners", node->n_runner);
    if (node->n_lane > 0) { /* a daemon of an earlier version does not report it */
        tqa_writer_count(document, "lane_width", node->n_lane);
        tqa_writer_count(document, "memory_bytes", node->memory_bytes);
    }
    tqa_writer_end(document);
}

static int add_node(void *ctx, const tqd_node *node)
{
    tqa_writer *document = ctx;
    put_node(document, node);
    return document->text.failed;
}

static void nodes_run(void *arg)
{
    tqd_job_exchange *e = arg;
    tqa_writer text = {.cbor = false};
    tqd_document_list(&text, "nodes");
    const tqd_store_status status = tqd_store_nodes(tqd_jobs_store(e->jobs), add_node, &text);
    tqd_document_list_end(&text);
    if (tqd_document_answer(&e->answer, e->head->request_id, 200, &text) &&
        status != TQD_STORE_OK) {
        tqd_job_refuse_store(e, status);
    }
}

/* --------------------------------------- POST /v1/nodes/{name}/drain, and .../resume */

typedef struct wanted {
    const char *name;
    bool found;
    tqd_node node;
} wanted;

static int find_node(void *ctx, const tqd_node *node)
{
    wanted *w = ctx;
    w->found = strcmp(node->name, w->name) == 0;
    w->node = *node;
    return w->found;
}

static tqd_store_status find(tqd_job_exchange *e, wanted *w)
{
    *w = (wanted){.name = e->head->part[0]};
    const tqd_store_status status = tqd_store_nodes(tqd_jobs_store(e->jobs), find_node, w);
    return status == TQD_STORE_OK && !w->found ? TQD_STORE_NOT_FOUND : status;
}

static void change(tqd_job_exchange *e, bool drained)
{
    wanted w;
    tqd_node_drain write = {
        .write = {.kind = TQD_WRITE_NODE_DRAIN}, .name = e->head->part[0], .drained = drained};
    tqd_store_status status = find(e, &w);
    if (status == TQD_STORE_NOT_FOUND) {
        tqa_problem problem;
        tqa_problem_set(&problem, "not-found",
                        "no node \"%s\" has been here within a day: GET /v1/nodes lists them",
                        write.name);
        tqd_job_refuse(e, &problem);
        return;
    }
    if (status == TQD_STORE_OK) {
        status = tqd_store_write(tqd_jobs_store(e->jobs), &write.write);
    }
    if (status == TQD_STORE_OK) {
        tqd_jobs_nodes_changed(e->jobs);
        status = find(e, &w);
    }
    if (status != TQD_STORE_OK) {
        tqd_job_refuse_store(e, status);
        return;
    }
    tqa_writer text = {.cbor = false};
    put_node(&text, &w.node);
    (void)tqd_document_answer(&e->answer, e->head->request_id, 200, &text);
}

static void drain_run(void *arg)
{
    change(arg, true);
}

static void resume_run(void *arg)
{
    change(arg, false);
}

#define NODE_HANDLER(run_function)                                                                 \
    {                                                                                              \
        .role = TQD_ROLE_ADMIN, .open = tqd_job_exchange_open, .finish = tqd_always_run,           \
        .run = (run_function), .reply = tqd_job_exchange_reply, .close = tqd_job_exchange_close    \
    }

const tqd_handler tqd_nodes_handler = TQD_JOB_HANDLER(nodes_run);
const tqd_handler tqd_node_drain_handler = NODE_HANDLER(drain_run);
const tqd_handler tqd_node_resume_handler = NODE_HANDLER(resume_run);
