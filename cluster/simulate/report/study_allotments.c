/* A row for each decision of the control loops of jobs with deadlines. */
#include "cluster/simulate/report/study_fields.h"
#include "cluster/simulate/report/study_outputs.h"

struct study_allotment_row {
    const struct br_study_run *run;
    const char *job;
    const struct br_allotment *of;
};
#define STUDY_ALLOTMENT_FIGURES(FIGURE, LINE)                                                      \
    FIGURE(policy, row->run->policy)                                                               \
    FIGURE(seed, row->run->seed)                                                                   \
    FIGURE(job, row->job)                                                                          \
    FIGURE(time, br_figure_time(row->of->at_ns))                                                   \
    FIGURE(deadline, br_figure_time(row->of->deadline_ns))                                         \
    FIGURE(left, br_figure_time(row->of->left_ns))                                                 \
    FIGURE(left_p95, br_figure_time(row->of->left_high_ns))                                        \
    FIGURE(raw, row->of->raw)                                                                      \
    FIGURE(tokens, row->of->amount)                                                                \
    FIGURE(running, row->of->running)                                                              \
    FIGURE(progress, row->of->progress)                                                            \
    FIGURE(on_time, row->of->on_time)
BR_FIGURES(study_allotment_figures, struct study_allotment_row, STUDY_ALLOTMENT_FIGURES);

enum br_status br_study_allotments(const struct br_study *study, FILE *out, struct br_diag *diag)
{
    (void)diag;
    br_write_figures_head(out, "", &study_allotment_figures, "\n");
    for (uint32_t r = 0; r < study->runs; r++) {
        const struct br_allotments *all = study->run[r].allotments;
        for (uint32_t k = 0; all && k < all->rows && !ferror(out); k++) {
            struct study_allotment_row row = {
                &study->run[r], study->workload->job[all->row[k].job].id, &all->row[k]};
            br_write_figures_row(out, "", &study_allotment_figures, &row, "\n");
        }
    }
    return BR_OK;
}
