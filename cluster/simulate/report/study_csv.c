/* Rows for spreadsheets and programs. Texts are quoted; a character that would begin a formula is
 * written as \u003d and the like. Unknown values are left empty. */
#include <inttypes.h>
#include <math.h>

#include "base/numbers/real.h"
#include "cluster/simulate/report/study_fields.h"
#include "cluster/simulate/report/study_outputs.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"

static void study_csv_write_text(FILE *out, const char *text)
{
    putc('"', out);
    br_write_text(out, BR_QUOTE_CSV, text);
    putc('"', out);
}

static void study_csv_write_number(FILE *out, double value)
{
    putc(',', out);
    br_write_figure(out, value, "");
}

static void study_csv_write_time(FILE *out, int64_t ns)
{
    putc(',', out);
    if (ns != BR_NEVER)
        br_write_seconds(out, ns);
}

/* A time that many seconds after another; BR_NEVER if that is unknown. */
static int64_t study_csv_after(int64_t ns, double seconds)
{
    return isnan(seconds) ? BR_NEVER : ns + br_real_whole(seconds * 1e9);
}

enum br_status br_study_csv(const struct br_study *study, FILE *out, struct br_diag *diag)
{
    (void)diag;
    fputs("policy,seed,job,group,arrival,start,end,jct,slowdown,wait,deadline,tardiness,weight,"
          "work,wasted,failures,lateness,token_minutes,above_oracle\n",
          out);
    for (uint32_t r = 0; r < study->runs; r++) {
        const struct br_study_run *run = &study->run[r];
        for (uint32_t j = 0; j < study->workload->jobs && !ferror(out); j++) {
            const struct br_workload_job *job = &study->workload->job[j];
            const struct br_job_metrics *m = &run->metrics->job[j];
            study_csv_write_text(out, run->policy);
            fprintf(out, ",%" PRIu64 ",", run->seed);
            study_csv_write_text(out, job->id);
            putc(',', out);
            study_csv_write_text(out, study->workload->group[job->group].name);
            study_csv_write_time(out, job->arrival_ns);
            study_csv_write_time(out, study_csv_after(job->arrival_ns, m->wait_s));
            study_csv_write_time(out, study_csv_after(job->arrival_ns, m->jct_s));
            study_csv_write_number(out, m->jct_s);
            study_csv_write_number(out, m->slowdown);
            study_csv_write_number(out, m->wait_s);
            study_csv_write_time(out, m->allotted.deadline_ns);
            study_csv_write_number(out, m->tardiness_s);
            study_csv_write_number(out, job->weight);
            study_csv_write_number(out, m->work_s);
            study_csv_write_number(out, m->wasted_s);
            fprintf(out, ",%" PRIu32, m->failures);
            study_csv_write_number(out, m->lateness_s);
            study_csv_write_number(out, m->allotted.token_minutes);
            study_csv_write_number(out, m->allotted.above);
            putc('\n', out);
        }
    }
    return BR_OK;
}

enum br_status br_study_runs(const struct br_study *study, FILE *out, struct br_diag *diag)
{
    (void)diag;
    fputs("policy,seed", out);
    for (uint32_t k = 0; k < br_study_fields(study); k++)
        fprintf(out, ",%s", br_study_field[k].name);
    fputs(",cut,note\n", out);
    for (uint32_t r = 0; r < study->runs && !ferror(out); r++) {
        const struct br_study_run *run = &study->run[r];
        study_csv_write_text(out, run->policy);
        fprintf(out, ",%" PRIu64, run->seed);
        for (uint32_t k = 0; k < br_study_fields(study); k++)
            study_csv_write_number(out, br_study_value(study, run, &br_study_field[k]));
        fputs(run->cut ? ",true," : ",false,", out);
        study_csv_write_text(out, run->note ? run->note : "");
        putc('\n', out);
    }
    return BR_OK;
}
