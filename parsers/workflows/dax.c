/* Pegasus abstract workflows (DAX), versions 2.1 and 3.x. Every job is a stage of one task. Only
 * explicit edges (<child><parent/></child>) count, since edges implied by files differ from them in
 * real workflows. The workflow is refused only if the two contradict each other (a job waits for
 * one that reads a file that only the first writes). The counts in the root element are often wrong
 * and are not read, nor is the namespace. */
#include "parsers/reader/formats.h"
#include "parsers/jobs/transfer.h"
#include "parsers/workflows/uses.h"
#include "parsers/text/value.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/arena.h"
#include "base/collections/grow.h"

/* One <parent> in a <child>; the jobs may come later. */
struct reference {
    const char *parent, *child;
    struct br_pos pos;
};

struct dax_reader {
    struct br_source *source;
    const struct br_parse_options *options;
    struct br_dag *dag;
    struct br_arena arena; /* names of files and references */

    bool in_job;
    uint32_t stage;                                      /* of the open job */
    const char *cores, *memory;                          /* of the open job; NULL: not given */
    bool runtime;                                        /* the open job has it as an attribute */
    const char *child;                                   /* of the open <child> */
    enum { NO_PROFILE, RUNTIME, CORES, MEMORY } profile; /* the open one */

    struct br_uses uses;
    uint32_t references, reference_room;
    struct reference *reference;
};

static enum br_status dax_keep(struct dax_reader *reader, const char *text, const char **kept,
                               struct br_diag *diag)
{
    *kept = text ? br_arena_text(&reader->arena, text) : NULL;
    return text && !*kept ? br_fail_memory(diag) : BR_OK;
}

static enum br_status start_root(struct dax_reader *reader, struct br_xml *xml)
{
    const char *name = br_xml_attribute(xml, "name");
    char stem[256];
    if (strcmp(xml->name, "adag") != 0)
        return br_fail(xml->diag, BR_BAD_INPUT, "a DAX begins with <adag>",
                       "the root element is <%.80s>, not <adag>", xml->name);
    if (!name || !*name)
        name = br_source_stem(reader->source, "workflow", stem, sizeof stem);
    reader->dag = br_dag_create(name);
    return reader->dag ? BR_OK : br_fail_memory(xml->diag);
}

/* <job>, and <dax> and <dag>, which stand for whole workflows and are one task here. */
static enum br_status dax_start_job(struct dax_reader *reader, struct br_xml *xml)
{
    const char *id = br_xml_attribute(xml, "id"), *runtime = br_xml_attribute(xml, "runtime");
    const char *name = br_xml_attribute(xml, "name");
    char owner[100];
    int64_t ns = reader->options->default_duration_ns;
    if (!id)
        return br_fail(xml->diag, BR_BAD_INPUT, "write <job id=\"...\">", "a <%.10s> has no id",
                       xml->name);
    snprintf(owner, sizeof owner, "job '%.80s'", id);
    enum br_status status =
        runtime ? br_value_seconds(runtime, "runtime", owner, &ns, xml->diag) : BR_OK;
    if (!status)
        status = br_dag_add_stage(reader->dag, id, 1, ns, &reader->stage, xml->diag);
    if (status)
        return status;
    br_dag_set_stage_pos(reader->dag, reader->stage, xml->pos);
    reader->in_job = true;
    reader->runtime = runtime != NULL;
    reader->memory = NULL;
    status = dax_keep(reader, br_xml_attribute(xml, "cores"), &reader->cores, xml->diag);
    if (!status && name)
        status = br_dag_add_attribute(reader->dag, BR_OWNER_STAGE, reader->stage, "name", name,
                                      xml->diag);
    return status;
}

static enum br_status dax_end_job(struct dax_reader *reader, struct br_xml *xml)
{
    char owner[100], plain[BR_DECIMAL_TEXT];
    snprintf(owner, sizeof owner, "job '%.80s'", br_dag_stage_id(reader->dag, reader->stage));
    reader->in_job = false;
    br_value_place(xml->diag, reader->dag->stage[reader->stage].pos);
    enum br_status status =
        br_value_amount(reader->cores ? reader->cores : "1", "cores", owner, plain, xml->diag);
    if (!status)
        status = br_dag_add_demand(reader->dag, reader->stage, "cpu", plain, xml->diag);
    if (!status && reader->memory) {
        status = br_value_amount(reader->memory, "memory", owner, plain, xml->diag);
        if (!status)
            status = br_dag_add_demand(reader->dag, reader->stage, "mem", plain, xml->diag);
    }
    return status;
}

