/* bigrocks batch: plans many jobs, each on one thread, as many at a time as there are threads.
 *
 * Jobs are handed out by the work that they probably are, the longest first, so a long one does not
 * begin when the others have ended; one thread takes them in the order of the list. The result of a
 * job does not depend on the others, and so neither on the number of threads nor on how the list is
 * cut into shards. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "base/process/clock.h"
#include "base/process/parallel.h"
#include "cli/options/options.h"
#include "cli/options/shard.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/say.h"
#include "cli/terminal/stats.h"
#include "emit/emit.h"
#include "planner/instance/plan.h"
#include <bigrocks/store.h>

enum { STEM_MOST = 100 };

struct batch {
    const struct cli_settings *settings;
    struct br_parse_options parse;
    struct br_plan_options plan;
    struct br_cluster *cluster; /* of the options; NULL if they give none */
    struct br_store *store;     /* of plans; NULL: none */
    struct cli_job_list list;
    uint32_t first, step; /* the shard: jobs first, first + step, ... */
    uint32_t jobs;        /* in the shard */
    uint32_t *order;      /* by turn: the job that begins then */

    pthread_mutex_t lock; /* guards what follows */
    struct cli_rows rows;
    struct cli_progress progress;
    struct br_counters counters; /* of all jobs */
    uint32_t done, planned, refused, interrupted;
    bool bad; /* some were refused for their content, not for lack of memory, descriptors, ... */
    enum br_status status; /* the fault that ends the whole batch */
    struct br_diag diag;
};

/* ---- One job ---- */

/* DIR/NUMBER-NAME.json: the number separates equal names from several folders, and the name keeps
 * only characters that are safe in every file system and shell. Free it; NULL when memory is out.
 */
static char *plan_path(const struct batch *batch, uint32_t index)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const char *name = cli_job_list_name(&batch->list, index), *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name, *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    char stem[STEM_MOST + 1], *path;
    length = length < STEM_MOST ? length : STEM_MOST;
    for (size_t k = 0; k < length; k++)
        stem[k] = (char)(strchr(safe, base[k]) ? base[k] : '_');
    stem[length] = 0;
    if (asprintf(&path, "%s/%" PRIu32 "-%s.json", batch->settings->batch.out_dir, index + 1, stem) <
        0)
        return NULL;
    return path;
}

/* The file appears under its name when it is complete. Its temporary name is always the same, so
 * that the leftover of a crash is overwritten when the job is planned again. */
static enum br_status batch_write_plan(const struct batch *batch, uint32_t index,
                                       const struct br_emit_input *emit, struct br_diag *diag)
{
    char *path = plan_path(batch, index), *part = NULL;
    if (!path || asprintf(&part, "%s.part", path) < 0) {
        free(path);
        return br_fail_memory(diag);
    }
    FILE *file = fopen(part, "we");
    enum br_status status = BR_OK;
    if (file) {
        status = br_emit_plan("json", emit, file, diag);
        errno = 0;
        if (fclose(file) && !status)
            status = BR_SYSTEM;
    }
    if (!file || (status == BR_SYSTEM && errno) || (!status && rename(part, path))) {
        int error = errno;
        br_diag_file(diag, path);
        status = br_fail(diag, BR_SYSTEM, "is the disk full? Make room, then add --resume",
                         "cannot be written: %s", strerror(error ? error : EIO));
    }
    if (status && file)
        unlink(part);
    free(part);
    free(path);
    return status;
}

/* "line:column: what; hint": the table has a column for the file, whose folder differs between
 * machines. */
static void tell_fault(const struct br_diag *diag, char *text, size_t size)
{
    struct br_diag bare = *diag;
    char place[32] = "";
    if (diag->line && diag->column)
        snprintf(place, sizeof place, "%" PRIu32 ":%" PRIu32 ": ", diag->line, diag->column);
    else if (diag->line)
        snprintf(place, sizeof place, "%" PRIu32 ": ", diag->line);
    int used = snprintf(text, size, "%s", place);
    bare.file[0] = 0;
    br_diag_format(&bare, text + used, (int)size - used);
}

/* Records the result of a job, and shows it. */
static bool batch_report(struct batch *batch, struct cli_row *row, const struct br_diag *fault)
{
    struct br_diag diag = {0};
    pthread_mutex_lock(&batch->lock);
    if (row->status == CLI_ROW_REFUSED) {
        cli_progress_end(&batch->progress);
        cli_say_diag(fault);
    }
    enum br_status status = batch->status ? batch->status : cli_rows_add(&batch->rows, row, &diag);
    if (status && !batch->status) {
        batch->status = status;
        batch->diag = diag;
    }
    if (!status) {
        batch->done++;
        batch->planned += row->status == CLI_ROW_PLANNED;
        batch->refused += row->status == CLI_ROW_REFUSED;
        batch->bad |= row->status == CLI_ROW_REFUSED && fault->status != BR_SYSTEM;
        batch->interrupted += row->status == CLI_ROW_INTERRUPTED;
        cli_progress_jobs(&batch->progress, batch->done, batch->jobs, batch->refused);
        assert(batch->planned + batch->refused + batch->interrupted == batch->done);
        assert(batch->done <= batch->jobs);
    }
    pthread_mutex_unlock(&batch->lock);
    return !status;
}

