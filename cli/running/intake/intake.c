/* A job's file is moved to running before it is read, and leaves it when all about it is written.
 * So the successor of a killed server finds the taken jobs in running, and the journal says how far
 * they were. */
#include "cli/running/intake/intake.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text/diag.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/say.h"
#include "emit/write/write.h"

/* Most jobs of one group taken at once; the others stay in new. */
enum { GROUP_MOST = 256 };

struct cli_intake_job {
    struct cli_run_job one;
    struct br_run_job job; /* for the driver; the context is `one` */
    struct cli_intake_file file;
    struct cli_intake_job *next, **link;
};

/* ---- Files of a job ---- */

static FILE *open_beside(const struct cli_intake *intake, const struct cli_intake_file *file,
                         const char *suffix, const char *mode)
{
    char path[CLI_INTAKE_PATH];
    return cli_intake_path(intake->root, CLI_PLACE_RUNNING, file, suffix, path) ? fopen(path, mode)
                                                                                : NULL;
}

static void print_member(FILE *out, const char *name, const char *text)
{
    fprintf(out, "  \"%s\": \"", name);
    br_write_text(out, BR_QUOTE_JSON, text);
    fputs("\",\n", out);
}

static void intake_print_seconds(FILE *out, const char *name, int64_t ns, const char *end)
{
    fprintf(out, "  \"%s\": ", name);
    if (ns < 0)
        fputs("null", out);
    else
        br_write_seconds(out, ns);
    fputs(end, out);
}

static void intake_print_result(FILE *out, const struct br_run_job *job)
{
    const struct br_job_result *result = &job->result;
    uint32_t done = result->resumed + result->finished;
    fputs("{\n  \"format\": \"bigrocks-result/1\",\n", out);
    print_member(out, "job", job->name);
    print_member(out, "group", job->group ? job->group : "default");
    print_member(out, "status", cli_run_status(job));
    fprintf(out,
            "  \"tasks\": %" PRIu32 ",\n  \"done\": %" PRIu32 ",\n  \"resumed\": %" PRIu32
            ",\n  \"failed\": %" PRIu32 ",\n  \"left\": %" PRIu32 ",\n",
            job->dag->tasks, done, result->resumed, result->failed,
            job->dag->tasks - done - result->failed);
    intake_print_seconds(out, "start", result->start_ns, ",\n");
    intake_print_seconds(out, "end", result->end_ns, ",\n");
    intake_print_seconds(out, "planned", job->plan->makespan_ns, "\n}\n");
}

static int close_file(FILE **file)
{
    int error = *file && (fflush(*file) || ferror(*file)) ? EIO : 0;
    if (*file && fclose(*file) && !error)
        error = errno;
    *file = NULL;
    return error;
}

/* ---- Jobs ---- */

static void intake_release(struct cli_intake_job *job)
{
    if (job->link) {
        *job->link = job->next;
        if (job->next)
            job->next->link = job->link;
    }
    cli_run_job_close(&job->one);
    close_file(&job->one.output);
    close_file(&job->one.failure);
    cli_run_finish(&job->one.input);
    free(job->one.name);
    cli_intake_file_finish(&job->file);
    free(job);
}

/* Prints a line about a job, whose name is of foreign origin. */
static void intake_say(struct cli_intake *intake, const char *name, const char *text,
                       const char *more)
{
    cli_progress_end(intake->progress);
    fputs("bigrocks: job '", stderr);
    cli_print_text(stderr, name);
    fprintf(stderr, "' %s", text);
    cli_print_text(stderr, more);
    fputc('\n', stderr);
}

static void say_stuck(struct cli_intake *intake, const char *name, int error)
{
    intake_say(intake, name, "cannot leave running: ", strerror(error));
}

/* GROUP/NAME, or NAME. */
static char *intake_name_job(const struct cli_intake_file *file)
{
    size_t size = strlen(file->name) + (file->group ? strlen(file->group) + 1 : 0) + 1;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s%s%s", file->group ? file->group : "", file->group ? "/" : "",
                 file->name);
    return name;
}

/* A job that never ran has no output. */
static void remove_empty(const struct cli_intake *intake, const struct cli_intake_file *file)
{
    char path[CLI_INTAKE_PATH];
    struct stat state;
    if (cli_intake_path(intake->root, CLI_PLACE_RUNNING, file, ".out", path) &&
        stat(path, &state) == 0 && !state.st_size)
        unlink(path);
}

