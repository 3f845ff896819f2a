/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/shares/quotas.c - 429 where waiting helps, 403 where the client must delete
 * something. */
#include "daemon/jobs/shares/quotas.h"

#include <math.h>

#include "daemon/http/answer.h"
#include "daemon/jobs/jobs_private.h"
#include "daemon/share.h"

enum { BEGUN_S = 5, HOUR_S = 3600 };

/* share.h as a bound on a client's own jobs, whose number is not known here; at least 1 */
static uint64_t queued_share(const tqd_jobs *jobs)
{
    const uint64_t all = jobs->options.queued_max;
    const uint64_t alone = jobs->options.client_queued_max;
    const uint64_t queued = (uint64_t)atomic_load(&jobs->n_waiting);
    const uint64_t most = tqd_share_of_free(all, alone, queued < all ? all - queued : 0);
    return most > 0 ? most : 1;
}

void tqd_quotas_set(const tqd_jobs *jobs, const tqd_identity *who, tqd_job_submit *submit)
{
    const tqd_jobs_options *options = &jobs->options;
    /* where all clients are one, the bound of all is that of one */
    const bool has_name = who != NULL && who->client[0] != '\0';
    submit->queued_max = options->queued_max;
    submit->bytes_max = options->bytes_max;
    submit->client_queued_max = !has_name               ? 0
                                : who->limits.jobs != 0 ? who->limits.jobs
                                                        : queued_share(jobs);
    submit->client_bytes_max = has_name ? options->client_bytes_max : 0;
    submit->own_jobs_max = has_name ? who->limits.kept : 0;
    submit->own_bytes_max = has_name ? who->limits.bytes : 0;
}

void tqd_quotas_count(tqd_jobs *jobs, const tqd_job_submit *submit)
{
    atomic_fetch_add(&jobs->n_waiting, submit->repeated ? 0 : 1);
}

bool tqd_quotas_refuse_spent(tqd_jobs *jobs, const tqd_identity *who, const char *request_id,
                             tqd_reply *reply)
{
    const uint64_t most = who != NULL ? who->limits.cpu_s : 0;
    const double wait_s = most != 0 ? tqd_jobs_spent_wait(jobs, who->client, most) : 0.0;
    if (wait_s <= 0.0) {
        return false;
    }
    tqa_problem problem;
    tqa_problem_set(&problem, "too-many-requests",
                    "jobs of \"%s\" have taken the %llu s an hour that cpu_s= of its token admits "
                    "to: try again later",
                    who->client, (unsigned long long)most);
    problem.retry_after_s = (unsigned)fmin(ceil(wait_s), 1e9);
    tqd_answer_problem(reply, request_id, &problem);
    tqd_answer_header(reply, "RateLimit-Policy", "\"cpu_s\";q=%llu;w=%d", (unsigned long long)most,
                      (int)HOUR_S);
    tqd_answer_header(reply, "RateLimit", "\"cpu_s\";r=0;t=%u", problem.retry_after_s);
    return true;
}

static void refuse_queued(const tqd_job_submit *submit, const tqd_identity *who,
                          const char *request_id, tqd_reply *reply)
{
    tqa_problem problem;
    if (submit->client_bytes_full) {
        tqa_problem_set(
            &problem, "too-many-requests",
            "waiting jobs of \"%s\" have %llu bytes, %llu more exceed its share of what "
            "is free (settings: jobs_bytes, client_share): try again when some have "
            "begun",
            submit->client, (unsigned long long)submit->own_bytes,
            (unsigned long long)submit->request.size);
    } else {
        tqa_problem_set(&problem, "too-many-requests",
                        "%llu jobs of \"%s\" wait already (%s): try again when some have begun",
                        (unsigned long long)submit->client_queued_max, submit->client,
                        who->limits.jobs != 0 ? "jobs= of its token" : "setting: client_share");
    }
    problem.retry_after_s = BEGUN_S;
    tqd_answer_problem(reply, request_id, &problem);
}

void tqd_quotas_refuse(const tqd_job_submit *submit, const tqd_identity *who,
                       const char *request_id, tqd_reply *reply)
{
    const bool is_by_jobs = submit->own_jobs_max != 0 && submit->own_jobs >= submit->own_jobs_max;
    const uint64_t most = is_by_jobs ? submit->own_jobs_max : submit->own_bytes_max;
    const uint64_t now = is_by_jobs ? submit->own_jobs : submit->own_bytes;
    tqa_problem problem;
    if (submit->client_full) {
        refuse_queued(submit, who, request_id, reply);
        return;
    }
    if (is_by_jobs) {
        tqa_problem_set(&problem, "forbidden",
                        "\"%s\" keeps %llu jobs of the %llu of kept= of its token: delete some "
                        "that have finished (DELETE /v1/jobs)",
                        submit->client, (unsigned long long)now, (unsigned long long)most);
    } else {
        tqa_problem_set(&problem, "forbidden",
                        "\"%s\" keeps %llu bytes, with these %llu it would be more than the %llu "
                        "of bytes= of its token: delete datasets or jobs first",
                        submit->client, (unsigned long long)now,
                        (unsigned long long)submit->request.size, (unsigned long long)most);
    }
    tqd_answer_problem(reply, request_id, &problem);
    tqd_answer_quota(reply, is_by_jobs ? "kept" : "bytes", most, most > now ? most - now : 0);
}