static enum br_status start_uses(struct dax_reader *reader, struct br_xml *xml)
{
    const char *name = br_xml_attribute(xml, "file"), *size = br_xml_attribute(xml, "size");
    const char *link = br_xml_attribute(xml, "link");
    struct br_decimal value = {0, 0};
    struct br_file_use use = {.stage = reader->stage, .pos = xml->pos};
    if (!name)
        name = br_xml_attribute(xml, "name"); /* 3.x */
    if (!name)
        return BR_OK;
    if (link && (strcmp(link, "input") == 0 || strcmp(link, "inout") == 0))
        use.direction |= BR_USE_INPUT;
    if (link && (strcmp(link, "output") == 0 || strcmp(link, "inout") == 0))
        use.direction |= BR_USE_OUTPUT;
    if (!br_transfer_counts(reader->options) && !reader->options->files)
        size = NULL; /* the caller does not need it */
    if (size && (br_decimal_parse_nearest(size, &value) || value.mantissa < 0 ||
                 !br_decimal_quotient_ns(value, (struct br_decimal){1, 9}, &use.bytes)))
        return br_fail(xml->diag, BR_BAD_INPUT, "write a number of bytes",
                       "size '%.80s' of file '%.80s' is not a size", size, name);
    enum br_status status = dax_keep(reader, name, &use.name, xml->diag);
    if (status)
        return status;
    return br_uses_add(&reader->uses, use) ? BR_OK : br_fail_memory(xml->diag);
}

/* Profiles describe a job to Pegasus besides its attributes, which come first. */
static enum br_status start_profile(struct dax_reader *reader, struct br_xml *xml)
{
    const char *space = br_xml_attribute(xml, "namespace"), *key = br_xml_attribute(xml, "key");
    reader->profile = NO_PROFILE;
    if (space && key && strcmp(space, "pegasus") == 0) {
        if (strcmp(key, "runtime") == 0 && !reader->runtime)
            reader->profile = RUNTIME;
        if (strcmp(key, "cores") == 0 && !reader->cores)
            reader->profile = CORES;
        if (strcmp(key, "memory") == 0)
            reader->profile = MEMORY;
    }
    if (reader->profile == NO_PROFILE)
        br_xml_skip(xml);
    else
        br_xml_keep_text(xml);
    return BR_OK;
}

static enum br_status end_profile(struct dax_reader *reader, struct br_xml *xml, const char *text)
{
    char owner[100];
    int64_t ns;
    enum br_status status = BR_OK;
    snprintf(owner, sizeof owner, "job '%.80s'", br_dag_stage_id(reader->dag, reader->stage));
    switch (reader->profile) {
    case RUNTIME:
        status = br_value_seconds(text, "runtime", owner, &ns, xml->diag);
        if (!status)
            br_dag_set_stage_duration(reader->dag, reader->stage, ns);
        break;
    case CORES:
        status = dax_keep(reader, text, &reader->cores, xml->diag);
        break;
    case MEMORY:
        status = dax_keep(reader, text, &reader->memory, xml->diag);
        break;
    case NO_PROFILE:
        break;
    }
    return status;
}

static enum br_status start_child(struct dax_reader *reader, struct br_xml *xml)
{
    const char *ref = br_xml_attribute(xml, "ref");
    if (!ref)
        return br_fail(xml->diag, BR_BAD_INPUT, "write <child ref=\"...\">",
                       "a <child> has no ref");
    return dax_keep(reader, ref, &reader->child, xml->diag);
}

static enum br_status start_parent(struct dax_reader *reader, struct br_xml *xml)
{
    const char *ref = br_xml_attribute(xml, "ref");
    struct reference reference = {.child = reader->child, .pos = xml->pos};
    assert(reader->child);
    if (!ref)
        return br_fail(xml->diag, BR_BAD_INPUT, "write <parent ref=\"...\">",
                       "a <parent> has no ref");
    enum br_status status = dax_keep(reader, ref, &reference.parent, xml->diag);
    if (status)
        return status;
    if (!br_grow(&reader->reference, reader->references, &reader->reference_room,
                 sizeof *reader->reference))
        return br_fail_memory(xml->diag);
    reader->reference[reader->references++] = reference;
    return BR_OK;
}

