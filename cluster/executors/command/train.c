/* bigrocks train: learns a policy for executors. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/collections/grow.h"
#include "base/process/stop.h"
#include "cli/inputs/job_list.h"
#include "cli/inputs/load.h"
#include "cli/options/commands.h"
#include "cli/output/output.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/say.h"
#include "cluster/executors/command/train_options.h"
#include "cluster/executors/report/curve.h"
#include "cluster/workload/command/workloads.h"
#include "cluster/workload/make.h"
#include "planner/eligibility/features.h"
#include "planner/model/waves.h"

/* The jobs that episodes are drawn from. */
struct jobs {
    struct br_input *input;
    const struct br_waves **waves;
    const struct br_dag **dag;
    int64_t *deadline_ns; /* after their arrival */
    uint32_t count, room;
};

static void free_jobs(struct jobs *jobs)
{
    for (uint32_t k = 0; k < jobs->count; k++)
        br_input_finish(&jobs->input[k]);
    free(jobs->input);
    free(jobs->waves);
    free(jobs->dag);
    free(jobs->deadline_ns);
}

static enum br_status train_add_job(const struct cli_settings *settings, const char *path,
                                    struct jobs *jobs, struct br_diag *diag)
{
    if (jobs->count == jobs->room) {
        uint32_t room = jobs->room * 2 + 64;
        if (!br_enlarge(&jobs->input, room, sizeof *jobs->input) ||
            !br_enlarge(&jobs->waves, room, sizeof(const struct br_waves *)) ||
            !br_enlarge(&jobs->dag, room, sizeof(const struct br_dag *)) ||
            !br_enlarge(&jobs->deadline_ns, room, sizeof *jobs->deadline_ns))
            return br_fail_memory(diag);
        jobs->room = room;
    }
    struct br_input *input = &jobs->input[jobs->count];
    *input = (struct br_input){0};
    enum br_status status = cli_load(&settings->job, path, false, input, diag);
    if (!status)
        status = br_features_refuse(input->dag, input->cluster, 0, "train", diag);
    if (status)
        return status;
    jobs->dag[jobs->count] = input->dag;
    jobs->waves[jobs->count++] = input->dag->waves;
    if (!input->dag->waves)
        return br_fail(
            diag, BR_BAD_INPUT, "profiles by numbers of executors have them; see docs/learned.md",
            "%s: the durations of its tasks by number of executors were not measured", path);
    return BR_OK;
}

/* A job, or a folder of jobs. */
static enum br_status train_add_jobs(const struct cli_settings *settings, const char *path,
                                     struct jobs *jobs, struct br_diag *diag)
{
    struct cli_job_list list = {0};
    struct stat state;
    if (stat(path, &state) || !S_ISDIR(state.st_mode))
        return train_add_job(settings, path, jobs, diag);
    enum br_status status = cli_job_list_read(&list, path, false, diag);
    for (uint32_t k = 0; !status && k < list.count; k++) {
        char *file = cli_job_list_path(&list, k);
        status = file ? train_add_job(settings, file, jobs, diag) : br_fail_memory(diag);
        free(file);
    }
    cli_job_list_finish(&list);
    return status;
}

static enum br_status set_deadlines(const char *text, struct jobs *jobs, struct br_diag *diag)
{
    double factor = 0;
    int64_t later_ns = 0;
    enum br_status status = cli_read_deadlines(text, &factor, &later_ns, diag);
    for (uint32_t k = 0; k < jobs->count && !status; k++)
        status =
            br_workload_deadline_of(jobs->dag[k], factor, later_ns, &jobs->deadline_ns[k], diag);
    return status;
}

/* ---- Checkpoints ---- */

static enum br_status save(const struct br_course *course, const char *path, struct br_diag *diag)
{
    struct cli_output output;
    enum br_status status = cli_output_open(&output, path, diag);
    if (status)
        return status;
    status = br_course_save(course, output.file, diag);
    return cli_output_close(&output, status, diag);
}

/* A whole file; NULL if it does not exist (*status BR_OK) or cannot be read. */
static char *train_read_file(const char *path, size_t *size, enum br_status *status,
                             struct br_diag *diag)
{
    FILE *file = fopen(path, "rb");
    struct stat state;
    *status = BR_OK;
    if (!file && errno == ENOENT)
        return NULL;
    if (!file || fstat(fileno(file), &state)) {
        *status = br_fail(diag, BR_SYSTEM, NULL, "%s cannot be read: %s", path, strerror(errno));
        if (file)
            fclose(file);
        return NULL;
    }
    size_t room = state.st_size > 0 ? (size_t)state.st_size : 0;
    char *bytes = malloc(room + 1);
    if (!bytes)
        *status = br_fail_memory(diag);
    else
        *size = fread(bytes, 1, room, file);
    fclose(file);
    return bytes;
}

