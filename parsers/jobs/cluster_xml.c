/* The native cluster form: <cluster> of <machine class= count= speed=> of <capacity resource=
 * amount= fungible= slurm=>, of <shared resource= amount=>, of <unavailable class= index= from=
 * to=> and of <change resource= class= index= from= to= amount=>; options for Slurm stand beside
 * the name. */
#include "parsers/reader/formats.h"
#include "parsers/jobs/native.h"
#include "parsers/text/value.h"
#include "parsers/text/xml_rule.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A time of machines that are not available, or of another amount. */
struct br_waiting_span {
    struct br_waiting_span *next;
    struct br_pos pos;
    const char *cls;      /* NULL: all machines, or a shared resource */
    const char *resource; /* NULL: not available */
    const char *amount;
    uint32_t index; /* UINT32_MAX: all of the class */
    int64_t from_ns, to_ns;
};

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
    const char *speed = br_xml_attribute(xml, "speed");
    if (!status && speed)
        status = br_cluster_set_speed(reader->cluster, reader->cls, speed, xml->diag);
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

static enum br_status start_shared(void *context, struct br_xml *xml)
{
    struct br_cluster_reader *reader = context;
    return br_cluster_add_shared(reader->cluster, br_xml_attribute(xml, "resource"),
                                 br_xml_attribute(xml, "amount"), xml->diag);
}

/* The attributes `index`, `from` and `to`. */
static enum br_status take_span(const char *owner, struct br_waiting_span *span, struct br_xml *xml)
{
    const char *index = br_xml_attribute(xml, "index"), *from = br_xml_attribute(xml, "from");
    const char *to = br_xml_attribute(xml, "to");
    enum br_status status = BR_OK;
    span->index = UINT32_MAX;
    span->to_ns = BR_FOREVER;
    if (index && !br_xml_attribute(xml, "class"))
        return br_fail(xml->diag, BR_BAD_INPUT, "name its class",
                       "%s has the index '%.40s' and no class", owner, index);
    if (index)
        status = br_value_count(index, "index", owner, &span->index, xml->diag);
    if (!status && index && span->index == UINT32_MAX) /* stands for all machines */
        status = br_fail(xml->diag, BR_BAD_INPUT, "indices count from 0",
                         "%s has the index %s, which is too large", owner, index);
    if (!status && from)
        status = br_value_seconds(from, "from", owner, &span->from_ns, xml->diag);
    if (!status && to)
        status = br_value_seconds(to, "to", owner, &span->to_ns, xml->diag);
    return status;
}

/* Keeps the span until all machines are known. */
static enum br_status keep_span(struct br_cluster_reader *reader, struct br_waiting_span span,
                                struct br_xml *xml)
{
    struct br_arena *arena = &reader->cluster->arena;
    const char *cls = br_xml_attribute(xml, "class");
    struct br_waiting_span *kept = br_arena_alloc(arena, sizeof *kept);
    if (!kept || (cls && !(span.cls = br_arena_text(arena, cls))) ||
        (span.resource && !(span.resource = br_arena_text(arena, span.resource))) ||
        (span.amount && !(span.amount = br_arena_text(arena, span.amount))))
        return br_fail_memory(xml->diag);
    span.pos = xml->pos;
    *kept = span;
    if (reader->last_span)
        reader->last_span->next = kept;
    else
        reader->span = kept;
    reader->last_span = kept;
    return BR_OK;
}

static enum br_status start_unavailable(void *context, struct br_xml *xml)
{
    struct br_waiting_span span = {0};
    enum br_status status = take_span("a time without machines", &span, xml);
    return status ? status : keep_span(context, span, xml);
}

static enum br_status start_change(void *context, struct br_xml *xml)
{
    struct br_waiting_span span = {.resource = br_xml_attribute(xml, "resource"),
                                   .amount = br_xml_attribute(xml, "amount")};
    char owner[140];
    if (!span.resource || !span.amount)
        return br_fail(xml->diag, BR_BAD_INPUT,
                       "write <change resource=\"...\" amount=\"...\" from=\"...\" to=\"...\"/>",
                       "a <change> has no %s", span.resource ? "amount" : "resource");
    snprintf(owner, sizeof owner, "a change of %.80s", span.resource);
    enum br_status status = take_span(owner, &span, xml);
    return status ? status : keep_span(context, span, xml);
}

static uint32_t find_class(const struct br_cluster *cluster, const char *name)
{
    for (uint32_t c = 0; c < cluster->classes; c++)
        if (strcmp(cluster->cls[c].name, name) == 0)
            return c;
    return UINT32_MAX;
}

static enum br_status add_span(struct br_cluster *cluster, const struct br_waiting_span *span,
                               struct br_diag *diag)
{
    const uint32_t cls = span->cls ? find_class(cluster, span->cls) : UINT32_MAX;
    br_value_place(diag, span->pos);
    if (span->cls && cls == UINT32_MAX)
        return br_fail(diag, BR_BAD_INPUT, "add its machines, or name another class",
                       "<%s> names a class '%.80s', which the cluster does not have",
                       span->resource ? "change" : "unavailable", span->cls);
    if (!span->resource)
        return br_cluster_add_unavailable(cluster, cls, span->index, span->from_ns, span->to_ns,
                                          diag);
    return br_cluster_add_change(cluster, span->resource, cls, span->index, span->from_ns,
                                 span->to_ns, span->amount, diag);
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
     {"class", "count", "network", "up", "down", "speed"},
     start_machine},
    {"capacity",
     "machine",
     BR_CLUSTER_SPACE,
     BR_JOB_SPACE,
     {"resource", "amount", "fungible", "slurm"},
     start_capacity},
    {"shared", "cluster", BR_CLUSTER_SPACE, BR_JOB_SPACE, {"resource", "amount"}, start_shared},
    {"unavailable",
     "cluster",
     BR_CLUSTER_SPACE,
     BR_JOB_SPACE,
     {"class", "index", "from", "to"},
     start_unavailable},
    {"change",
     "cluster",
     BR_CLUSTER_SPACE,
     BR_JOB_SPACE,
     {"resource", "class", "index", "from", "to", "amount"},
     start_change},
};

enum br_status br_cluster_reader_start(struct br_cluster_reader *reader, struct br_xml *xml)
{
    const struct br_xml_rule *rule;
    const uint32_t depth = reader->cluster ? xml->depth - reader->depth : 0;
    /* No rule has a parent deeper than a child of <machine>. */
    const char *parent = depth == 0   ? ""
                         : depth == 1 ? "cluster"
                         : depth == 2 ? reader->open
                                      : "capacity";
    assert(depth <= 3);
    enum br_status status =
        br_xml_apply(rules, sizeof rules / sizeof *rules, parent, reader, xml, &rule);
    if (rule && depth == 1)
        reader->open = rule->name;
    return status;
}

enum br_status br_cluster_reader_end(struct br_cluster_reader *reader, struct br_xml *xml)
{
    enum br_status status = BR_OK;
    if (reader->cluster->machines == 0)
        return br_fail(xml->diag, BR_BAD_INPUT, "add <machine class=\"...\" count=\"...\">",
                       "the cluster has no machines");
    for (const struct br_waiting_span *span = reader->span; span && !status; span = span->next)
        status = add_span(reader->cluster, span, xml->diag);
    if (!status)
        br_value_place(xml->diag, xml->pos);
    return status;
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
