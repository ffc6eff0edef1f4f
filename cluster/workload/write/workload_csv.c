/* A workload as a table with commas (RFC 4180, with line feeds). The columns group_weight and scale
 * appear only if useful. */
#include <inttypes.h>
#include <string.h>

#include "cluster/workload/write/form.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"

static void workloads_csv_write_job(FILE *out, const struct br_workload *workload, const char *path,
                                    const struct br_workload_job *job)
{
    const char *entry = br_workload_entry(workload, job);
    br_write_table_text(out, path);
    putc(',', out);
    br_write_table_text(out, entry ? entry : "");
    putc(',', out);
    br_write_table_text(out, job->id);
    putc(',', out);
    br_write_seconds(out, job->arrival_ns);
    putc(',', out);
    br_write_table_text(out, job->group ? workload->group[job->group].name : "");
    putc(',', out);
    br_write_real(out, job->weight);
    putc(',', out);
    if (job->deadline_ns != BR_NEVER)
        br_write_seconds(out, job->deadline_ns);
    fprintf(out, ",%" PRIu64, job->seed);
}

void br_write_workload_csv(const struct br_workload *workload, const char *const *path, FILE *out)
{
    bool scaled = false, weighed = false, parallel = false, cpu_only = false;
    for (uint32_t j = 0; j < workload->jobs; j++) {
        const struct br_workload_dag *dag = &workload->dag[workload->job[j].dag];
        scaled |= dag->scale != 1;
        parallel |= dag->parallel != NULL;
        cpu_only |= dag->cpu_only;
        weighed |= workload->group[workload->job[j].group].weight != 1;
    }
    fprintf(out, "file,entry,id,arrival,group,weight,deadline,seed%s%s%s%s\n",
            scaled ? ",scale" : "", parallel ? ",parallel" : "", cpu_only ? ",cpu-only" : "",
            weighed ? ",group_weight" : "");
    for (uint32_t j = 0; j < workload->jobs && !ferror(out); j++) {
        const struct br_workload_job *job = &workload->job[j];
        workloads_csv_write_job(out, workload, path[job->dag], job);
        if (scaled) {
            putc(',', out);
            br_write_real(out, workload->dag[job->dag].scale);
        }
        if (parallel)
            fprintf(out, ",%s",
                    workload->dag[job->dag].parallel ? workload->dag[job->dag].parallel : "");
        if (cpu_only)
            fprintf(out, ",%s", workload->dag[job->dag].cpu_only ? "true" : "");
        if (weighed) {
            putc(',', out);
            br_write_real(out, workload->group[job->group].weight);
        }
        putc('\n', out);
    }
}
