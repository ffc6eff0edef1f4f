/* A batch job for every task.
 *
 * State that has to survive the death of this program is elsewhere: Slurm knows its jobs by name,
 * which says the run and the task, and a script ends by putting its result into a file under its
 * final name. So a task is done if there is a result, is under way if Slurm has its job, and has to
 * be submitted otherwise. Jobs are submitted in the plan's order with nice values in that order, so
 * that under any of Slurm's priorities the plan decides if dependencies and room allow several. A
 * job names as dependencies the parents that have not finished yet; if these are very many, its
 * submission waits. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text/diag.h"
#include "base/process/stop.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "planner/instance/handover.h"
#include "planner/instance/plan.h"
#include "runtime/drivers/common/work.h"
#include "runtime/drivers/slurm/site.h"
#include "runtime/drivers/slurm/slurm.h"

enum {
    OUTSTANDING = 2000, /* jobs in Slurm at once, at most */
    PARENTS = 200,      /* dependencies of one job, at most */
    PATH = 4096,
};
static const int64_t second_ns = INT64_C(1000000000);
/* How long a job may be gone from Slurm without a result: files may appear late. */
static const int64_t patience_ns = INT64_C(15000000000);

enum state { WAITING, SUBMITTED, DONE, FAILED, LEFT };

struct jobs {
    struct br_work work;
    struct br_job_work job;
    const struct br_plan *plan;
    const struct br_cluster *cluster;
    struct br_slurm_site site;
    char folder[PATH - 64];
    uint8_t *state;                  /* by task */
    uint64_t *id;                    /* by task: Slurm's job number */
    int64_t *seen;                   /* by task: when Slurm was last known to have it */
    uint32_t *first_parent, *parent; /* by stage: its edges */
    struct br_handovers handover;    /* whose room a task takes; none without outputs */
    uint32_t outstanding;
    int64_t now_ns, asked_ns;
    struct timespec began; /* by the wall clock, as the scripts have it */
    bool closing, cancelled;
};

static void slurm_jobs_path_of(const struct jobs *jobs, uint32_t task, const char *ending,
                               char path[PATH])
{
    snprintf(path, PATH, "%s/%" PRIu32 ".%s", jobs->folder, task, ending);
}

/* ---- Submitting ---- */

/* Appends those whose end, whatever it is, frees the room that the task takes. */
static bool list_holders(const struct jobs *jobs, uint32_t task, uint32_t *count, char *text,
                         size_t size)
{
    const struct br_handovers *room = &jobs->handover;
    size_t used = strlen(text);
    for (uint32_t k = room->first ? room->first[task] : 0; room->first && k < room->first[task + 1];
         k++) {
        uint32_t before = room->before[k];
        if (jobs->state[before] >= DONE)
            continue;
        if (jobs->state[before] != SUBMITTED || ++*count > PARENTS)
            return false;
        used += (size_t)snprintf(text + used, size - used, "%safterany:%" PRIu64,
                                 *count > 1 ? "," : "", jobs->id[before]);
        assert(used < size);
    }
    return true;
}

/* Writes the task's dependencies into the text; false if it cannot be submitted yet. */
static bool slurm_jobs_list_parents(const struct jobs *jobs, uint32_t task, char *text, size_t size)
{
    uint32_t stage = br_dag_task_stage(jobs->job.dag, task), count = 0;
    size_t used = (size_t)snprintf(text, size, "--dependency=");
    for (uint32_t k = jobs->first_parent[stage]; k < jobs->first_parent[stage + 1]; k++) {
        const struct br_edge *edge = &jobs->job.dag->edge[jobs->parent[k]];
        const struct br_stage *from = &jobs->job.dag->stage[edge->parent];
        uint32_t first = from->first_task, end = first + from->tasks;
        if (br_dag_is_paired(jobs->job.dag, edge)) {
            first += task - jobs->job.dag->stage[stage].first_task;
            end = first + 1;
        }
        for (uint32_t t = first; t < end; t++) {
            if (jobs->state[t] == DONE)
                continue;
            if (jobs->state[t] != SUBMITTED || ++count > PARENTS)
                return false;
            used += (size_t)snprintf(text + used, size - used, "%safterok:%" PRIu64,
                                     count > 1 ? "," : "", jobs->id[t]);
            assert(used < size);
        }
    }
    if (!list_holders(jobs, task, &count, text, size))
        return false;
    if (!count)
        text[0] = '\0';
    return true;
}