static void batch_count(struct batch *batch, const struct br_counters *counters)
{
    pthread_mutex_lock(&batch->lock);
    br_counters_add(&batch->counters, counters);
    pthread_mutex_unlock(&batch->lock);
}

/* Ends the batch for a fault that does not come from a job. */
static bool batch_give_up(struct batch *batch, enum br_status status, const struct br_diag *diag)
{
    pthread_mutex_lock(&batch->lock);
    if (!batch->status) {
        batch->status = status;
        batch->diag = *diag;
    }
    pthread_mutex_unlock(&batch->lock);
    return false;
}

/* Uses the stored plan of this very job if it took enough effort; else makes a new one, and takes
 * the shorter of the two. Never refits a plan of another job, since the threads decide which jobs
 * came before.
 */
static enum br_status plan_kept(struct batch *batch, const struct br_dag *dag,
                                const struct br_cluster *cluster, struct br_plan **plan,
                                struct br_diag *diag)
{
    struct br_store_hit hit;
    struct br_plan *kept;
    enum br_status status =
        br_store_get(batch->store, dag, cluster, &batch->plan, &kept, &hit, diag);
    *plan = NULL;
    if (!status && hit.match == BR_STORE_EXACT && hit.enough) {
        *plan = kept;
        return BR_OK;
    }
    if (!status)
        status = br_plan_make(dag, cluster, &batch->plan, plan, diag);
    if (!status)
        status = br_store_put(batch->store, dag, cluster, &batch->plan, *plan, diag);
    if (!status && hit.match == BR_STORE_EXACT && kept->makespan_ns < (*plan)->makespan_ns) {
        struct br_plan *longer = *plan;
        *plan = kept;
        kept = longer;
    }
    br_plan_destroy(kept);
    if (status) {
        br_plan_destroy(*plan);
        *plan = NULL;
    }
    return status;
}

static bool batch_plan_job(void *context, uint32_t worker, uint32_t turn)
{
    struct batch *batch = context;
    const uint32_t index = batch->order[turn];
    assert(turn < batch->jobs && index < batch->list.count);
    if (cli_rows_status(&batch->rows, index) == CLI_ROW_PLANNED)
        return true;
    if (cli_interrupted())
        return false;
    struct br_diag diag = {0};
    struct br_input input = {0};
    struct br_plan *plan = NULL;
    char message[sizeof diag];
    int64_t began = br_now_ns();
    char *path = cli_job_list_path(&batch->list, index);
    enum br_status status =
        path ? br_parse_job(path, &batch->parse, &input, &diag) : br_fail_memory(&diag);
    int64_t read_ns = br_now_ns() - began;
    const struct br_cluster *cluster = batch->cluster ? batch->cluster : input.cluster;
    if (!status && !cluster) {
        br_diag_file(&diag, path);
        status = cli_fail_no_cluster(&diag);
    }
    if (!status)
        status = batch->store ? plan_kept(batch, input.dag, cluster, &plan, &diag)
                              : br_plan_make(input.dag, cluster, &batch->plan, &plan, &diag);
    /* A plan's note does not distinguish a search that the flag cut from one that finished just
     * before, so all running searches then count as cut. */
    bool cut = cli_interrupted();
    bool ok = true;
    int64_t planned_ns = br_now_ns();
    if (!status && batch->settings->batch.out_dir) {
        struct br_emit_input emit = {.dag = input.dag, .cluster = cluster, .plan = plan};
        enum br_status written = batch_write_plan(batch, index, &emit, &diag);
        ok = !written || batch_give_up(batch, written, &diag);
    }
    if (!status) {
        plan->counters.read_ns = (uint64_t)read_ns;
        plan->counters.write_ns = (uint64_t)(br_now_ns() - planned_ns);
        batch_count(batch, &plan->counters);
    }
    if (status)
        tell_fault(&diag, message, sizeof message);
    else
        snprintf(message, sizeof message, "%s",
                 br_plan_note(plan)     ? br_plan_note(plan)
                 : cli_doubt(input.dag) ? cli_doubt(input.dag)
                                        : "");
    struct cli_row row = {.number = index + 1,
                          .file = cli_job_list_name(&batch->list, index),
                          .status = status ? CLI_ROW_REFUSED
                                    : cut  ? CLI_ROW_INTERRUPTED
                                           : CLI_ROW_PLANNED,
                          .dag = input.dag,
                          .plan = plan,
                          .message = message,
                          .took_ns = batch->settings->batch.times ? br_now_ns() - began : -1};
    ok = ok && batch_report(batch, &row, &diag);
    br_plan_destroy(plan);
    br_input_finish(&input);
    free(path);
    return ok;
}

