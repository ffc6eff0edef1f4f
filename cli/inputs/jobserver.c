/* Chooses the jobserver. */
#include "cli/inputs/jobserver.h"

#include <stdlib.h>
#include <string.h>

#include "base/process/machine.h"
#include "base/roles.h"
#include "cli/options/choices.h"
#include "cli/terminal/say.h"

struct br_jobserver *cli_jobserver_join(const struct cli_settings *settings)
{
    struct br_jobserver *jobserver;
    struct br_diag diag = {0};
    if (settings->run.jobserver != BR_NO_ROW)
        return NULL;
    if (br_jobserver_join(getenv("MAKEFLAGS"), &jobserver, &diag))
        cli_say_diag(&diag);
    return jobserver;
}

/* Whole processors of all machines; those of this one if the cluster counts none. */
static uint32_t count_processors(const struct br_cluster *cluster)
{
    double sum = 0;
    bool known = false;
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t k = 0; k < cluster->cls[c].capacities; k++) {
            const struct br_capacity *capacity = &cluster->cls[c].capacity[k];
            int64_t thousandths;
            if (br_role_of(capacity->resource) != BR_ROLE_CPU ||
                !br_decimal_scale(capacity->amount, 3, &thousandths))
                continue;
            known = true;
            sum += (double)thousandths / 1000 * cluster->cls[c].count;
        }
    struct br_machine here;
    br_machine_ask(&here);
    if (!known)
        sum = here.processors;
    return sum < 1 ? 1 : sum > 1e6 ? 1000000 : (uint32_t)sum;
}

enum br_status cli_jobserver_make(const struct cli_settings *settings,
                                  const struct br_cluster *cluster, struct br_jobserver **jobserver,
                                  struct br_diag *diag)
{
    const uint32_t kind = settings->run.jobserver;
    if (kind == BR_NO_ROW || kind == CLI_JOBSERVER_NONE)
        return BR_OK;
    return br_jobserver_create(kind == CLI_JOBSERVER_FIFO ? BR_JOBSERVER_FIFO : BR_JOBSERVER_PIPE,
                               count_processors(cluster), jobserver, diag);
}
