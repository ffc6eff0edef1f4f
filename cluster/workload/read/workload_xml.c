/* The native form of workloads: <workload> of <group name= weight=>, a <cluster>, and <job file=
 * arrival=> in any order of time. A row is a job; only the job is kept. */
#include <stdio.h>
#include <string.h>

#include "parsers/reader/formats.h"
#include "parsers/text/begin.h"
#include "parsers/text/value.h"
#include "parsers/text/xml_rule.h"
#include "cluster/workload/read/formats.h"
#include "cluster/workload/read/rows.h"

struct reader {
    struct br_rows rows;
    struct br_source *source;
    const struct br_workload_options *options;
    struct br_workload *workload;
    struct br_cluster_reader cluster;
    bool in_cluster;
    bool declared; /* groups */
};

bool br_is_workload_xml(const char *text)
{
    char name[16];
    br_xml_root_name(text, name, sizeof name);
    return strcmp(name, "workload") == 0;
}

static enum br_status start_workload(void *context, struct br_xml *xml)
{
    struct reader *reader = context;
    const char *name = br_xml_attribute(xml, "name");
    const char *executors = br_xml_attribute(xml, "executors");
    uint32_t *count = &reader->workload->executors;
    enum br_status status =
        executors ? br_value_count(executors, "executors", "the workload", count, xml->diag)
                  : BR_OK;
    if (status)
        return status;
    if (executors && (*count == 0 || *count > BR_WORKLOAD_EXECUTORS))
        return br_fail(xml->diag, BR_BAD_INPUT, "write a number from 1 to 1000000",
                       "the workload is for %.20s executors", executors);
    if (name && !(reader->workload->name = br_arena_text(&reader->workload->arena, name)))
        return br_fail_memory(xml->diag);
    return br_rows_begin(&reader->rows, reader->source, reader->options, reader->workload,
                         xml->diag);
}

static enum br_status start_group(void *context, struct br_xml *xml)
{
    struct reader *reader = context;
    const char *name = br_xml_attribute(xml, "name"), *text = br_xml_attribute(xml, "weight");
    double weight = 1;
    uint32_t group;
    if (!name || !*name)
        return br_fail(xml->diag, BR_BAD_INPUT, "write <group name=\"...\" weight=\"...\"/>",
                       "a <group> has no name");
    if (reader->workload->jobs)
        return br_fail(xml->diag, BR_BAD_INPUT, "declare groups before the first <job>",
                       "group '%.80s' comes after jobs", name);
    group = br_workload_find_group(reader->workload, name);
    if (group != BR_NO_GROUP && (group != 0 || reader->workload->group[0].weight != 1))
        return br_fail(xml->diag, BR_BAD_INPUT, "declare it once", "there are two groups '%.80s'",
                       name);
    char owner[100];
    snprintf(owner, sizeof owner, "group '%.80s'", name);
    enum br_status status = text ? br_row_number(text, "weight", owner, &weight, xml->diag) : BR_OK;
    reader->declared = true;
    return status ? status
                  : br_workload_add_group(reader->workload, name, weight, &group, xml->diag);
}

static enum br_status workloads_xml_start_job(void *context, struct br_xml *xml)
{
    struct reader *reader = context;
    const char *field[BR_ROW_FIELDS];
    for (int f = 0; f < BR_ROW_FIELDS; f++)
        field[f] = br_xml_attribute(xml, br_row_name[f]);
    return br_rows_add(&reader->rows, field, !reader->declared, xml->pos, xml->diag);
}

static enum br_status workloads_xml_start_cluster(void *context, struct br_xml *xml)
{
    struct reader *reader = context;
    if (reader->cluster.cluster)
        return br_fail(xml->diag, BR_BAD_INPUT, "leave out one of them",
                       "the workload has two clusters");
    reader->in_cluster = true;
    enum br_status status = br_cluster_reader_start(&reader->cluster, xml);
    reader->workload->cluster = reader->cluster.cluster;
    return status;
}

static const struct br_xml_rule rules[] = {
    {"workload", "", BR_WORKLOAD_SPACE, NULL, {"name", "executors"}, start_workload},
    {"group", "workload", BR_WORKLOAD_SPACE, NULL, {"name", "weight"}, start_group},
    {"job",
     "workload",
     BR_WORKLOAD_SPACE,
     NULL,
     {"file", "entry", "id", "arrival", "group", "weight", "deadline", "seed", "scale", "parallel",
      "cpu-only"},
     workloads_xml_start_job},
    {"cluster",
     "workload",
     BR_CLUSTER_SPACE,
     NULL,
     {"name", "partition", "account", "time-factor"},
     workloads_xml_start_cluster},
};

static enum br_status workloads_xml_check_root(struct br_xml *xml)
{
    static const char hint[] = "write <workload xmlns=\"" BR_WORKLOAD_SPACE "\">";
    if (strcmp(xml->name, "workload") != 0)
        return br_fail(xml->diag, BR_BAD_INPUT, hint, "the root element is <%.80s>, not <workload>",
                       xml->name);
    if (strcmp(xml->space, BR_WORKLOAD_SPACE) != 0)
        return br_fail(xml->diag, BR_BAD_INPUT, hint,
                       "the root element <workload> is in the namespace '%.120s'", xml->space);
    return BR_OK;
}

static enum br_status workloads_xml_on_start(void *context, struct br_xml *xml)
{
    struct reader *reader = context;
    static const char *const parents[] = {"", "workload", "job"};
    const struct br_xml_rule *rule;
    if (reader->in_cluster)
        return br_cluster_reader_start(&reader->cluster, xml);
    enum br_status status = xml->depth == 1 ? workloads_xml_check_root(xml) : BR_OK;
    if (status)
        return status;
    const char *parent = parents[xml->depth <= 3 ? xml->depth - 1 : 2];
    return br_xml_apply(rules, sizeof rules / sizeof *rules, parent, reader, xml, &rule);
}

static enum br_status workloads_xml_on_end(void *context, struct br_xml *xml, const char *text)
{
    struct reader *reader = context;
    (void)text;
    if (!reader->in_cluster || xml->depth > reader->cluster.depth)
        return BR_OK;
    reader->in_cluster = false;
    return br_cluster_reader_end(&reader->cluster, xml);
}

enum br_status br_read_workload_xml(struct br_source *source,
                                    const struct br_workload_options *options,
                                    struct br_workload *workload, struct br_diag *diag)
{
    static const struct br_xml_handler handler = {
        .start = workloads_xml_on_start, .end = workloads_xml_on_end, .only_known = true};
    struct reader reader = {.source = source, .options = options, .workload = workload};
    enum br_status status = br_xml_read(source, &handler, &reader, diag);
    br_rows_finish(&reader.rows);
    return status;
}
