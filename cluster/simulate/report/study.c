/* The table of outputs: a new one is a file and a row here. */
#include "cluster/simulate/report/study.h"

#include <string.h>

#include "cluster/simulate/report/study_outputs.h"
#include "emit/write/write.h"

static const struct {
    const char *name, *summary;
    bool draws;
    br_study_output *write;
} formats[] = {
    {"text", "a table for people, policy against policy (the default)", false, br_study_text},
    {"csv", "a row for each job and run", false, br_study_csv},
    {"runs", "a row for each run, as CSV", false, br_study_runs},
    {"allotments", "a row for each decision about a job with a deadline, as CSV", true,
     br_study_allotments},
    {"json", "all figures of runs and policies, for other programs", false, br_study_json},
    {"svg", "pictures: completion times, running tasks and use over time, fairness", true,
     br_study_svg},
    {"html", "a report for a browser: tables, pictures, policy against policy by job", true,
     br_study_html},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *br_study_format(uint32_t k)
{
    return k < FORMATS ? formats[k].name : NULL;
}

const char *br_study_summary(uint32_t k)
{
    return k < FORMATS ? formats[k].summary : NULL;
}

bool br_study_draws(const char *format)
{
    for (uint32_t k = 0; k < FORMATS; k++)
        if (strcmp(formats[k].name, format) == 0)
            return formats[k].draws;
    return false;
}

enum br_status br_emit_study(const char *format, const struct br_study *study, FILE *out,
                             struct br_diag *diag)
{
    char hint[sizeof diag->hint] = "choose one of ";
    for (uint32_t k = 0; k < FORMATS; k++) {
        if (strcmp(formats[k].name, format) == 0) {
            enum br_status status = formats[k].write(study, out, diag);
            return status ? status : br_write_finish(out, diag);
        }
        size_t used = strlen(hint);
        snprintf(hint + used, sizeof hint - used, "%s%s", k ? ", " : "", formats[k].name);
    }
    return br_fail(diag, BR_USAGE, hint, "a simulation has no output '%.100s'", format);
}
