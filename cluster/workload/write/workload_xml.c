/* A workload in its native XML form, urn:bigrocks:workload:1. Default values are left out. */
#include <inttypes.h>

#include "emit/data/job_xml.h"
#include "cluster/workload/write/form.h"
#include "emit/write/figures.h"

static void workloads_xml_write_job(FILE *out, const struct br_workload *workload, const char *path,
                                    const struct br_workload_job *job)
{
    const struct br_workload_dag *dag = &workload->dag[job->dag];
    const char *entry = br_workload_entry(workload, job);
    fputs("  <job", out);
    br_write_attribute(out, "id", job->id);
    br_write_attribute(out, "file", path);
    if (entry)
        br_write_attribute(out, "entry", entry);
    fputs(" arrival=\"", out);
    br_write_seconds(out, job->arrival_ns);
    if (job->group)
        fputs("\"", out), br_write_attribute(out, "group", workload->group[job->group].name);
    else
        putc('"', out);
    if (job->weight != 1) {
        fputs(" weight=\"", out);
        br_write_real(out, job->weight);
        putc('"', out);
    }
    if (job->deadline_ns != BR_NEVER) {
        fputs(" deadline=\"", out);
        br_write_seconds(out, job->deadline_ns);
        putc('"', out);
    }
    fprintf(out, " seed=\"%" PRIu64 "\"", job->seed);
    if (dag->scale != 1) {
        fputs(" scale=\"", out);
        br_write_real(out, dag->scale);
        putc('"', out);
    }
    if (dag->parallel)
        br_write_attribute(out, "parallel", dag->parallel);
    if (dag->cpu_only)
        br_write_attribute(out, "cpu-only", "true");
    fputs("/>\n", out);
}

void br_write_workload_xml(const struct br_workload *workload, const char *const *path, FILE *out)
{
    fputs(BR_XML_DECLARATION "<workload xmlns=\"urn:bigrocks:workload:1\"", out);
    if (workload->name)
        br_write_attribute(out, "name", workload->name);
    if (workload->executors)
        fprintf(out, " executors=\"%" PRIu32 "\"", workload->executors);
    fputs(">\n", out);
    if (workload->cluster)
        br_write_cluster_xml(out, 1, workload->cluster);
    for (uint32_t g = 0; g < workload->groups; g++) {
        if (g == 0 && workload->group[g].weight == 1)
            continue;
        fputs("  <group", out);
        br_write_attribute(out, "name", workload->group[g].name);
        fputs(" weight=\"", out);
        br_write_real(out, workload->group[g].weight);
        fputs("\"/>\n", out);
    }
    for (uint32_t j = 0; j < workload->jobs && !ferror(out); j++)
        workloads_xml_write_job(out, workload, path[workload->job[j].dag], &workload->job[j]);
    fputs("</workload>\n", out);
}
