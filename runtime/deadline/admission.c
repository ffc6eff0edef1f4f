/* A job's need is guaranteed until its end, so jobs fit if their needs together do. This is on the
 * safe side: resources of a job that ends early are not counted on. */
#include "runtime/deadline/admission.h"

#include <math.h>

double br_admission_time_s(const struct br_candidacy *job, const struct br_control_options *options,
                           uint32_t index)
{
    const struct br_deadline_table *table = job->table;
    struct br_table_place place =
        job->progress > 0 ? br_table_at(table, job->progress) : br_table_start(table);
    double q = options->on_time > 0 ? options->on_time : 0.95;
    int64_t left_ns = br_table_quantile_ns(table, options->layer, place, index, q);
    return options->slack * (double)left_ns * 1e-9 + options->dead_zone_s;
}

uint32_t br_admission_need(const struct br_candidacy *job, const struct br_control_options *options)
{
    const struct br_deadline_table *table = job->table;
    for (uint32_t k = 0; k < table->allocations && table->allocation[k] <= options->most; k++)
        if (br_admission_time_s(job, options, k) <= job->deadline_s)
            return table->allocation[k];
    return 0;
}

double br_admission_earliest_s(const struct br_candidacy *job,
                               const struct br_control_options *options, uint32_t amount)
{
    const struct br_deadline_table *table = job->table;
    double least = INFINITY;
    for (uint32_t k = 0; k < table->allocations && table->allocation[k] <= amount &&
                         table->allocation[k] <= options->most;
         k++) {
        double time_s = br_admission_time_s(job, options, k);
        least = time_s < least ? time_s : least;
    }
    return least;
}
