/* The table of outputs: a new one is a file and a row here. */
#include "cluster/simulate/report/study.h"

#include <string.h>

#include "cluster/simulate/report/study_outputs.h"
#include "emit/write/write.h"

static const struct {
    struct br_named named;
    bool draws;
    br_study_output *write;
} formats[] = {
    {{"text", "a table for people, policy against policy (the default)"}, false, br_study_text},
    {{"csv", "a row for each job and run"}, false, br_study_csv},
    {{"runs", "a row for each run, as CSV"}, false, br_study_runs},
    {{"allotments", "a row for each decision about a job with a deadline, as CSV"},
     true,
     br_study_allotments},
    {{"tasks", "a row for each attempt at a task, as CSV"}, false, br_study_tasks},
    {{"json", "all figures of runs and policies, for other programs"}, false, br_study_json},
    {{"svg", "pictures: completion times, running tasks and use over time, fairness"},
     true,
     br_study_svg},
    {{"html", "a report for a browser: tables, pictures, policy against policy by job"},
     true,
     br_study_html},
};

const struct br_names br_study_formats = {BR_NAMES(formats)};

bool br_study_draws(const char *format)
{
    uint32_t k = br_named_find(&br_study_formats, format);
    return k != BR_NO_ROW && formats[k].draws;
}

bool br_study_lists_tasks(const char *format)
{
    uint32_t k = br_named_find(&br_study_formats, format);
    return k != BR_NO_ROW && formats[k].write == br_study_tasks;
}

enum br_status br_emit_study(const char *format, const struct br_study *study, FILE *out,
                             struct br_diag *diag)
{
    uint32_t k = br_named_find(&br_study_formats, format);
    if (k == BR_NO_ROW)
        return br_fail_unnamed(diag, &br_study_formats, format, SIZE_MAX,
                               "a simulation has no output '%.100s'", format);
    enum br_status status = formats[k].write(study, out, diag);
    return status ? status : br_write_finish(out, diag);
}