/* ---- All of them ---- */

static enum br_status check_usage(const struct cli_settings *settings, uint32_t arguments,
                                  struct br_diag *diag)
{
    if (settings->batch.merge && (settings->batch.resume || settings->batch.shard ||
                                  settings->batch.out_dir || settings->search.store))
        return br_fail(diag, BR_USAGE, "the files themselves say what is in them",
                       "--merge goes without --resume, --shard, --out-dir and --store");
    if (!settings->batch.merge && arguments > 1)
        return br_fail(diag, BR_USAGE,
                       "write the jobs' paths into a list, or pipe them: ls *.xml | bigrocks "
                       "batch - ...",
                       "too many arguments: one list, or one folder");
    return cli_check_store(&settings->search, diag);
}

static enum br_status batch_make_folder(const char *path, struct br_diag *diag)
{
    struct stat about;
    bool there = mkdir(path, 0777) == 0 || errno == EEXIST;
    int error = errno;
    if (there && stat(path, &about) == 0 && S_ISDIR(about.st_mode) && access(path, W_OK) == 0)
        return BR_OK;
    br_diag_file(diag, path);
    return br_fail(diag, BR_SYSTEM, "give a folder that can be written, or that can be made",
                   "cannot hold the plans: %s", strerror(there ? errno ? errno : ENOTDIR : error));
}

/* Rows in the table count as done, unless their plans are wanted and missing. */
static enum br_status count_kept(struct batch *batch, struct br_diag *diag)
{
    for (uint32_t k = batch->first; k < batch->list.count; k += batch->step) {
        if (cli_rows_status(&batch->rows, k) != CLI_ROW_PLANNED)
            continue;
        if (batch->settings->batch.out_dir) {
            char *path = plan_path(batch, k);
            if (!path)
                return br_fail_memory(diag);
            if (access(path, F_OK) != 0)
                cli_rows_forget(&batch->rows, k);
            free(path);
        }
        batch->done += cli_rows_status(&batch->rows, k) == CLI_ROW_PLANNED;
    }
    batch->planned = batch->done;
    return BR_OK;
}

static void batch_sum_up(const struct batch *batch, uint32_t kept, uint32_t torn)
{
    if (torn)
        cli_say("%s: %" PRIu32 " torn %s dropped", batch->settings->output.path, torn,
                torn == 1 ? "line" : "lines");
    if (cli_interrupted() && batch->done - batch->interrupted < batch->jobs)
        cli_say("interrupted with %" PRIu32 " of %" PRIu32 " jobs done; %s goes on from there",
                batch->done - batch->interrupted, batch->jobs,
                batch->settings->output.path ? "--resume" : "with -o FILE, --resume");
    if (batch->settings->output.quiet)
        return;
    fprintf(stderr, "bigrocks: %" PRIu32 " planned, %" PRIu32 " refused", batch->planned,
            batch->refused);
    if (batch->interrupted)
        fprintf(stderr, ", %" PRIu32 " interrupted", batch->interrupted);
    if (batch->settings->batch.resume)
        fprintf(stderr, " (%" PRIu32 " kept)", kept);
    fputc('\n', stderr);
}

static enum br_status batch_run(struct batch *batch, struct br_diag *diag)
{
    const struct cli_settings *settings = batch->settings;
    enum br_status status =
        cli_rows_open(&batch->rows, settings, &batch->list, batch->first, batch->step, diag);
    if (!status && settings->search.store)
        status = br_store_open(settings->search.store, &batch->store, diag);
    if (!status && settings->batch.out_dir)
        status = batch_make_folder(settings->batch.out_dir, diag);
    if (!status)
        status = count_kept(batch, diag);
    uint32_t kept = batch->done, torn = batch->rows.dropped;
    batch->parse = cli_parse_options(&settings->job);
    batch->parse.many = true;
    batch->plan = cli_plan_options(&settings->search);
    const uint32_t threads = batch->plan.threads;
    batch->plan.threads = 1;
    if (!status)
        status = cli_batch_order(&batch->rows, batch->first, batch->jobs, threads > 1,
                                 &batch->order, diag);
    if (!status) {
        batch->plan.stop = cli_interrupt_catch();
        cli_progress_begin(&batch->progress, settings->output.quiet);
        br_parallel(threads, batch->jobs, batch_plan_job, batch);
        cli_progress_end(&batch->progress);
        status = batch->status;
        *diag = batch->diag;
        cli_interrupt_release();
    }
    bool ran = status == batch->status;
    if (ran && settings->output.stats)
        cli_stats_print(stderr, &batch->counters, settings->output.json);
    status = cli_rows_close(&batch->rows, status, diag);
    if (ran)
        batch_sum_up(batch, kept, torn);
    /* Every bad job has been reported. A shard may well hold only bad jobs: --merge decides. */
    if (!status && batch->refused && batch->planned + batch->interrupted == 0 && batch->step == 1)
        status = batch->bad ? BR_BAD_INPUT : BR_SYSTEM;
    return status;
}

