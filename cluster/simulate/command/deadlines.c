#include "cluster/simulate/command/deadlines.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"
#include "cli/options/control.h"

/* The deadlines of the utilities, by which the jobs are judged. */
static enum br_status set_by_utility(const struct cli_control_settings *options,
                                     struct br_workload *workload, struct br_diag *diag)
{
    const char *other = options->deadlines ? "--deadlines"
                        : options->changes ? "--move-deadlines"
                                           : NULL;
    if (other)
        return br_fail(diag, BR_USAGE, "leave out one of them",
                       "a --utility has its deadline, so %s goes without", other);
    struct br_utility *utility = calloc((size_t)workload->jobs + 1, sizeof *utility);
    enum br_status status =
        utility ? cli_utilities_read(options->utility, utility, workload->jobs, diag)
                : br_fail_memory(diag);
    for (uint32_t j = 0; j < workload->jobs && !status; j++)
        workload->job[j].deadline_ns =
            workload->job[j].arrival_ns + br_real_whole(br_utility_deadline(&utility[j]) * 1e9);
    free(utility);
    return status;
}

enum br_status cli_deadlines_set(const struct cli_control_settings *options,
                                 struct br_workload *workload, struct br_diag *diag)
{
    const char *list = options->deadlines;
    struct br_list_entry entry;
    int64_t first_ns = 0;
    uint32_t count = 0;
    if (options->utility)
        return set_by_utility(options, workload, diag);
    if (!list)
        return BR_OK;
    for (; br_list_next(BR_LIST_NUMBER, &list, &entry); count++) {
        int64_t ns = br_real_whole(entry.value * 1e9);
        first_ns = count ? first_ns : ns;
        if (count < workload->jobs)
            workload->job[count].deadline_ns = workload->job[count].arrival_ns + ns;
    }
    if (count != 1 && count != workload->jobs)
        return br_fail(diag, BR_USAGE, "give one for all jobs, or one for each by arrival",
                       "--deadlines names %u times, and there are %u jobs", count, workload->jobs);
    for (uint32_t j = 1; j < workload->jobs && count == 1; j++)
        workload->job[j].deadline_ns = workload->job[j].arrival_ns + first_ns;
    return BR_OK;
}

static enum br_status keep_utilities(const char *text, struct cli_deadlines *deadlines,
                                     struct br_diag *diag)
{
    uint32_t jobs = deadlines->workload->jobs;
    struct br_utility *utility = br_arena_array(&deadlines->arena, jobs, sizeof *utility);
    deadlines->settings.utility = utility;
    return utility ? cli_utilities_read(text, utility, jobs, diag) : br_fail_memory(diag);
}

/* The list of "AFTER:DEADLINE", seconds after a job's arrival. */
static enum br_status read_changes(const char *list, struct cli_deadlines *deadlines,
                                   struct br_diag *diag)
{
    struct br_list_entry entry;
    struct br_deadline_change *change =
        br_arena_array(&deadlines->arena, br_list_count(list), sizeof *change);
    if (!change)
        return br_fail_memory(diag);
    deadlines->settings.change = change;
    for (; br_list_next(BR_LIST_PAIR, &list, &entry); change++) {
        *change = (struct br_deadline_change){.after_ns = br_real_whole(entry.value * 1e9),
                                              .deadline_ns = br_real_whole(entry.second * 1e9)};
        if (change->deadline_ns <= change->after_ns)
            return br_fail(diag, BR_USAGE, "give a later one",
                           "--move-deadlines '%.*s' moves a deadline into the past",
                           entry.length < 60 ? (int)entry.length : 60, entry.name);
        deadlines->settings.changes++;
    }
    return BR_OK;
}

/* The dag, if any, to which the table belongs; more than one if dags are equal. */
static bool deadlines_assign(struct cli_deadlines *deadlines, const struct br_deadline_table *table,
                             struct br_diag *diag)
{
    const struct br_workload *workload = deadlines->workload;
    bool any = false;
    for (uint32_t d = 0; d < workload->dags; d++)
        if (!br_table_check_job(table, workload->dag[d].dag, NULL, diag)) {
            deadlines->of[d] = table;
            any = true;
        }
    return any;
}

static enum br_status deadlines_open_tables(const char *list, const struct br_cluster *cluster,
                                            struct cli_deadlines *deadlines, struct br_diag *diag)
{
    struct br_list_entry entry;
    deadlines->file =
        br_arena_array(&deadlines->arena, br_list_count(list), sizeof *deadlines->file);
    if (!deadlines->file)
        return br_fail_memory(diag);
    while (br_list_next(BR_LIST_WORD, &list, &entry)) {
        char *path = br_arena_array(&deadlines->arena, entry.length + 1, 1);
        if (!path)
            return br_fail_memory(diag);
        memcpy(path, entry.name, entry.length);
        struct br_deadline_table *table = &deadlines->file[deadlines->files];
        enum br_status status = br_table_open(path, table, diag);
        if (status)
            return status;
        deadlines->files++;
        if (deadlines->files > 1 && table->kind != deadlines->settings.kind)
            return br_fail(diag, BR_BAD_INPUT, "make all with --tokens, or none",
                           "%.80s: some tables have tokens as allocations, and others shares",
                           path);
        deadlines->settings.kind = table->kind;
        if (cluster && table->kind == BR_SHARES &&
            table->cluster_fingerprint != br_cluster_fingerprint(cluster))
            return br_fail(
                diag, BR_BAD_INPUT, "make a table for this cluster by 'bigrocks deadline'",
                "%.80s: its shares are of another cluster ('%.60s')", path, table->cluster);
        if (!deadlines_assign(deadlines, table, diag))
            return br_fail(diag, BR_BAD_INPUT, "make one of a job of the workload",
                           "%.80s: a table of job '%.60s', which the workload does not have", path,
                           table->job);
    }
    return BR_OK;
}