/* The option for the output file. In its name Slurm replaces "%j" by the job's number, and "%%" by
 * a percent sign. */
static void write_output(const char *path, char text[2 * PATH + 16])
{
    strcpy(text, "--output=");
    for (text += strlen(text); *path; path++) {
        *text++ = *path;
        if (*path == '%')
            *text++ = '%';
    }
    *text = '\0';
}

/* The task's release, as far as it is still to come; "" if it is not. */
static void write_begin(const struct jobs *jobs, uint32_t task, char *text, size_t size)
{
    const struct br_times *times = jobs->job.dag->times;
    int64_t wait_ns = times && times->release_ns ? times->release_ns[task] - jobs->now_ns : 0;
    text[0] = '\0';
    if (wait_ns > 0)
        snprintf(text, size, "--begin=now+%" PRId64,
                 wait_ns / second_ns + (wait_ns % second_ns != 0));
}

static enum br_status slurm_jobs_submit(struct jobs *jobs, uint32_t task)
{
    char partition[300], account[300], minutes[48], begin[48];
    char name[128], cpus[48], memory[48], nice[48], output[2 * PATH + 16], script[PATH], path[PATH];
    char parents[32 + PARENTS * 32], *text;
    uint32_t stage = br_dag_task_stage(jobs->job.dag, task);
    const struct br_slurm_need *need = &jobs->site.need[stage];
    if (!slurm_jobs_list_parents(jobs, task, parents, sizeof parents))
        return BR_OK;
    slurm_jobs_path_of(jobs, task, "sh", script);
    slurm_jobs_path_of(jobs, task, "result", path);
    int error = br_slurm_write_script(&jobs->work, &jobs->job, task, script, path);
    if (error)
        return br_fail(jobs->work.diag, BR_SYSTEM, NULL, "a script in %.200s cannot be written: %s",
                       jobs->folder, strerror(error));
    snprintf(name, sizeof name, "--job-name=%s.%" PRIu32, jobs->work.journal.run, task);
    snprintf(cpus, sizeof cpus, "--cpus-per-task=%" PRIu32, need->cpus);
    if (need->kib)
        snprintf(memory, sizeof memory, "--mem=%" PRId64 "K", need->kib);
    else
        snprintf(memory, sizeof memory, "--mem-per-cpu=%" PRId64, jobs->site.share_mib);
    assert(!jobs->plan || jobs->plan->rank[task] > 0);
    snprintf(nice, sizeof nice, "--nice=%" PRIu32, jobs->plan ? jobs->plan->rank[task] - 1 : task);
    slurm_jobs_path_of(jobs, task, "out", path);
    unlink(path);
    write_output(path, output);
    const char *argv[24] = {
        "sbatch", "--parsable", "--nodes=1", "--ntasks=1", "--kill-on-invalid-dep=yes",
        name,     cpus,         nice,        output};
    int count = 9;
    if (need->kib || jobs->site.share_mib)
        argv[count++] = memory;
    if (parents[0])
        argv[count++] = parents;
    if (jobs->cluster->partition) {
        snprintf(partition, sizeof partition, "--partition=%.256s", jobs->cluster->partition);
        argv[count++] = partition;
    }
    if (jobs->cluster->account) {
        snprintf(account, sizeof account, "--account=%.256s", jobs->cluster->account);
        argv[count++] = account;
    }
    if (need->minutes) {
        snprintf(minutes, sizeof minutes, "--time=%" PRId64, need->minutes);
        argv[count++] = minutes;
    }
    if (need->generic)
        argv[count++] = need->generic;
    if (need->licenses)
        argv[count++] = need->licenses;
    write_begin(jobs, task, begin, sizeof begin);
    if (begin[0])
        argv[count++] = begin;
    assert(count < (int)(sizeof argv / sizeof *argv) - 1);
    argv[count] = script;
    enum br_status status = br_work_started(&jobs->work, &jobs->job, task);
    if (!status)
        status = br_slurm_ask(argv, &text, jobs->work.diag);
    if (status)
        return status;
    jobs->id[task] = strtoull(text, NULL, 10);
    free(text);
    jobs->state[task] = SUBMITTED;
    jobs->seen[task] = jobs->now_ns;
    assert(jobs->outstanding < OUTSTANDING);
    jobs->outstanding++;
    return BR_OK;
}