static enum br_status dax_on_start(void *context, struct br_xml *xml)
{
    struct dax_reader *reader = context;
    if (xml->depth == 1)
        return start_root(reader, xml);
    if (xml->depth == 2) {
        if (strcmp(xml->name, "job") == 0 || strcmp(xml->name, "dax") == 0 ||
            strcmp(xml->name, "dag") == 0)
            return dax_start_job(reader, xml);
        if (strcmp(xml->name, "child") == 0)
            return start_child(reader, xml);
    }
    if (xml->depth == 3) {
        if (reader->in_job && strcmp(xml->name, "uses") == 0)
            return start_uses(reader, xml);
        if (reader->in_job && strcmp(xml->name, "profile") == 0)
            return start_profile(reader, xml);
        if (!reader->in_job && strcmp(xml->name, "parent") == 0)
            return start_parent(reader, xml);
    }
    br_xml_skip(xml);
    return BR_OK;
}

static enum br_status dax_on_end(void *context, struct br_xml *xml, const char *text)
{
    struct dax_reader *reader = context;
    if (xml->depth == 2 && reader->in_job)
        return dax_end_job(reader, xml);
    if (text)
        return end_profile(reader, xml, text);
    return BR_OK;
}

static enum br_status dax_find_job(const struct dax_reader *reader,
                                   const struct reference *reference, const char *id,
                                   uint32_t *stage, struct br_diag *diag)
{
    *stage = br_dag_find_stage(reader->dag, id);
    if (*stage != UINT32_MAX)
        return BR_OK;
    return br_fail_at(diag, reference->pos, BR_BAD_INPUT, "add that job, or remove the edge",
                      "the edge from '%.80s' to '%.80s' names a job '%.80s', which the workflow "
                      "does not have",
                      reference->parent, reference->child, id);
}

static enum br_status dax_link_jobs(struct dax_reader *reader, struct br_diag *diag)
{
    struct br_link *link = calloc((size_t)reader->references + 1, sizeof *link);
    enum br_status status = link ? BR_OK : br_fail_memory(diag);
    bool rated = br_transfer_counts(reader->options);
    br_uses_sort(&reader->uses);
    for (uint32_t k = 0; k < reader->references && !status; k++) {
        const struct reference *reference = &reader->reference[k];
        link[k] = (struct br_link){.type = BR_BARRIER, .pos = reference->pos};
        status = dax_find_job(reader, reference, reference->parent, &link[k].parent, diag);
        if (!status)
            status = dax_find_job(reader, reference, reference->child, &link[k].child, diag);
        if (!status && rated &&
            !br_uses_shared(&reader->uses, link[k].parent, link[k].child, &link[k].bytes))
            status = br_fail_at(diag, reference->pos, BR_BAD_INPUT, "check the sizes of files",
                                "the files from '%.80s' to '%.80s' are too large",
                                reference->parent, reference->child);
    }
    if (!status)
        status =
            br_transfer_add(reader->dag, reader->options, link, reader->references, NULL, diag);
    if (!status && reader->options->files)
        status = br_uses_hold(&reader->uses, reader->dag, reader->options, diag);
    free(link);
    return status;
}

enum br_status br_read_dax(struct br_source *source, const struct br_parse_options *options,
                           struct br_input *input, struct br_diag *diag)
{
    static const struct br_xml_handler handler = {.start = dax_on_start, .end = dax_on_end};
    struct dax_reader reader = {.source = source, .options = options};
    enum br_status status = br_xml_read(source, &handler, &reader, diag);
    if (!status)
        status = dax_link_jobs(&reader, diag);
    input->dag = reader.dag;
    if (!status)
        status = br_read_finish(source, reader.dag, diag);
    if (!status)
        status = br_uses_check(&reader.uses, reader.dag, diag);
    br_arena_finish(&reader.arena);
    br_uses_finish(&reader.uses);
    free(reader.reference);
    return status;
}
