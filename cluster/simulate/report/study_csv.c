/* Rows for spreadsheets and programs. */
#include <math.h>

#include "base/numbers/real.h"
#include "cluster/simulate/report/study_fields.h"
#include "cluster/simulate/report/study_outputs.h"
#include "emit/write/write.h"

/* A time that many seconds after the job's arrival; unknown if these are. */
static struct br_figure_value study_csv_after(const struct br_workload_job *job, double seconds)
{
    return br_figure_time(isnan(seconds) ? BR_NEVER
                                         : job->arrival_ns + br_real_whole(seconds * 1e9));
}

/* ---- A row for each job ---- */

struct study_job_row {
    const struct br_study_run *run;
    const struct br_workload_job *job;
    const char *group;
    const struct br_job_metrics *m;
};
#define STUDY_JOB_FIGURES(FIGURE, LINE)                                                            \
    FIGURE(policy, row->run->policy)                                                               \
    FIGURE(seed, row->run->seed)                                                                   \
    FIGURE(job, row->job->id)                                                                      \
    FIGURE(group, row->group)                                                                      \
    FIGURE(arrival, br_figure_time(row->job->arrival_ns))                                          \
    FIGURE(start, study_csv_after(row->job, row->m->wait_s))                                       \
    FIGURE(end, study_csv_after(row->job, row->m->jct_s))                                          \
    FIGURE(jct, row->m->jct_s)                                                                     \
    FIGURE(slowdown, row->m->slowdown)                                                             \
    FIGURE(wait, row->m->wait_s)                                                                   \
    FIGURE(deadline, br_figure_time(row->m->allotted.deadline_ns))                                 \
    FIGURE(tardiness, row->m->tardiness_s)                                                         \
    FIGURE(weight, row->job->weight)                                                               \
    FIGURE(work, row->m->work_s)                                                                   \
    FIGURE(wasted, row->m->wasted_s)                                                               \
    FIGURE(failures, row->m->failures)                                                             \
    FIGURE(lateness, row->m->lateness_s)                                                           \
    FIGURE(token_minutes, row->m->allotted.token_minutes)                                          \
    FIGURE(above_oracle, row->m->allotted.above)
BR_FIGURES(study_job_figures, struct study_job_row, STUDY_JOB_FIGURES);

enum br_status br_study_csv(const struct br_study *study, FILE *out, struct br_diag *diag)
{
    const struct br_workload *workload = study->workload;
    (void)diag;
    br_write_figures_head(out, "", &study_job_figures, "\n");
    for (uint32_t r = 0; r < study->runs; r++)
        for (uint32_t j = 0; j < workload->jobs && !ferror(out); j++) {
            const struct br_workload_job *job = &workload->job[j];
            struct study_job_row row = {&study->run[r], job, workload->group[job->group].name,
                                        &study->run[r].metrics->job[j]};
            br_write_figures_row(out, "", &study_job_figures, &row, "\n");
        }
    return BR_OK;
}

/* ---- A row for each attempt at a task ---- */

struct study_task_row {
    const struct br_study *study;
    const struct br_study_run *run;
    const struct br_span *of;
    const struct br_stage *stage;
};

/* The stage of the task; tasks are numbered stage by stage. */
static const struct br_stage *study_csv_stage(const struct br_workload *workload,
                                              const struct br_span *span)
{
    const struct br_dag *dag = workload->dag[workload->job[span->job].dag].dag;
    uint32_t low = 0, high = dag->stages;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (dag->stage[middle].first_task <= span->task)
            low = middle;
        else
            high = middle;
    }
    return &dag->stage[low];
}

static const char *study_csv_end(enum br_span_end end)
{
    static const char *const name[] = {[BR_SPAN_DONE] = "done",
                                       [BR_SPAN_FAILED] = "failed",
                                       [BR_SPAN_EVICTED] = "evicted",
                                       [BR_SPAN_CUT] = "cut",
                                       [BR_SPAN_LOST] = "lost"};
    return name[end];
}

#define STUDY_TASK_FIGURES(FIGURE, LINE)                                                           \
    FIGURE(policy, row->run->policy)                                                               \
    FIGURE(seed, row->run->seed)                                                                   \
    FIGURE(job, row->study->workload->job[row->of->job].id)                                        \
    FIGURE(stage, row->stage->id)                                                                  \
    FIGURE(index, row->of->task - row->stage->first_task)                                          \
    FIGURE(machine, row->of->machine)                                                              \
    FIGURE(start, br_figure_time(row->of->start_ns))                                               \
    FIGURE(end, br_figure_time(row->of->end_ns))                                                   \
    FIGURE(ended, br_figure_word(study_csv_end(row->of->end)))
BR_FIGURES(study_task_figures, struct study_task_row, STUDY_TASK_FIGURES);

enum br_status br_study_tasks(const struct br_study *study, FILE *out, struct br_diag *diag)
{
    (void)diag;
    br_write_figures_head(out, "", &study_task_figures, "\n");
    for (uint32_t r = 0; r < study->runs; r++)
        for (uint64_t k = 0; k < study->run[r].spans && !ferror(out); k++) {
            struct study_task_row row = {study, &study->run[r], &study->run[r].span[k], NULL};
            row.stage = study_csv_stage(study->workload, row.of);
            br_write_figures_row(out, "", &study_task_figures, &row, "\n");
        }
    return BR_OK;
}

/* ---- A row for each run ---- */

#define STUDY_RUN_HEAD(FIGURE, LINE)                                                               \
    FIGURE(policy, row->policy)                                                                    \
    FIGURE(seed, row->seed)
#define STUDY_RUN_END(FIGURE, LINE)                                                                \
    FIGURE(cut, row->cut)                                                                          \
    FIGURE(note, row->note ? row->note : "")
BR_FIGURES(study_run_head, struct br_study_run, STUDY_RUN_HEAD);
BR_FIGURES(study_run_end, struct br_study_run, STUDY_RUN_END);

enum br_status br_study_runs(const struct br_study *study, FILE *out, struct br_diag *diag)
{
    struct br_figures figures = br_study_figures(study);
    (void)diag;
    br_write_figures_head(out, "", &study_run_head, "");
    br_write_figures_head(out, ",", &figures, "");
    br_write_figures_head(out, ",", &study_run_end, "\n");
    for (uint32_t r = 0; r < study->runs && !ferror(out); r++) {
        struct br_study_row row = br_study_row(study, r);
        br_write_figures_row(out, "", &study_run_head, row.run, "");
        br_write_figures_row(out, ",", &figures, &row, "");
        br_write_figures_row(out, ",", &study_run_end, row.run, "\n");
    }
    return BR_OK;
}