static enum br_status submit_all(struct jobs *jobs)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < jobs->job.dag->tasks && !status && !jobs->closing; k++) {
        uint32_t task = jobs->plan ? jobs->plan->order[k] : k;
        if (jobs->outstanding >= OUTSTANDING || br_stopped(jobs->work.options->stop))
            break;
        if (jobs->state[task] == WAITING && br_work_has_command(&jobs->job, task))
            status = slurm_jobs_submit(jobs, task);
    }
    return status;
}

/* ---- Following ---- */

/* A time from a file as nanoseconds since the run began; nonsense does not overflow. */
static int64_t since(const struct jobs *jobs, double seconds)
{
    const double most_ns = 0x1p60, past_ns = (seconds - (double)jobs->began.tv_sec) * 1e9;
    return (int64_t)(past_ns > most_ns    ? most_ns
                     : past_ns > -most_ns ? past_ns
                                          : -most_ns) -
           jobs->began.tv_nsec;
}

static void slurm_jobs_leave(struct jobs *jobs, uint32_t task, enum state state)
{
    assert(jobs->state[task] != DONE);
    assert(jobs->state[task] != SUBMITTED || jobs->outstanding > 0);
    if (jobs->state[task] == SUBMITTED)
        jobs->outstanding--;
    jobs->state[task] = (uint8_t)state;
}

static enum br_status slurm_jobs_finish(struct jobs *jobs, uint32_t task, int64_t lasted_ns)
{
    slurm_jobs_leave(jobs, task, DONE);
    return br_work_finished(&jobs->work, &jobs->job, task, lasted_ns);
}

static void slurm_jobs_tell(struct jobs *jobs, struct br_task_end *end)
{
    char path[PATH];
    slurm_jobs_path_of(jobs, end->task, "out", path);
    end->output = open(path, O_RDONLY | O_CLOEXEC);
    br_work_tell(&jobs->work, &jobs->job, end);
    if (end->output >= 0)
        close(end->output);
}

static void slurm_jobs_fail(struct jobs *jobs, struct br_task_end *end)
{
    slurm_jobs_leave(jobs, end->task, FAILED);
    br_work_failed(&jobs->work, &jobs->job);
    if (!jobs->work.options->keep_going)
        jobs->closing = true;
    slurm_jobs_tell(jobs, end);
}

/* Has the task a result? If so, takes it in. */
static bool take_result(struct jobs *jobs, uint32_t task, enum br_status *status)
{
    char path[PATH], host[256] = "";
    double begin, end;
    struct br_task_end ended = {.task = task, .output = -1, .host = host};
    slurm_jobs_path_of(jobs, task, "result", path);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    int fields = fscanf(file, "%d %lf %lf %" SCNu32 " %255s", &ended.code, &begin, &end,
                        &ended.attempt, host);
    fclose(file);
    if (fields < 4)
        return false;
    ended.start_ns = since(jobs, begin);
    ended.end_ns = since(jobs, end);
    if (ended.code == 0) {
        *status = slurm_jobs_finish(jobs, task, br_task_end_lasted(&ended));
        ended.outcome = BR_TASK_DONE;
        slurm_jobs_tell(jobs, &ended);
        return true;
    }
    ended.outcome = ended.code == 124 && jobs->work.options->timeout_ns ? BR_TASK_TIMEOUT
                    : ended.code > 128                                  ? BR_TASK_SIGNAL
                                                                        : BR_TASK_EXIT;
    if (ended.outcome == BR_TASK_SIGNAL)
        ended.code -= 128;
    slurm_jobs_fail(jobs, &ended);
    return true;
}

