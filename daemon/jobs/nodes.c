/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/nodes.c - GET /v1/nodes: the daemons that run jobs of this store. */
#include <stdio.h>
#include <string.h>

#include "api/version.h"
#include "daemon/http/answer.h"
#include "daemon/http/document.h"
#include "daemon/jobs/exchange.h"
#include "daemon/jobs/jobs_private.h"

void tqd_jobs_beat_node(tqd_jobs *jobs)
{
    tqd_node node = {.n_runner = (uint32_t)jobs->options.n_runner};
    const unsigned n = atomic_load(&jobs->n_started);
    for (unsigned i = 0; i < n; i++) {
        pthread_mutex_lock(&jobs->runners[i].mutex);
        node.n_running += jobs->runners[i].busy ? 1 : 0;
        pthread_mutex_unlock(&jobs->runners[i].mutex);
    }
    snprintf(node.name, sizeof node.name, "%s", jobs->node);
    snprintf(node.version, sizeof node.version, "%s", TQA_VERSION);
    /* those that matter report a failure */
    (void)tqd_store_node_beat(jobs->options.store, &node,
                              tqd_event_hub_now_ms() - jobs->started_ms);
}

static int add_node(void *ctx, const tqd_node *node)
{
    tqa_writer *document = ctx;
    tqa_writer_object(document, NULL);
    tqa_writer_string(document, "name", node->name);
    tqa_writer_string(document, "version", node->version);
    tqd_document_time(document, "since", node->since_ms);
    tqd_document_time(document, "seen", node->seen_ms);
    tqa_writer_count(document, "running", node->n_running);
    tqa_writer_count(document, "runners", node->n_runner);
    tqa_writer_end(document);
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

const tqd_handler tqd_nodes_handler = TQD_JOB_HANDLER(nodes_run);
