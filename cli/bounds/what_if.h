/* Bounds on changed clusters. */
#ifndef BR_CLI_BOUNDS_WHAT_IF_H
#define BR_CLI_BOUNDS_WHAT_IF_H

#include <bigrocks/bound.h>

#include "cli/bounds/change.h"
#include "cli/options/settings.h"
#include "emit/pictures/curve.h"
#include "parsers/parsers.h"
#include "planner/instance/instance.h"

/* bound --what-if: the bound as a curve over changes of the cluster. */
enum br_status cli_what_if(const struct cli_settings *settings, const struct br_input *input,
                           struct br_diag *diag);
/* bound --explain. */
enum br_status cli_explain_bound(const struct br_input *input, const struct br_bound_result *result,
                                 struct br_diag *diag);

#endif