/* Did a parent fail, so that Slurm dropped the job? */
static bool has_lost_parent(const struct jobs *jobs, uint32_t task)
{
    uint32_t stage = br_dag_task_stage(jobs->job.dag, task);
    for (uint32_t k = jobs->first_parent[stage]; k < jobs->first_parent[stage + 1]; k++) {
        const struct br_edge *edge = &jobs->job.dag->edge[jobs->parent[k]];
        const struct br_stage *from = &jobs->job.dag->stage[edge->parent];
        uint32_t twin = from->first_task + task - jobs->job.dag->stage[stage].first_task;
        for (uint32_t t = from->first_task; t < from->first_task + from->tasks; t++)
            if ((edge->type != BR_ONE_TO_ONE || from->tasks == 1 || t == twin) &&
                jobs->state[t] >= FAILED)
                return true;
    }
    return false;
}

/* Sets `seen` for the jobs of the run that squeue lists, and takes them up. */
static void read_queue(struct jobs *jobs, char *text, bool take_up)
{
    size_t length = strlen(jobs->work.journal.run);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        uint64_t id;
        char word[64], name[128];
        if (sscanf(line, "%" SCNu64 " %63s %127s", &id, word, name) != 3 ||
            strncmp(name, jobs->work.journal.run, length) != 0 || name[length] != '.')
            continue;
        uint32_t task = (uint32_t)strtoul(name + length + 1, NULL, 10);
        /* Slurm lists jobs for some minutes after their end. */
        bool there = strcmp(word, "PENDING") == 0 || strcmp(word, "RUNNING") == 0 ||
                     strcmp(word, "CONFIGURING") == 0 || strcmp(word, "COMPLETING") == 0 ||
                     strcmp(word, "SUSPENDED") == 0 || strcmp(word, "REQUEUED") == 0;
        if (task >= jobs->job.dag->tasks || !there)
            continue;
        if (take_up && jobs->state[task] == WAITING) {
            jobs->state[task] = SUBMITTED;
            jobs->id[task] = id;
            jobs->outstanding++;
        }
        jobs->seen[task] = jobs->now_ns;
    }
}

/* Asks for the jobs of the run that Slurm still has, and takes them up on the first call. */
static enum br_status ask_slurm(struct jobs *jobs, bool take_up, struct br_diag *diag)
{
    const char *argv[] = {"squeue",       "--noheader",        "--me",
                          "--states=all", "--format=%A %T %j", NULL};
    char *text;
    enum br_status status = br_slurm_ask(argv, &text, diag);
    if (status)
        return status;
    read_queue(jobs, text, take_up);
    free(text);
    return BR_OK;
}

/* Stages without a command are done when everything for which they wait is done. */
static enum br_status finish_waits(struct jobs *jobs)
{
    enum br_status status = BR_OK;
    char none[32 + PARENTS * 32];
    for (uint32_t k = 0; k < jobs->job.dag->stages && !status; k++) {
        uint32_t s = jobs->job.dag->topological[k];
        const struct br_stage *stage = &jobs->job.dag->stage[s];
        for (uint32_t i = 0; i < stage->tasks && !jobs->job.command[s].words && !status; i++) {
            uint32_t task = stage->first_task + i;
            if (jobs->state[task] == WAITING &&
                slurm_jobs_list_parents(jobs, task, none, sizeof none) && !none[0])
                status = slurm_jobs_finish(jobs, task, 0);
        }
    }
    return status;
}

