#include "parsers/queries/degrees.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* How long the work lasts on so many cores, rounded up. */
static int64_t degree_ns(const struct br_degrees *degrees, int64_t work_ns, uint32_t degree)
{
    const int64_t whole = BR_DEGREES_WHOLE, serial = degrees->serial;
    const int64_t alone_ns = work_ns / whole * serial + work_ns % whole * serial / whole;
    const int64_t rest_ns = work_ns - alone_ns;
    return alone_ns + rest_ns / degree + (rest_ns % degree > 0);
}

/* The amount so many times. */
static enum br_status degree_amount(const struct br_demand *demand, uint32_t times,
                                    char text[BR_DECIMAL_TEXT], struct br_diag *diag)
{
    struct br_decimal amount = demand->amount;
    if (__builtin_mul_overflow(amount.mantissa, (int64_t)times, &amount.mantissa))
        return br_fail(diag, BR_BAD_INPUT, "leave --parallelism out",
                       "a pipeline takes more than can be counted");
    br_decimal_format(amount, text, BR_DECIMAL_TEXT);
    return BR_OK;
}

/* Processors are taken by each of the cores, all else by the pipeline as a whole. */
static enum br_status degree_demands(const struct br_dag *from, uint32_t stage, struct br_dag *to,
                                     uint32_t alternative, uint32_t degree, struct br_diag *diag)
{
    const struct br_stage *it = &from->stage[stage];
    enum br_status status = BR_OK;
    for (uint32_t k = it->first_demand; k < it->first_demand + it->demands && !status; k++) {
        const struct br_demand *demand = &from->demand[k];
        const char *resource = from->resource[demand->resource].name;
        const bool cpu = strcmp(resource, "cpu") == 0;
        char amount[BR_DECIMAL_TEXT];
        if (cpu != (alternative != BR_WHOLE_STAGE))
            continue;
        status = degree_amount(demand, cpu ? degree : it->tasks, amount, diag);
        if (!status && cpu)
            status = br_dag_add_alternative_demand(to, stage, alternative, resource, amount, diag);
        else if (!status)
            status = br_dag_add_demand(to, stage, resource, amount, diag);
    }
    return status;
}

static enum br_status degree_alternatives(const struct br_dag *from,
                                          const struct br_degrees *degrees, uint32_t stage,
                                          int64_t work_ns, struct br_dag *to, struct br_diag *diag)
{
    const uint32_t most = degrees->by_tasks ? from->stage[stage].tasks : UINT32_MAX;
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < degrees->count && !status; k++) {
        const uint32_t degree = degrees->degree[k];
        uint32_t alternative;
        char id[24];
        if (k > 0 && degree > most)
            break;
        snprintf(id, sizeof id, "cores-%" PRIu32, degree);
        status = br_dag_add_alternative(to, stage, id, degree_ns(degrees, work_ns, degree),
                                        &alternative, diag);
        if (!status)
            status = degree_demands(from, stage, to, alternative, degree, diag);
    }
    return status;
}

static enum br_status degree_stage(const struct br_dag *from, const struct br_degrees *degrees,
                                   uint32_t stage, struct br_dag *to, struct br_diag *diag)
{
    const struct br_stage *it = &from->stage[stage];
    int64_t work_ns = 0; /* all durations of a job are within an int64_t */
    uint32_t added;
    for (uint32_t t = it->first_task; t < it->first_task + it->tasks; t++)
        work_ns += from->duration_ns[t];
    enum br_status status = br_dag_add_stage(to, it->id, 1, work_ns, &added, diag);
    if (!status)
        br_dag_set_stage_pos(to, added, it->pos);
    if (!status)
        status = degree_demands(from, stage, to, BR_WHOLE_STAGE, 1, diag);
    return status ? status : degree_alternatives(from, degrees, stage, work_ns, to, diag);
}

/* Attributes of the job and its stages, and what readers told. */
static enum br_status degree_words(const struct br_dag *from, struct br_dag *to,
                                   struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < from->attributes && !status; k++) {
        const struct br_attribute *it = &from->attribute[k];
        if (it->owner != BR_OWNER_EDGE)
            status = br_dag_add_attribute(to, it->owner, it->index, it->name, it->value, diag);
    }
    for (uint32_t d = 0; d < from->doubts && !status; d++)
        status = br_dag_add_doubt(to, diag, "%s", from->doubt[d]);
    return status;
}

enum br_status br_degrees_choose(const struct br_dag *from, const struct br_degrees *degrees,
                                 struct br_dag **to, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    char text[32];
    *to = br_dag_create(from->name);
    if (!*to)
        return br_fail_memory(diag);
    for (uint32_t r = 0; r < from->resources && !status; r++)
        status = br_dag_add_resource(*to, from->resource[r].name, from->resource[r].unit, diag);
    for (uint32_t s = 0; s < from->stages && !status; s++)
        status = degree_stage(from, degrees, s, *to, diag);
    for (uint32_t e = 0; e < from->edges && !status; e++)
        status = br_dag_add_edge(*to, from->edge[e].parent, from->edge[e].child, BR_BARRIER, diag);
    if (!status)
        status = degree_words(from, *to, diag);
    snprintf(text, sizeof text, "%.6g", (double)degrees->serial / BR_DEGREES_WHOLE);
    if (!status)
        status = br_dag_add_attribute(*to, BR_OWNER_JOB, 0, "serial", text, diag);
    if (!status)
        status = br_dag_finish(*to, diag);
    if (status) {
        br_dag_destroy(*to);
        *to = NULL;
    }
    return status;
}

bool br_degrees_fit(const struct br_degree_time *time, uint32_t count, uint32_t *serial,
                    double *off)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (uint32_t k = 0; k < count; k++) {
        x += 1 / time[k].degree / count;
        y += time[k].seconds / count;
    }
    for (uint32_t k = 0; k < count; k++) {
        const double from_mean = 1 / time[k].degree - x;
        xx += from_mean * from_mean;
        xy += from_mean * (time[k].seconds - y);
    }
    if (!(xx > 1e-12) || !(y > 0))
        return false;
    /* Neither part is negative: a query that gains nothing, or more than its cores, is on the
     * border. */
    double shared = fmax(xy / xx, 0), alone = fmax(y - shared * x, 0);
    if (alone == 0)
        shared = y / x;
    *serial = (uint32_t)(BR_DEGREES_WHOLE * (alone / (alone + shared)) + 0.5);
    *off = 0;
    for (uint32_t k = 0; k < count; k++)
        *off = fmax(*off, fabs(alone + shared / time[k].degree - time[k].seconds) /
                              fmax(time[k].seconds, 1e-9));
    return true;
}