static int batch_perform(const struct cli_settings *settings, const char *const *argument,
                         uint32_t arguments, struct br_diag *diag)
{
    struct batch batch = {.settings = settings, .lock = PTHREAD_MUTEX_INITIALIZER};
    enum br_status status = check_usage(settings, arguments, diag);
    if (!status && settings->batch.merge)
        return cli_batch_merge(settings, argument, arguments, diag);
    if (!status)
        status = cli_shard_read(settings->batch.shard, &batch.first, &batch.step, diag);
    if (!status)
        status = cli_check_standard(&settings->job, "list", argument[0], diag);
    if (!status)
        status = cli_load_cluster(&settings->job, &batch.cluster, diag);
    if (!status)
        status = cli_job_list_read(&batch.list, argument[0], settings->job.from != NULL, diag);
    if (!status) {
        if (settings->output.verbose)
            cli_say_line(&cli_batch, settings, argument, arguments);
        if (batch.list.count > batch.first)
            batch.jobs = (batch.list.count - batch.first - 1) / batch.step + 1;
        status = batch_run(&batch, diag);
    }
    free(batch.order);
    cli_job_list_finish(&batch.list);
    br_cluster_destroy(batch.cluster);
    br_store_close(batch.store);
    pthread_mutex_destroy(&batch.lock);
    return status;
}

static const struct br_option batch_rows[] = {
    OPTION(TEXT, "output", "FILE", output.path,
           "the table; rows are added as jobs end, and sorted at the end (default: -, standard "
           "output)",
           .letter = 'o'),
    OPTION(PATH, "out-dir", "DIR", batch.out_dir,
           "write every plan (JSON) to DIR/NUMBER-NAME.json, by its row's number and its file's "
           "name"),
    OPTION(FLAG, "resume", NULL, batch.resume,
           "go on: keep the rows of -o FILE, and plan the rest; without it, FILE is replaced"),
    OPTION(TEXT, "shard", "I/N", batch.shard,
           "plan only the I-th of N shares, from 1 to N: jobs I, I + N, I + 2 N, ... of the list"),
    OPTION(FLAG, "merge", NULL, batch.merge,
           "plan nothing: merge the rows of several tables, in the order of the list"),
    OPTION(FLAG, "times", NULL, batch.times,
           "add a column with the seconds that each job took, which differ from run to run"),
    OPTIONS_END};

const struct cli_command cli_batch = {
    .name = "batch",
    .bit = CLI_BATCH,
    .options = batch_rows,
    .least = 1,
    .most = UINT32_MAX,
    .perform = batch_perform,
    .arguments = "LIST|DIR",
    .summary = "plan many jobs, one row of a table for each",
    .text = "Plans all jobs of a list (a file with a path a line; # begins a comment) or of a\n"
            "folder, a worker on every core, and writes a CSV row for each in the order of the\n"
            "list, whatever the number of threads. A job that cannot be planned gets a row that\n"
            "says why, and the others go on: exit status 0, or 3 if none could be planned.\n"
            "Ctrl-C ends it with what is done, and --resume goes on from there, also after a\n"
            "crash. --shard 2/8 takes the second of eight shares, for example on another\n"
            "machine; --merge FILE... merges their files. --store FILE provides plans that were\n"
            "made with as much effort, and keeps the others.\n",
    .examples =
        "bigrocks batch examples --cluster examples/cluster-rack.xml\n"
        "bigrocks batch examples/jobs.txt --capacity cpu=8,mem=16GiB -o jobs.csv --resume\n"
        "bigrocks batch examples/jobs.txt --capacity cpu=8,mem=16GiB -o part-1.csv --shard 1/2\n"
        "bigrocks batch examples/jobs.txt --capacity cpu=8,mem=16GiB -o part-2.csv --shard 2/2\n"
        "bigrocks batch --merge part-1.csv part-2.csv -o jobs.csv\n",
};