static enum br_status slurm_jobs_follow(struct jobs *jobs)
{
    enum br_status status = BR_OK;
    for (uint32_t t = 0; t < jobs->job.dag->tasks && !status; t++)
        if (jobs->state[t] == SUBMITTED)
            take_result(jobs, t, &status);
    if (!status)
        status = finish_waits(jobs);
    if (status || jobs->now_ns - jobs->asked_ns < 2 * second_ns)
        return status;
    jobs->asked_ns = jobs->now_ns;
    /* A controller that does not answer for a while is not a failure of the tasks. */
    struct br_diag busy = {0};
    if (ask_slurm(jobs, false, &busy)) {
        for (uint32_t t = 0; t < jobs->job.dag->tasks; t++)
            jobs->seen[t] = jobs->now_ns;
        return BR_OK;
    }
    for (uint32_t k = 0; k < jobs->job.dag->tasks && !status; k++) {
        uint32_t t = jobs->plan ? jobs->plan->order[k] : k;
        if (jobs->state[t] != SUBMITTED || jobs->seen[t] == jobs->now_ns)
            continue;
        if (take_result(jobs, t, &status)) /* it ended after results were looked for */
            continue;
        if (has_lost_parent(jobs, t) || jobs->cancelled)
            slurm_jobs_leave(jobs, t, LEFT);
        else if (jobs->now_ns - jobs->seen[t] > patience_ns)
            slurm_jobs_fail(jobs, &(struct br_task_end){.task = t,
                                                        .attempt = 1,
                                                        .outcome = BR_TASK_LOST,
                                                        .start_ns = jobs->now_ns,
                                                        .end_ns = jobs->now_ns,
                                                        .output = -1});
    }
    return status ? status : finish_waits(jobs);
}

/* Drops the run's jobs: all, or those that have not begun. */
static void cancel(struct jobs *jobs, bool pending_only)
{
    struct br_diag ignored;
    char number[32], *text = NULL;
    for (uint32_t t = 0; t < jobs->job.dag->tasks; t++) {
        if (jobs->state[t] != SUBMITTED)
            continue;
        snprintf(number, sizeof number, "%" PRIu64, jobs->id[t]);
        const char *argv[] = {"scancel", number, pending_only ? "--state=PENDING" : NULL, NULL};
        br_slurm_ask(argv, &text, &ignored);
        free(text);
        text = NULL;
    }
    jobs->cancelled = true;
}

static enum br_status slurm_jobs_loop(struct jobs *jobs)
{
    const struct br_stop *stop = jobs->work.options->stop;
    int stopping = 0;
    enum br_status status = finish_waits(jobs);
    while (!status) {
        jobs->now_ns = br_work_now_ns(&jobs->work);
        if (br_stop_level(stop) > stopping) {
            stopping = br_stop_level(stop);
            jobs->closing = true;
            cancel(jobs, false);
            if (stopping > 1)
                break;
        }
        if (jobs->closing && !jobs->cancelled)
            cancel(jobs, true);
        if (!jobs->closing)
            status = submit_all(jobs);
        /* An end in this turn may let others be submitted in the next. */
        bool over = !jobs->outstanding;
        if (!status)
            status = slurm_jobs_follow(jobs);
        if (!status)
            status = br_journal_sync(&jobs->work.journal, jobs->work.diag);
        if (jobs->work.options->tick)
            jobs->work.options->tick(
                jobs->work.options->context,
                &(struct br_run_state){
                    .jobs = 1,
                    .tasks = jobs->job.dag->tasks,
                    .finished = jobs->work.result->resumed + jobs->work.result->finished,
                    .running = jobs->outstanding,
                    .failed = jobs->work.result->failed,
                    .now_ns = jobs->now_ns,
                });
        if (over)
            break;
        if (jobs->outstanding)
            nanosleep(&(struct timespec){0, 200000000}, NULL);
    }
    return status;
}

/* ---- Set up ---- */

static bool index_parents(struct jobs *jobs)
{
    const struct br_dag *dag = jobs->job.dag;
    jobs->first_parent =
        br_arena_array(&jobs->job.arena, br_csr_room(dag->stages), sizeof *jobs->first_parent);
    jobs->parent = br_arena_array(&jobs->job.arena, dag->edges, sizeof *jobs->parent);
    if (!jobs->first_parent || !jobs->parent)
        return false;
    br_dag_list_edges(dag, BR_EDGE_CHILD, jobs->first_parent, jobs->parent);
    return true;
}

