#include "cli/inputs/job_table.h"

#include <assert.h>
#include <stdlib.h>

#include "cli/inputs/load.h"
#include "planner/instance/instance.h"

/* Tasks simulated for a job that waits to run, which takes seconds; more if the least number of
 * runs needs more. */
enum { TASKS_RUN = 20000000, RUNS_LEAST = 60, RUNS_MOST = 1000, SOON = 10 };

/* Attempts of a stage from which its own share of failures is taken, else that of the job. */
enum { ATTEMPTS_TELL = 20 };
/* A share above that would let no table end. */
static const double fail_most = 0.9;

static double share_of(uint64_t part, uint64_t all)
{
    double share = all ? (double)part / (double)all : 0;
    return share < fail_most ? share : fail_most;
}

/* How often attempts have failed, at first and again, if the history knows of any. */
static enum br_status take_attempts(struct br_history *history, struct br_deadline_profile *profile,
                                    struct br_diag *diag)
{
    const struct br_dag *dag = profile->dag;
    struct br_history_attempts all = {0}, *own = calloc(dag->stages, sizeof *own);
    enum br_status status = own ? BR_OK : br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++) {
        status = br_history_attempts(history, dag->stage[s].id, &own[s], diag);
        all.ended += own[s].ended;
        all.lost += own[s].lost;
        all.lost_first += own[s].lost_first;
    }
    for (uint32_t s = 0; s < dag->stages && !status && all.lost; s++) {
        const struct br_history_attempts *of = own[s].ended < ATTEMPTS_TELL ? &all : &own[s];
        const struct br_history_attempts *again = own[s].lost < ATTEMPTS_TELL ? &all : &own[s];
        profile->stage[s].fail = share_of(of->lost_first, of->ended);
        profile->stage[s].fail_again = share_of(again->lost - again->lost_first, again->lost);
    }
    free(own);
    return status;
}

enum br_status cli_profile_history(const char *path, struct br_deadline_profile *profile,
                                   bool quiet, uint32_t *known, struct br_diag *diag)
{
    const struct br_dag *dag = profile->dag;
    struct br_history *history;
    *known = 0;
    enum br_status status = cli_open_history(path, dag, quiet, &history, diag);
    if (status)
        return status;
    if (!status)
        status = take_attempts(history, profile, diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++) {
        if (dag->stage[s].by_hand)
            continue;
        int64_t *wall_ns;
        uint32_t samples;
        status = br_history_durations(history, dag->stage[s].id, &wall_ns, &samples, diag);
        if (!status && samples) {
            ++*known;
            status = br_profile_measured(profile, s, wall_ns, samples, diag);
        }
        free(wall_ns);
    }
    br_history_close(history, NULL);
    return status;
}

enum br_status cli_tasks_at_once(const struct br_dag *dag, const struct br_cluster *cluster,
                                 uint32_t *most, struct br_diag *diag)
{
    struct br_instance *instance;
    enum br_status status = br_instance_create(dag, cluster, &instance, diag);
    *most = 0;
    if (status)
        return status;
    for (uint32_t s = 0; s < dag->stages; s++) {
        int64_t held = UINT32_MAX;
        for (uint32_t r = 0; r < instance->resources; r++) {
            int64_t demand = instance->demand[(size_t)s * instance->resources + r];
            if (demand > 0 && instance->total[r] / demand < held)
                held = instance->total[r] / demand;
        }
        if (held > *most)
            *most = (uint32_t)held;
    }
    br_instance_destroy(instance);
    return BR_OK;
}

static bool job_table_lasts(const struct br_dag *dag)
{
    for (uint32_t t = 0; t < dag->tasks; t++)
        if (dag->duration_ns[t] > 0)
            return true;
    return false;
}

enum br_status cli_job_table_make(const struct cli_job_to_run *job, const struct br_stop *stop,
                                  struct br_made_table *made, struct br_diag *diag)
{
    struct br_deadline_request request = br_deadline_request_default();
    struct br_deadline_profile profile = {0};
    uint32_t known = 0;
    *made = (struct br_made_table){0};
    enum br_status status = br_profile_init(&profile, job->dag, diag);
    if (!status && job->history)
        status = cli_profile_history(job->history, &profile, true, &known, diag);
    if (!status && !known && !job_table_lasts(job->dag))
        status = br_fail(diag, BR_BAD_INPUT, "give its stages durations, or add --history FILE",
                         "nothing says how long the tasks of job '%.80s' last, so neither when it "
                         "ends",
                         br_dag_name(job->dag));
    for (uint32_t s = 0; !status && job->spread && s < job->dag->stages; s++)
        if (job->spread[s] >= 0)
            profile.stage[s].spread = job->spread[s];
    request.dag = job->dag;
    request.profile = &profile;
    request.cluster = job->cluster;
    request.kind = job->kind;
    request.within = job->kind == BR_TOKENS;
    request.most = job->most < BR_TABLE_ALLOCATIONS ? job->most : BR_TABLE_ALLOCATIONS;
    request.threads = job->threads;
    request.stop = stop;
    assert(request.most > 0);
    const uint32_t part = job->soon ? SOON : 1, runs_most = RUNS_MOST / part;
    uint64_t runs = TASKS_RUN / part / ((uint64_t)job->dag->tasks * request.most);
    request.runs = runs < RUNS_LEAST ? RUNS_LEAST : runs < runs_most ? (uint32_t)runs : runs_most;
    if (!status)
        status = br_deadline_make(&request, made, diag);
    br_profile_finish(&profile);
    return status;
}