/* The file will not be run: it goes to failed, with the reason beside it. */
static void intake_refuse(struct cli_intake *intake, const struct cli_intake_file *file,
                          const struct br_diag *diag)
{
    char text[sizeof *diag + 64], *name = intake_name_job(file);
    struct br_diag told = *diag;
    /* The message uses the name, since the file does not stay where it was read. */
    if (told.file[0] && name)
        snprintf(told.file, sizeof told.file, "%s", name);
    br_diag_format(&told, text, sizeof text);
    FILE *out = open_beside(intake, file, ".error", "ae"),
         *result = open_beside(intake, file, ".json", "we");
    if (out)
        fprintf(out, "%s\n", text);
    if (result) {
        fputs("{\n  \"format\": \"bigrocks-result/1\",\n", result);
        print_member(result, "job", name ? name : file->name);
        print_member(result, "status", "refused");
        fputs("  \"error\": \"", result);
        br_write_text(result, BR_QUOTE_JSON, text);
        fputs("\"\n}\n", result);
    }
    remove_empty(intake, file);
    int error = out && result ? 0 : errno, first = close_file(&out), second = close_file(&result);
    if (!error)
        error = first ? first : second;
    if (!error)
        error = cli_intake_leave(intake->root, CLI_PLACE_FAILED, file);
    intake->failed++;
    intake_say(intake, name ? name : file->name, "is refused: ", text);
    if (error)
        say_stuck(intake, file->name, error);
    free(name);
}

static enum br_status intake_load(struct cli_intake *intake, struct cli_intake_job *job,
                                  struct br_diag *diag)
{
    char path[CLI_INTAKE_PATH];
    struct cli_run_job *one = &job->one;
    cli_intake_path(intake->root, CLI_PLACE_RUNNING, &job->file, "", path);
    enum br_status status =
        cli_run_load(intake->settings, path, false, intake->cluster, &one->input, diag);
    if (status)
        return status;
    *diag = (struct br_diag){0};
    const struct br_dag *dag = one->input.input.dag;
    one->name = intake_name_job(&job->file);
    one->output = open_beside(intake, &job->file, ".out", "ae");
    one->failure = open_beside(intake, &job->file, ".error", "ae");
    if (!one->name || !one->output || !one->failure)
        return br_fail(diag, BR_SYSTEM, NULL, "its files cannot be written: %s", strerror(errno));
    job->job = (struct br_run_job){
        .name = one->name,
        .dag = dag,
        .plan = one->input.plan,
        .group = job->file.group ? job->file.group : cli_run_own_group(dag),
        .context = one,
    };
    return cli_run_job_open(intake->settings, one, diag);
}

/* The job in a file of running, of which this takes ownership; NULL if it is refused. */
static struct br_run_job *intake_begin(struct cli_intake *intake, struct cli_intake_file *file)
{
    struct br_diag diag = {0};
    struct cli_intake_job *job = calloc(1, sizeof *job);
    if (!job) {
        br_fail_memory(&intake->diag);
        cli_intake_file_finish(file);
        return NULL;
    }
    job->file = *file;
    if (intake_load(intake, job, &diag)) {
        /* A job that was being read at the stop is read again by the next server. */
        if (!cli_interrupted())
            intake_refuse(intake, &job->file, &diag);
        intake_release(job);
        return NULL;
    }
    job->next = intake->first;
    job->link = &intake->first;
    if (job->next)
        job->next->link = &job->next;
    intake->first = job;
    return &job->job;
}

static struct cli_intake_job *intake_job_of(const struct br_run_job *job)
{
    return (struct cli_intake_job *)job->context;
}

/* ---- The source ---- */

static bool intake_look(struct cli_intake *intake, enum cli_place place)
{
    free(intake->file);
    intake->file = NULL;
    intake->files = intake->at = 0;
    return !cli_intake_list(intake->root, place, &intake->file, &intake->files, &intake->diag);
}

static struct br_run_job *earlier(void *context)
{
    struct cli_intake *intake = context;
    if (!intake->listed && !intake_look(intake, CLI_PLACE_RUNNING))
        return NULL;
    intake->listed = true;
    while (intake->at < intake->files) {
        struct br_run_job *job = intake_begin(intake, &intake->file[intake->at++]);
        if (job || intake->diag.what[0])
            return job;
    }
    return NULL;
}

static bool is_group_full(const struct cli_intake *intake, const struct cli_intake_file *file)
{
    uint32_t count = 0;
    for (const struct cli_intake_job *job = intake->first; job; job = job->next)
        count +=
            strcmp(job->file.group ? job->file.group : "", file->group ? file->group : "") == 0;
    return count >= GROUP_MOST;
}

/* The job in a file of new; NULL if it stays there for now, or is refused. Takes the file. */
static struct br_run_job *intake_take(struct cli_intake *intake, struct cli_intake_file *file)
{
    char path[CLI_INTAKE_PATH];
    cli_intake_path(intake->root, CLI_PLACE_NEW, file, "", path);
    int error = 0;
    bool wait = is_group_full(intake, file) || cli_intake_is_open(path);
    if (!wait)
        error = cli_intake_take(intake->root, file);
    if (!wait && !error)
        return intake_begin(intake, file);
    intake->held |= wait;
    if (error && error != ENOENT)
        br_fail(&intake->diag, BR_SYSTEM, "see to it that the server may write to the spool",
                "the file %.200s cannot be taken: %s", path, strerror(error));
    cli_intake_file_finish(file);
    return NULL;
}