static enum br_status resume(struct br_course *course, const char *path, bool quiet,
                             struct br_diag *diag)
{
    enum br_status status;
    size_t size = 0;
    char *bytes = train_read_file(path, &size, &status, diag);
    if (!bytes)
        return status;
    br_diag_file(diag, path);
    status = br_course_load(course, bytes, size, diag);
    free(bytes);
    if (status)
        return status;
    br_diag_file(diag, NULL);
    if (!quiet)
        cli_say("goes on after iteration %" PRIu64, course->trainer.iteration);
    return BR_OK;
}

/* ---- The training ---- */

static void say_row(const struct br_course *course)
{
    const struct br_course_row *row = &course->row[course->rows - 1];
    if (course->trainer.options.objective == BR_MISSES) {
        cli_say("iteration %" PRIu64 " of %" PRIu64
                ": %.1f %% missed in training%s, %.1f %% in the "
                "trial; best %.1f %% at %" PRIu64,
                row->iteration, course->trainer.options.iterations, 100 * row->trained_s,
                row->taught > 0.5 ? " (the teacher's)" : "", 100 * row->tried_s,
                100 * course->best_s, course->best_iteration);
        return;
    }
    cli_say("iteration %" PRIu64 " of %" PRIu64 ": %.1f s in training%s, %.1f s in the trial; best "
            "%.1f s at %" PRIu64,
            row->iteration, course->trainer.options.iterations, row->trained_s,
            row->taught > 0.5 ? " (the teacher's)" : "", row->tried_s, course->best_s,
            course->best_iteration);
}

/* Trains until it is done or interrupted; writes a checkpoint after every trial, and at the end. */
static enum br_status train_learn(struct br_course *course, const char *checkpoint, bool quiet,
                                  struct br_diag *diag)
{
    const struct br_stop *stop = cli_interrupt_catch();
    enum br_status status = BR_OK;
    while (!status && !br_course_done(course) && !br_stopped(stop)) {
        bool tried;
        status = br_course_step(course, &tried, diag);
        if (!status && tried && !quiet)
            say_row(course);
        if (!status && tried && checkpoint)
            status = save(course, checkpoint, diag);
    }
    if (!status && checkpoint && br_stopped(stop))
        status = save(course, checkpoint, diag);
    cli_interrupt_release();
    return status;
}

static enum br_status write_curve(const struct br_course *course, const char *path,
                                  struct br_diag *diag)
{
    const char *form = cli_format_of(path, &br_learning_forms);
    struct cli_output output;
    enum br_status status =
        cli_output_open_format(&output, &(struct cli_output_settings){.path = path}, form, diag);
    if (status)
        return status;
    status = br_emit_learning(form ? form : "csv", course, output.file, diag);
    return cli_output_close(&output, status, diag);
}

static enum br_status write_model(struct br_course *course, const char *path, const char *made_by,
                                  struct br_diag *diag)
{
    struct br_model *model = &course->trainer.model;
    struct cli_output output;
    br_course_take_best(course);
    free(model->made_by);
    model->made_by = strdup(made_by);
    if (!model->made_by)
        return br_fail_memory(diag);
    enum br_status status = cli_output_open(&output, path, diag);
    if (status)
        return status;
    status = br_model_write(model, output.file, diag);
    return cli_output_close(&output, status, diag);
}

/* Writes the results so far; an interrupted training leaves its checkpoint, but no model. */
static enum br_status train_finish(const struct cli_settings *settings, struct br_course *course,
                                   const char *checkpoint, const char *made_by,
                                   struct br_diag *diag)
{
    enum br_status status = BR_OK;
    if (settings->train.curve && course->rows)
        status = write_curve(course, settings->train.curve, diag);
    if (status)
        return status;
    if (!br_course_done(course)) {
        cli_say("interrupted after iteration %" PRIu64 "%s", course->trainer.iteration,
                checkpoint ? "; --resume goes on from there" : "");
        cli_interrupt_die();
        return BR_NO;
    }
    return write_model(course, settings->output.path, made_by, diag);
}

