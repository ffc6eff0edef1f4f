/* A plan from a file, in any of its forms. */
#include <string.h>

#include "parsers/plans/plan_forms.h"

enum br_status br_parse_plan(const char *path, const struct br_input *job, struct br_input *input,
                             struct br_plan **plan, struct br_diag *diag)
{
    struct br_source source;
    *input = (struct br_input){0};
    *plan = NULL;
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    const char *first = source.buffer + strspn(source.buffer, " \t\r\n\xef\xbb\xbf");
    if (*first == '<')
        status = br_read_plan_xml(&source, input, plan, diag);
    else if (!br_is_plan_order(first))
        status = br_read_plan_json(&source, input, plan, diag);
    else if (!job || !job->dag)
        status = br_fail(diag, BR_BAD_INPUT,
                         "give the job, too: run JOB --plan PLAN, check JOB PLAN, render --job JOB",
                         "a plan in the form 'order' does not carry its job");
    else if (!job->cluster)
        status = br_fail(diag, BR_BAD_INPUT, "give the cluster, too",
                         "a plan in the form 'order' does not carry its cluster");
    else
        status = br_read_plan_order(&source, job, plan, diag);
    br_source_close(&source);
    return status;
}
