/* The job in its native XML form, urn:bigrocks:job:1, with everything that the model holds, so
 * that reading it back gives the same job. Attributes that the model does not know travel as
 * <attribute name value/> children of their owner; a cluster travels as a <cluster> child. */
#include "emit/job_xml.h"
#include "emit/outputs.h"

#include <inttypes.h>

static void attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    br_write_text(out, BR_QUOTE_ATTRIBUTE, value);
    putc('"', out);
}

static void passed_through(FILE *out, const struct br_attributes *by, enum br_owner owner,
                           uint32_t index, const char *indent)
{
    uint32_t count;
    const struct br_attribute **run = br_attributes_run(by, owner, index, &count);
    for (uint32_t a = 0; a < count; a++) {
        fprintf(out, "%s<attribute", indent);
        attribute(out, "name", run[a]->name);
        attribute(out, "value", run[a]->value);
        fputs("/>\n", out);
    }
}

static void amount(FILE *out, const char *indent, const char *element, const char *resource,
                   struct br_decimal value)
{
    fprintf(out, "%s<%s", indent, element);
    attribute(out, "resource", resource);
    fputs(" amount=\"", out);
    br_write_decimal(out, value);
    fputs("\"/>\n", out);
}

void br_write_cluster_xml(FILE *out, const struct br_cluster *cluster)
{
    fputs("  <cluster xmlns=\"urn:bigrocks:cluster:1\"", out);
    if (cluster->name)
        attribute(out, "name", cluster->name);
    fputs(">\n", out);
    for (uint32_t c = 0; c < cluster->classes; c++) {
        const struct br_class *cls = &cluster->cls[c];
        fputs("    <machine", out);
        attribute(out, "class", cls->name);
        fprintf(out, " count=\"%" PRIu32 "\">\n", cls->count);
        for (uint32_t k = 0; k < cls->capacities; k++)
            amount(out, "      ", "capacity", cls->capacity[k].resource, cls->capacity[k].amount);
        fputs("    </machine>\n", out);
    }
    fputs("  </cluster>\n", out);
}

static void write_stage(FILE *out, const struct br_dag *dag, uint32_t s,
                        const struct br_attributes *by)
{
    const struct br_stage *stage = &dag->stage[s];
    fputs("  <stage", out);
    attribute(out, "id", stage->id);
    fprintf(out, " tasks=\"%" PRIu32 "\" duration=\"", stage->tasks);
    br_write_seconds(out, stage->duration_ns);
    fputs("\">\n", out);
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++)
        amount(out, "    ", "demand", dag->resource[dag->demand[d].resource].name,
               dag->demand[d].amount);
    for (uint32_t i = 0; i < stage->tasks; i++) {
        int64_t duration_ns = dag->duration_ns[stage->first_task + i];
        if (duration_ns == stage->duration_ns)
            continue;
        fprintf(out, "    <task index=\"%" PRIu32 "\" duration=\"", i);
        br_write_seconds(out, duration_ns);
        fputs("\"/>\n", out);
    }
    if (stage->command) {
        fputs("    <command>", out);
        br_write_text(out, BR_QUOTE_XML, stage->command);
        fputs("</command>\n", out);
    }
    passed_through(out, by, BR_OWNER_STAGE, s, "    ");
    fputs("  </stage>\n", out);
}

static void write_edge(FILE *out, const struct br_dag *dag, uint32_t e,
                       const struct br_attributes *by)
{
    const struct br_edge *edge = &dag->edge[e];
    uint32_t attributes;
    br_attributes_run(by, BR_OWNER_EDGE, e, &attributes);
    fputs("  <edge", out);
    attribute(out, "from", dag->stage[edge->parent].id);
    attribute(out, "to", dag->stage[edge->child].id);
    attribute(out, "type", br_edge_type_name(edge->type));
    if (attributes == 0) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n", out);
    passed_through(out, by, BR_OWNER_EDGE, e, "    ");
    fputs("  </edge>\n", out);
}

void br_write_job_xml(FILE *out, const struct br_dag *dag, const struct br_attributes *by)
{
    passed_through(out, by, BR_OWNER_JOB, 0, "  ");
    for (uint32_t r = 0; r < dag->resources; r++) {
        fputs("  <resource", out);
        attribute(out, "name", dag->resource[r].name);
        if (dag->resource[r].unit)
            attribute(out, "unit", dag->resource[r].unit);
        fputs("/>\n", out);
    }
    for (uint32_t s = 0; s < dag->stages && !ferror(out); s++)
        write_stage(out, dag, s, by);
    for (uint32_t e = 0; e < dag->edges && !ferror(out); e++)
        write_edge(out, dag, e, by);
}

enum br_status br_emit_job_xml(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    struct br_attributes by;
    enum br_status status = br_attributes_init(&by, input->dag, diag);
    if (status)
        return status;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<job xmlns=\"urn:bigrocks:job:1\"", out);
    attribute(out, "name", input->dag->name);
    fputs(">\n", out);
    br_write_job_xml(out, input->dag, &by);
    if (input->cluster)
        br_write_cluster_xml(out, input->cluster);
    fputs("</job>\n", out);
    br_attributes_finish(&by);
    return BR_OK;
}
