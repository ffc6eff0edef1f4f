#include "cli/build/fit.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/roles.h"
#include "cli/terminal/say.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "planner/instance/instance.h"
#include "runtime/predict/dag_with.h"

/* In whole units; -1 if there is none, or no whole number. */
static int64_t fit_capacity_of(const struct br_cluster *cluster, enum br_role role)
{
    int64_t amount;
    const struct br_decimal capacity = br_cluster_capacity(cluster, 0, br_role_name(role));
    if (!br_decimal_scale(capacity, 3, &amount))
        return -1;
    return amount >= 1000 ? amount / 1000 : -1;
}

/* The demand of a task of the stage, rounded up; -1: nothing, or too much to count. */
static int64_t demand_of(const struct br_dag *dag, uint32_t s, enum br_role role)
{
    const struct br_stage *stage = &dag->stage[s];
    int64_t amount;
    for (uint32_t d = 0; d < stage->demands; d++) {
        const struct br_demand *demand = &dag->demand[stage->first_demand + d];
        if (strcmp(dag->resource[demand->resource].name, br_role_name(role)) == 0)
            return br_decimal_scale(demand->amount, 3, &amount) ? (amount + 999) / 1000 : -1;
    }
    return -1;
}

static void say_alone(const struct br_dag *dag, uint32_t largest, uint32_t alone)
{
    assert(alone > 0);
    char text[BR_ROLE_AMOUNT_TEXT];
    br_role_bytes_text(demand_of(dag, largest, BR_ROLE_MEMORY), text);
    if (alone == 1)
        cli_say("'%.200s' needs %s of memory, more than there is, and runs alone",
                dag->stage[largest].id, text);
    else
        cli_say("%" PRIu32 " commands need more memory than there is and run alone, the largest "
                "'%.200s' with %s",
                alone, dag->stage[largest].id, text);
}

enum br_status cli_check_demand(const struct br_input *input, struct br_diag *diag)
{
    struct br_instance *instance;
    br_diag_file(diag, input->dag->source);
    enum br_status status = br_instance_create(input->dag, input->cluster, &instance, diag);
    if (status)
        return status == BR_BAD_INPUT ? BR_USAGE : status;
    br_instance_destroy(instance);
    br_diag_file(diag, NULL);
    return BR_OK;
}

enum br_status cli_fit_commands(struct br_input *input, bool quiet, struct br_diag *diag)
{
    const struct br_dag *dag = input->dag;
    const int64_t mem = fit_capacity_of(input->cluster, BR_ROLE_MEMORY);
    const int64_t cpu = fit_capacity_of(input->cluster, BR_ROLE_CPU);
    int64_t *cores = calloc((size_t)dag->stages + 1, sizeof *cores);
    int64_t *bytes = calloc((size_t)dag->stages + 1, sizeof *bytes);
    struct br_dag *made = NULL;
    uint32_t alone = 0, changed = 0, largest = 0;
    for (uint32_t s = 0; s < dag->stages && cores && bytes; s++) {
        const int64_t wants = demand_of(dag, s, BR_ROLE_MEMORY);
        const bool over = mem >= 0 && wants > mem;
        const bool wide = cpu >= 0 && demand_of(dag, s, BR_ROLE_CPU) > cpu;
        bytes[s] = over ? mem : -1;
        cores[s] = over || wide ? cpu : -1;
        if (over && (!alone || wants > demand_of(dag, largest, BR_ROLE_MEMORY)))
            largest = s;
        alone += over;
        changed += over || wide;
    }
    enum br_status status = cores && bytes ? BR_OK : br_fail_memory(diag);
    const struct br_needs needs = {.cores = cores, .mem_bytes = bytes};
    if (!status && changed)
        status = br_dag_with(dag, &needs, &made, diag);
    if (!status && alone && !quiet)
        say_alone(dag, largest, alone);
    if (made) {
        br_dag_destroy(input->dag);
        input->dag = made;
    }
    free(cores);
    free(bytes);
    return status;
}