static enum br_status slurm_jobs_make_folder(struct jobs *jobs)
{
    char given[PATH], *whole;
    snprintf(given, sizeof given, "%.3900s.d", jobs->work.options->journal);
    if (mkdir(given, 0777) && errno != EEXIST)
        return br_fail(jobs->work.diag, BR_SYSTEM, NULL, "the folder %.300s cannot be made: %s",
                       given, strerror(errno));
    whole = realpath(given, NULL);
    if (!whole || strlen(whole) >= sizeof jobs->folder) {
        free(whole);
        return br_fail(jobs->work.diag, BR_SYSTEM, "take a shorter path", "the folder %.300s: %s",
                       given, strerror(errno));
    }
    strcpy(jobs->folder, whole);
    free(whole);
    return BR_OK;
}

/* Takes over what is left of the earlier run: results, and jobs that Slurm still has. */
static enum br_status slurm_jobs_take_up(struct jobs *jobs)
{
    enum br_status status = BR_OK;
    char path[PATH];
    for (uint32_t t = 0; t < jobs->job.dag->tasks; t++)
        if (jobs->job.known.done[t])
            jobs->state[t] = DONE;
    if (jobs->work.options->resume)
        status = ask_slurm(jobs, true, jobs->work.diag);
    for (uint32_t t = 0; t < jobs->job.dag->tasks && !status; t++) {
        if (jobs->state[t] == DONE)
            continue;
        int code;
        slurm_jobs_path_of(jobs, t, "result", path);
        FILE *file = fopen(path, "re");
        if (!file)
            continue;
        bool good = jobs->work.options->resume && fscanf(file, "%d", &code) == 1 && code == 0;
        fclose(file);
        if (good)
            take_result(jobs, t, &status);
        else if (jobs->state[t] == WAITING) /* it failed, and gets another chance */
            unlink(path);
    }
    return status;
}

static enum br_status slurm_jobs_set_up(struct jobs *jobs)
{
    uint32_t tasks = jobs->job.dag->tasks;
    jobs->state = br_arena_array(&jobs->job.arena, tasks, sizeof *jobs->state);
    jobs->id = br_arena_array(&jobs->job.arena, tasks, sizeof *jobs->id);
    jobs->seen = br_arena_array(&jobs->job.arena, tasks, sizeof *jobs->seen);
    if (!jobs->state || !jobs->id || !jobs->seen || !index_parents(jobs) ||
        !br_slurm_site_ask(&jobs->site, &jobs->job.arena, jobs->job.dag, jobs->cluster,
                           jobs->work.options))
        return br_fail_memory(jobs->work.diag);
    enum br_status status =
        br_work_open_journal(&jobs->work, &(struct br_job_work *){&jobs->job}, 1);
    if (!status)
        br_work_count_job(&jobs->work, &jobs->job);
    if (!status)
        status = slurm_jobs_make_folder(jobs);
    clock_gettime(CLOCK_REALTIME, &jobs->began);
    br_work_begin(&jobs->work);
    return status ? status : slurm_jobs_take_up(jobs);
}

enum br_status br_slurm_run_jobs(const struct br_cluster *cluster, struct br_run_job *job,
                                 const struct br_run_options *options, struct br_run_result *result,
                                 struct br_diag *diag)
{
    struct jobs jobs = {.plan = job->plan, .cluster = cluster};
    br_work_init(&jobs.work, options, result, diag);
    enum br_status status = br_job_work_init(&jobs.job, &jobs.work, job, diag);
    if (!status)
        status = br_slurm_take_features(job->dag, cluster, job->plan, &jobs.handover, diag);
    if (!status)
        status = slurm_jobs_set_up(&jobs);
    if (!status)
        status = slurm_jobs_loop(&jobs);
    br_handover_finish(&jobs.handover);
    br_job_work_finish(&jobs.job);
    return br_work_finish(&jobs.work, status);
}