/* The checkpoint's path, in the arena; NULL: there is none. */
static enum br_status checkpoint_path(const struct cli_settings *settings, struct br_arena *arena,
                                      const char **path, struct br_diag *diag)
{
    const char *model = settings->output.path;
    *path = settings->train.checkpoint;
    if (*path || !model || strcmp(model, "-") == 0)
        return settings->train.resume && !*path ? br_fail(diag, BR_USAGE, "give --checkpoint FILE",
                                                          "--resume has nothing to go on from")
                                                : BR_OK;
    size_t room = strlen(model) + sizeof ".part";
    char *text = br_arena_alloc(arena, room);
    if (!text)
        return br_fail_memory(diag);
    snprintf(text, room, "%s.part", model);
    *path = text;
    return BR_OK;
}

static enum br_status train(const struct cli_settings *settings, const char *const *argument,
                            uint32_t arguments, struct br_arena *arena, struct br_diag *diag)
{
    struct br_train_options options;
    struct br_course_options trials;
    struct br_course course = {0};
    struct jobs jobs = {0};
    const char *checkpoint = NULL,
               *made_by = cli_train_command(settings, argument, arguments, arena);
    bool quiet = settings->output.quiet;
    enum br_status status = cli_train_options(settings, &options, &trials, diag);
    if (!status && !made_by)
        status = br_fail_memory(diag);
    if (!status)
        status = checkpoint_path(settings, arena, &checkpoint, diag);
    for (uint32_t k = 0; !status && k < arguments; k++)
        status = train_add_jobs(settings, argument[k], &jobs, diag);
    const char *deadlines = settings->train.deadlines;
    if (!status && deadlines)
        status = set_deadlines(deadlines, &jobs, diag);
    const struct br_train_jobs pool = {.waves = jobs.waves,
                                       .count = jobs.count,
                                       .dag = jobs.dag,
                                       .deadline_ns = deadlines ? jobs.deadline_ns : NULL};
    if (!status)
        status = br_course_init(&course, &options, &trials, pool, diag);
    if (!status && settings->train.resume)
        status = resume(&course, checkpoint, quiet, diag);
    if (!status)
        status = train_learn(&course, checkpoint, quiet, diag);
    if (!status)
        status = train_finish(settings, &course, checkpoint, made_by, diag);
    br_course_finish(&course);
    free_jobs(&jobs);
    return status;
}

static int train_perform(const struct cli_settings *settings, const char *const *argument,
                         uint32_t arguments, struct br_diag *diag)
{
    struct br_arena arena = {0};
    struct cli_settings spelled = *settings;
    const char *jobs = NULL;
    enum br_status status = BR_OK;
    if (arguments == 1 && cli_train_is_file(argument[0])) {
        status = cli_train_read(argument[0], &arena, &spelled, &jobs, diag);
        if (!status && !jobs)
            status = br_fail(diag, BR_BAD_INPUT, "write jobs = \"FOLDER\"",
                             "%s names no jobs to train with", argument[0]);
        argument = &jobs;
    }
    if (!status)
        status = train(&spelled, argument, arguments, &arena, diag);
    br_arena_finish(&arena);
    return status;
}

const struct cli_command cli_train = {
    .name = "train",
    .bit = CLI_TRAIN,
    .options = cli_train_rows,
    .set_defaults = cli_train_set_defaults,
    .least = 1,
    .most = UINT16_MAX,
    .perform = train_perform,
    .arguments = "JOBS... | SETTINGS.toml",
    .summary = "learn a policy for Spark-like executors",
    .text = "Trains a network to decide which stage of which job gets executors, and how many,\n"
            "by simulating episodes of jobs drawn from those given: profiles of jobs by numbers\n"
            "of executors, or folders of these. Writes the best model of the trials in between,\n"
            "for 'simulate --policy learned --model'. Options may stand in a file, a line\n"
            "'option = value' each, with a line 'jobs = PATH'. Equal options and jobs give equal\n"
            "models, whatever the threads, and also if the training was interrupted and taken\n"
            "up again (--resume).\n",
    .examples =
        "bigrocks train profiles/ --iterations 2000 --teacher weighted-fair=-1:100 -o m.model\n"
        "bigrocks train profiles/ --iterations 2000 --teacher weighted-fair=-1:100 -o m.model "
        "--resume --curve curve.svg\n"
        "bigrocks train t.toml -o m.model\n",
};