static struct br_run_job *intake_next(void *context, bool *more)
{
    struct cli_intake *intake = context;
    bool ask = cli_intake_watch_ask(&intake->watch);
    /* A run that would end now looks once more. */
    ask |= intake->settings->run.until_empty && !intake->first && intake->at == intake->files;
    *more = true;
    for (int looks = 0; looks < 2 && !intake->diag.what[0]; looks++) {
        while (intake->at < intake->files && !intake->diag.what[0]) {
            struct br_run_job *job = intake_take(intake, &intake->file[intake->at++]);
            if (job) {
                intake->watch.news |= ask;
                return job;
            }
        }
        if (!ask || intake->diag.what[0])
            break;
        intake->held = false;
        intake_look(intake, CLI_PLACE_NEW);
        ask = false;
    }
    if (intake->held)
        cli_intake_watch_again(&intake->watch);
    *more = !intake->diag.what[0] && (!intake->settings->run.until_empty || intake->held);
    return NULL;
}

static void refused(void *context, struct br_run_job *job, const struct br_diag *diag)
{
    struct cli_intake *intake = context;
    intake_refuse(intake, &intake_job_of(job)->file, diag);
    intake_release(intake_job_of(job));
}

static int intake_write_result(struct cli_intake *intake, struct cli_intake_job *job)
{
    FILE *out = open_beside(intake, &job->file, ".json", "we");
    if (!out)
        return errno;
    intake_print_result(out, &job->job);
    return close_file(&out);
}

/* Only a failed job has failures. */
static int close_failures(struct cli_intake *intake, struct cli_intake_job *job, bool good)
{
    char path[CLI_INTAKE_PATH];
    int error = close_file(&job->one.failure);
    if (good && cli_intake_path(intake->root, CLI_PLACE_RUNNING, &job->file, ".error", path))
        unlink(path);
    return good ? 0 : error;
}

static bool intake_over(void *context, struct br_run_job *run_job)
{
    struct cli_intake *intake = context;
    struct cli_intake_job *job = intake_job_of(run_job);
    const struct br_job_result *result = &run_job->result;
    uint32_t done = result->resumed + result->finished;
    bool good = done == run_job->dag->tasks;
    int error = close_file(&job->one.output), more = close_failures(intake, job, good);
    char text[64];
    if (!error)
        error = more ? more : intake_write_result(intake, job);
    if (!error)
        error =
            cli_intake_leave(intake->root, good ? CLI_PLACE_DONE : CLI_PLACE_FAILED, &job->file);
    ++*(good ? &intake->done : &intake->failed);
    snprintf(text, sizeof text, "%" PRIu32 " of %" PRIu32 " tasks done", done, run_job->dag->tasks);
    if (error)
        say_stuck(intake, run_job->name, error);
    else if (!good || !intake->settings->output.quiet)
        intake_say(intake, run_job->name, good ? "is done: " : "has failed: ", text);
    intake_release(job);
    return !error;
}

struct br_run_source cli_intake_source(struct cli_intake *intake)
{
    return (struct br_run_source){
        .context = intake,
        .watch = intake->watch.notify,
        .earlier = earlier,
        .next = intake_next,
        .refused = refused,
        .over = intake_over,
    };
}

/* ---- Opening ---- */

/* A process that a killed server was about to start holds the lock until it executes its program,
 * so this tries for the lock for up to a second. */
static enum br_status lock(struct cli_intake *intake, struct br_diag *diag)
{
    intake->lock = open(intake->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = intake->lock < 0 ? errno : 0;
    for (int tries = 0; !error && flock(intake->lock, LOCK_EX | LOCK_NB); tries++) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || tries == 100)
            error = errno;
        else
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    br_diag_file(diag, intake->root);
    if (error == EWOULDBLOCK)
        return br_fail(diag, BR_NO, "drop the jobs into its folder new, or take another folder",
                       "another server works on the spool");
    if (error)
        return br_fail(diag, BR_SYSTEM, NULL, "the spool cannot be locked: %s", strerror(error));
    br_diag_file(diag, NULL);
    return BR_OK;
}

enum br_status cli_intake_open(struct cli_intake *intake, const struct cli_settings *settings,
                               struct br_cluster **cluster, struct cli_progress *progress,
                               struct br_diag *diag)
{
    *intake = (struct cli_intake){.settings = settings,
                                  .cluster = cluster,
                                  .progress = progress,
                                  .root = settings->run.spool,
                                  .lock = -1,
                                  .watch = {.notify = -1}};
    enum br_status status = cli_intake_make(intake->root, diag);
    if (!status)
        status = lock(intake, diag);
    if (status)
        return status;
    snprintf(intake->journal, sizeof intake->journal, "%s/journal", intake->root);
    snprintf(intake->new, sizeof intake->new, "%s/new", intake->root);
    cli_intake_watch_open(&intake->watch, intake->new);
    return BR_OK;
}

void cli_intake_close(struct cli_intake *intake)
{
    while (intake->first)
        intake_release(intake->first);
    for (; intake->at < intake->files; intake->at++)
        cli_intake_file_finish(&intake->file[intake->at]);
    free(intake->file);
    cli_intake_watch_close(&intake->watch);
    if (intake->lock >= 0)
        close(intake->lock);
    intake->lock = -1;
}
