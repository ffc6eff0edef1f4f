/* A row for each decision of the control loops of jobs with deadlines. */
#include <inttypes.h>
#include <math.h>

#include "cluster/simulate/report/study_fields.h"
#include "cluster/simulate/report/study_outputs.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"

static void study_allotments_write_text(FILE *out, const char *text)
{
    putc('"', out);
    br_write_text(out, BR_QUOTE_CSV, text);
    putc('"', out);
}

static void study_allotments_write_row(FILE *out, const struct br_study *study,
                                       const struct br_study_run *run,
                                       const struct br_allotment *row)
{
    const struct br_workload_job *job = &study->workload->job[row->job];
    const int64_t time_ns[] = {row->at_ns, row->deadline_ns, row->left_ns, row->left_high_ns};
    study_allotments_write_text(out, run->policy);
    fprintf(out, ",%" PRIu64 ",", run->seed);
    study_allotments_write_text(out, job->id);
    for (int k = 0; k < 4; k++) {
        putc(',', out);
        br_write_seconds(out, time_ns[k]);
    }
    fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", row->raw, row->amount, row->running);
    br_write_figure(out, row->progress, "");
    putc(',', out);
    br_write_figure(out, row->on_time, "");
    putc('\n', out);
}

enum br_status br_study_allotments(const struct br_study *study, FILE *out, struct br_diag *diag)
{
    (void)diag;
    fputs("policy,seed,job,time,deadline,left,left_p95,raw,tokens,running,progress,on_time\n", out);
    for (uint32_t r = 0; r < study->runs; r++) {
        const struct br_allotments *all = study->run[r].allotments;
        for (uint32_t k = 0; all && k < all->rows && !ferror(out); k++)
            study_allotments_write_row(out, study, &study->run[r], &all->row[k]);
    }
    return BR_OK;
}
