#include "cluster/workload/outcome.h"

#include <stdlib.h>

void br_outcome_finish(struct br_outcome *outcome)
{
    free(outcome->end_ns);
    free(outcome->span);
    free(outcome->work_ns);
    br_allotments_finish(&outcome->allotments);
    *outcome = (struct br_outcome){0};
}
