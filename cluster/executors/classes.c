#include "cluster/executors/classes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/decimal.h"
#include "base/numbers/real.h"
#include "base/roles.h"
#include "base/text/list.h"
#include "cluster/executors/core.h"

enum br_status br_executors_classes_read(const char *list, struct br_executors_options *options,
                                         struct br_diag *diag)
{
    struct br_list_entry entry;
    uint32_t classes = 0;
    for (; br_list_next(BR_LIST_NUMBER, &list, &entry); classes++) {
        assert(classes < BR_EXECUTOR_CLASSES);
        assert(entry.value > (classes ? options->cls[classes - 1].memory : 0));
        options->cls[classes].memory = entry.value;
    }
    if (options->executors < classes)
        return br_fail(diag, BR_USAGE, "give --executors N", "%u executors are not of %u classes",
                       options->executors, classes);
    for (uint32_t k = 0; k < classes; k++)
        options->cls[k].executors =
            options->executors / classes + (k < options->executors % classes);
    options->classes = classes;
    return BR_OK;
}

/* ---- Requests ---- */

/* The demand of a stage for memory; below 0: none is declared. */
static double declared(const struct br_dag *dag, uint32_t stage)
{
    const struct br_stage *of = &dag->stage[stage];
    for (uint32_t d = of->first_demand; d < of->first_demand + of->demands; d++)
        if (br_role_is_own_name(BR_ROLE_MEMORY, dag->resource[dag->demand[d].resource].name))
            return br_real_of(dag->demand[d].amount);
    return -1;
}

/* Above 0, and up to 1: as good as independent of what tasks draw. */
static double draw_share(uint64_t seed, uint32_t stage)
{
    uint64_t random[2];
    br_executors_random(seed, stage, UINT32_MAX, random);
    return 1 - (double)(random[0] >> 11) * 0x1p-53;
}

static enum br_status classes_ask(const struct br_dag *dag, uint32_t stage, double memory,
                                  const struct br_executors_options *options,
                                  struct br_executor_request *request, struct br_diag *diag)
{
    *request = (struct br_executor_request){.memory = memory};
    while (request->cls < options->classes && options->cls[request->cls].memory < memory)
        request->cls++;
    if (request->cls < options->classes)
        return BR_OK;
    return br_fail(diag, BR_BAD_INPUT, "give larger classes by --classes",
                   "stage '%.80s' demands more memory than the largest executors have",
                   dag->stage[stage].id);
}

enum br_status br_executors_job_asks(const struct br_dag *dag, uint32_t stages, uint64_t seed,
                                     const struct br_executors_options *options, bool draw,
                                     struct br_executor_request *request, struct br_diag *diag)
{
    assert(options->classes && options->classes <= BR_EXECUTOR_CLASSES);
    double largest = options->cls[options->classes - 1].memory;
    enum br_status status = BR_OK;
    for (uint32_t s = 0; s < stages && !status; s++) {
        double memory = dag ? declared(dag, s) : -1;
        if (memory < 0)
            memory = draw ? largest * draw_share(seed, s) : 0;
        status = classes_ask(dag, s, memory, options, &request[s], diag);
    }
    return status;
}

enum br_status br_executors_jobs_ask(struct br_executors_jobs *jobs,
                                     const struct br_workload *workload,
                                     const struct br_executors_options *options, bool draw,
                                     struct br_diag *diag)
{
    enum br_status status = BR_OK;
    size_t stages = 0;
    for (uint32_t j = 0; j < jobs->jobs; j++)
        stages += jobs->arrival[j].waves->stages;
    struct br_executor_request *request = jobs->request = calloc(stages + 1, sizeof *request);
    if (!request)
        return br_fail_memory(diag);
    for (uint32_t j = 0; j < jobs->jobs && !status; j++) {
        const struct br_dag *dag = workload->dag[workload->job[j].dag].dag;
        jobs->arrival[j].request = request;
        status = br_executors_job_asks(dag, dag->stages, jobs->arrival[j].seed, options, draw,
                                       request, diag);
        request += dag->stages;
    }
    assert(status || request == jobs->request + stages);
    return status;
}
