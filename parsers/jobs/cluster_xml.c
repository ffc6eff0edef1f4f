/* The native cluster form: <cluster> of <machine class= count=> of <capacity resource= amount=
 * fungible= slurm=>; options for Slurm stand beside the name. */
#include "parsers/reader/formats.h"
#include "parsers/jobs/native.h"
#include "parsers/text/value.h"
#include "parsers/text/xml_rule.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static enum br_status xml_start_cluster(void *context, struct br_xml *xml)
{
    struct br_cluster_reader *reader = context;
    reader->depth = xml->depth;
    reader->cluster = br_cluster_create(br_xml_attribute(xml, "name"));
    return reader->cluster
               ? br_cluster_set_site(reader->cluster, br_xml_attribute(xml, "partition"),
                                     br_xml_attribute(xml, "account"),
                                     br_xml_attribute(xml, "time-factor"), xml->diag)
               : br_fail_memory(xml->diag);
}

/* The rates of the ports: the attribute `network` for both directions, `up` and `down` for one. */
static enum br_status take_network(struct br_cluster_reader *reader, const char *owner,
                                   struct br_xml *xml)
{
    static const char *const names[] = {"up", "down"};
    const char *both = br_xml_attribute(xml, "network");
    int64_t rate[2] = {0, 0};
    bool said = false;
    enum br_status status = BR_OK;
    for (int k = 0; k < 2 && !status; k++) {
        const char *text = br_xml_attribute(xml, names[k]);
        if (text || both)
            status = br_value_rate(text ? text : both, text ? names[k] : "network", owner, &rate[k],
                                   xml->diag);
        said |= text || both;
    }
    if (status || !said)
        return status;
    if (!rate[0] || !rate[1])
        return br_fail(xml->diag, BR_BAD_INPUT, "write network=\"...\", or both up and down",
                       "%s has only one of up and down", owner);
    return br_cluster_set_network(reader->cluster, reader->cls, rate[0], rate[1], xml->diag);
}

static enum br_status start_machine(void *context, struct br_xml *xml)
{
    struct br_cluster_reader *reader = context;
    const char *name = br_xml_attribute(xml, "class"), *text = br_xml_attribute(xml, "count");
    uint32_t count = 1;
    char owner[100];
    if (!name)
        return br_fail(xml->diag, BR_BAD_INPUT, "write <machine class=\"...\" count=\"...\">",
                       "a <machine> has no class");
    snprintf(owner, sizeof owner, "class '%.80s'", name);
    enum br_status status = text ? br_value_count(text, "count", owner, &count, xml->diag) : BR_OK;
    if (status)
        return status;
    status = br_cluster_add_class(reader->cluster, name, count, &reader->cls, xml->diag);
    return status ? status : take_network(reader, owner, xml);
}

static enum br_status start_capacity(void *context, struct br_xml *xml)
{
    struct br_cluster_reader *reader = context;
    const char *resource = br_xml_attribute(xml, "resource");
    const char *fungible = br_xml_attribute(xml, "fungible");
    enum br_status status = br_cluster_add_capacity(reader->cluster, reader->cls, resource,
                                                    br_xml_attribute(xml, "amount"), xml->diag);
    const char *slurm = br_xml_attribute(xml, "slurm");
    if (!status && slurm && strcmp(slurm, "gres") == 0)
        status = br_cluster_set_generic(reader->cluster, resource, xml->diag);
    else if (!status && slurm && strcmp(slurm, "licenses") != 0)
        status = br_fail(xml->diag, BR_BAD_INPUT, "write slurm=\"gres\" or slurm=\"licenses\"",
                         "%.80s has slurm=\"%.40s\"", resource, slurm);
    if (status || !fungible || strcmp(fungible, "false") == 0)
        return status;
    if (strcmp(fungible, "true") != 0)
        return br_fail(xml->diag, BR_BAD_INPUT, "write fungible=\"true\" or fungible=\"false\"",
                       "%.80s has fungible=\"%.40s\"", resource, fungible);
    return br_cluster_set_fungible(reader->cluster, resource, xml->diag);
}

static const struct br_xml_rule rules[] = {
    {"cluster",
     "",
     BR_CLUSTER_SPACE,
     BR_JOB_SPACE,
     {"name", "partition", "account", "time-factor"},
     xml_start_cluster},
    {"machine",
     "cluster",
     BR_CLUSTER_SPACE,
     BR_JOB_SPACE,
     {"class", "count", "network", "up", "down"},
     start_machine},
    {"capacity",
     "machine",
     BR_CLUSTER_SPACE,
     BR_JOB_SPACE,
     {"resource", "amount", "fungible", "slurm"},
     start_capacity},
};

enum br_status br_cluster_reader_start(struct br_cluster_reader *reader, struct br_xml *xml)
{
    static const char *const parents[] = {"cluster", "machine", "capacity"};
    const struct br_xml_rule *rule;
    assert(!reader->cluster || xml->depth - reader->depth - 1 < sizeof parents / sizeof *parents);
    const char *parent = reader->cluster ? parents[xml->depth - reader->depth - 1] : "";
    return br_xml_apply(rules, sizeof rules / sizeof *rules, parent, reader, xml, &rule);
}

enum br_status br_cluster_reader_end(const struct br_cluster_reader *reader, struct br_xml *xml)
{
    if (reader->cluster->machines == 0)
        return br_fail(xml->diag, BR_BAD_INPUT, "add <machine class=\"...\" count=\"...\">",
                       "the cluster has no machines");
    return BR_OK;
}

static enum br_status cluster_xml_on_start(void *context, struct br_xml *xml)
{
    struct br_cluster_reader *reader = context;
    if (xml->depth == 1) {
        if (strcmp(xml->name, "cluster") != 0)
            return br_fail(xml->diag, BR_BAD_INPUT,
                           "write <cluster xmlns=\"" BR_CLUSTER_SPACE "\">",
                           "the root element is <%.80s>, not <cluster>", xml->name);
        if (strcmp(xml->space, BR_CLUSTER_SPACE) != 0)
            return br_fail(xml->diag, BR_BAD_INPUT,
                           "write <cluster xmlns=\"" BR_CLUSTER_SPACE "\">",
                           "the root element <cluster> is in the namespace '%.120s'", xml->space);
    }
    return br_cluster_reader_start(reader, xml);
}

static enum br_status cluster_xml_on_end(void *context, struct br_xml *xml, const char *text)
{
    (void)text;
    return xml->depth == 1 ? br_cluster_reader_end(context, xml) : BR_OK;
}

enum br_status br_parse_cluster(const char *path, struct br_cluster **cluster, struct br_diag *diag)
{
    static const struct br_xml_handler handler = {
        .start = cluster_xml_on_start, .end = cluster_xml_on_end, .only_known = true};
    struct br_cluster_reader reader = {0};
    struct br_source source;
    *cluster = NULL;
    br_value_place(diag, (struct br_pos){0, 0});
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    status = br_xml_read(&source, &handler, &reader, diag);
    br_source_close(&source);
    if (status) {
        br_cluster_destroy(reader.cluster);
        return status;
    }
    br_value_place(diag, (struct br_pos){0, 0});
    br_diag_file(diag, NULL);
    *cluster = reader.cluster;
    return BR_OK;
}
