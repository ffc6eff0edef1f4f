/* Figures in a plan's file that follow from the rest of it. They are kept beside the plan, for the
 * check of the file; when the plan is written, they are computed again.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/plans/plan_reader.h"

bool br_plan_read_gap(struct br_plan_reader *r, const struct br_json_field *field)
{
    struct br_plan_stated *stated = r->plan->stated;
    if (!br_json_go(&r->json, field))
        return !r->json.status;
    stated->gap_given = true;
    stated->gap = (double)INFINITY;
    if (br_json_peek(&r->json) == 'n')
        return br_json_skip(&r->json);
    if (br_json_number(&r->json, "the gap"))
        stated->gap = strtod(r->json.text, NULL);
    return !r->json.status;
}

bool br_plan_read_status(struct br_plan_reader *r, const struct br_json_field *field)
{
    struct br_json *json = &r->json;
    if (!br_json_go(json, field) || !br_json_string(json, "the status of the bound"))
        return !json->status;
    if (strcmp(json->text, "proven") == 0)
        r->plan->stated->status = BR_STATED_PROVEN;
    else if (strcmp(json->text, "unproven") == 0)
        r->plan->stated->status = BR_STATED_UNPROVEN;
    else
        return br_json_fail(json, field->at, "write proven or unproven",
                            "'%s' is no status of a bound", json->text);
    return true;
}