static const struct br_deadline_table *table_of(void *context, uint32_t dag, struct br_diag *diag)
{
    const struct cli_deadlines *deadlines = context;
    (void)diag; /* the tables of jobs with a deadline exist */
    return deadlines->of[dag];
}

static enum br_status deadlines_make_table(struct cli_deadlines *deadlines, uint32_t dag,
                                           const struct br_deadline_request *like,
                                           struct br_diag *diag)
{
    struct br_deadline_request request = *like;
    struct br_deadline_profile profile = {0};
    struct br_made_table *made = &deadlines->made[dag];
    request.dag = deadlines->workload->dag[dag].dag;
    request.profile = &profile;
    enum br_status status = br_profile_init(&profile, request.dag, diag);
    if (!status)
        status = br_deadline_make(&request, made, diag);
    br_profile_finish(&profile);
    deadlines->of[dag] = &made->table;
    return status;
}

/* Every job with a deadline gets its table. */
static enum br_status complete(struct cli_deadlines *deadlines,
                               const struct br_deadline_request *like, struct br_diag *diag)
{
    const struct br_workload *workload = deadlines->workload;
    enum br_status status = BR_OK;
    bool any = false;
    deadlines->made = br_arena_array(&deadlines->arena, workload->dags, sizeof *deadlines->made);
    if (!deadlines->made)
        return br_fail_memory(diag);
    for (uint32_t j = 0; j < workload->jobs && !status; j++) {
        if (workload->job[j].deadline_ns == BR_NEVER)
            continue;
        any = true;
        if (!deadlines->of[workload->job[j].dag])
            status = deadlines_make_table(deadlines, workload->job[j].dag, like, diag);
    }
    return any || status
               ? status
               : br_fail(diag, BR_USAGE, "add --deadlines SECONDS", "no job has a deadline");
}

enum br_status cli_deadlines_open(const struct cli_control_settings *options,
                                  const struct br_workload *workload,
                                  const struct br_cluster *cluster, const struct br_world *world,
                                  uint32_t threads, const struct br_stop *stop,
                                  struct cli_deadlines *deadlines, struct br_diag *diag)
{
    struct br_deadline_request like = br_deadline_request_default();
    *deadlines = (struct cli_deadlines){.workload = workload};
    deadlines->settings.table = table_of;
    deadlines->settings.context = deadlines;
    deadlines->settings.spare = options->spare;
    deadlines->settings.evict = options->evict;
    deadlines->of = br_arena_array(&deadlines->arena, workload->dags, sizeof(void *));
    if (!deadlines->of)
        return br_fail_memory(diag);
    enum br_status status = cli_control_read(options, &deadlines->settings.control, diag);
    if (!status && options->utility)
        status = keep_utilities(options->utility, deadlines, diag);
    if (!status && options->changes)
        status = read_changes(options->changes, deadlines, diag);
    if (!status && options->tables)
        status = deadlines_open_tables(options->tables, cluster, deadlines, diag);
    if (!status && options->evict && deadlines->settings.kind == BR_SHARES)
        return br_fail(diag, BR_USAGE, "leave it out, or give tables of tokens",
                       "--evict-spare is for tokens, and these tables have shares");
    like.kind = deadlines->settings.kind;
    like.cluster = like.kind == BR_SHARES ? cluster : NULL;
    if (like.kind == BR_SHARES && deadlines->settings.control.most > 100)
        deadlines->settings.control.most = 100;
    deadlines->settings.total = deadlines->settings.control.most;
    like.most = deadlines->settings.control.most;
    like.most = like.most > BR_TABLE_ALLOCATIONS ? BR_TABLE_ALLOCATIONS : like.most;
    like.fail = world->fail;
    like.straggle = world->straggle;
    like.slowness = world->slowness;
    like.threads = threads;
    like.stop = stop;
    return status ? status : complete(deadlines, &like, diag);
}

void cli_deadlines_finish(struct cli_deadlines *deadlines)
{
    for (uint32_t k = 0; k < deadlines->files; k++)
        br_table_close(&deadlines->file[k]);
    for (uint32_t d = 0; deadlines->made && d < deadlines->workload->dags; d++)
        br_deadline_release(&deadlines->made[d]);
    br_arena_finish(&deadlines->arena);
    *deadlines = (struct cli_deadlines){0};
}
