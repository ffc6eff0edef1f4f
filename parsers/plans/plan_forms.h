/* The forms of a plan, each from an open source. See br_parse_plan. */
#ifndef BR_PARSERS_PLANS_PLAN_FORMS_H
#define BR_PARSERS_PLANS_PLAN_FORMS_H

#include "parsers/plans/plans.h"
#include "parsers/text/source.h"

/* They carry their job and their cluster. After a fault nothing is left in input and plan. */
enum br_status br_read_plan_json(struct br_source *source, struct br_input *input,
                                 struct br_plan **plan, struct br_diag *diag);
enum br_status br_read_plan_xml(struct br_source *source, struct br_input *input,
                                struct br_plan **plan, struct br_diag *diag);

/* Does the text begin as a plan in the form "order" does? */
bool br_is_plan_order(const char *text);
/* A plan of the given job on the given cluster. */
enum br_status br_read_plan_order(struct br_source *source, const struct br_input *job,
                                  struct br_plan **plan, struct br_diag *diag);

#endif
