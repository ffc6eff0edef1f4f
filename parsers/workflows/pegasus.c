/* Pegasus 5 abstract workflows (workflow.yml). Every job is a stage of one task, and as in a DAX
 * only the edges that are written count (jobDependencies): Pegasus's programming interface has
 * inferred those of files before it writes the workflow. Profiles that a job does not have itself
 * are those of its transformation. */
#include "parsers/jobs/transfer.h"
#include "parsers/workflows/kickstart.h"
#include "parsers/workflows/uses.h"
#include "parsers/reader/formats.h"
#include "parsers/text/tree.h"
#include "parsers/text/value.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/text/text.h"

enum { TEXT_LIMIT = 256 << 20 };

struct pegasus {
    struct br_tree *tree;
    const struct br_parse_options *options;
    struct br_dag *dag;
    struct br_diag *diag;
    struct br_uses uses;
    uint32_t links, link_room;
    struct br_link *link;
};

static enum br_status fail_node(const struct pegasus *reader, br_tree_node node, const char *hint,
                                const char *what)
{
    return br_fail_at(reader->diag, br_tree_pos(reader->tree, node), BR_BAD_INPUT, hint, "%s",
                      what);
}

/* Equal texts, of which both may be missing. */
static bool pegasus_same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* The transformation that the job runs; 0: it is not in the file. */
static br_tree_node find_transformation(const struct pegasus *reader, br_tree_node job)
{
    struct br_tree *tree = reader->tree;
    br_tree_node all = br_tree_get(
        tree, br_tree_get(tree, br_tree_root(tree), "transformationCatalog"), "transformations");
    for (uint32_t k = 0; k < br_tree_count(tree, all); k++) {
        br_tree_node one = br_tree_item(tree, all, k);
        if (pegasus_same(br_tree_get_text(tree, one, "name"),
                         br_tree_get_text(tree, job, "name")) &&
            pegasus_same(br_tree_get_text(tree, one, "namespace"),
                         br_tree_get_text(tree, job, "namespace")) &&
            pegasus_same(br_tree_get_text(tree, one, "version"),
                         br_tree_get_text(tree, job, "version")))
            return one;
    }
    return 0;
}

/* What the job's profiles say, else those of its transformation, else of the first site of that,
 * by Pegasus's own name or by HTCondor's. NULL: nothing. */
static const char *find_profile(const struct pegasus *reader, br_tree_node job, const char *name,
                                const char *condor)
{
    struct br_tree *tree = reader->tree;
    br_tree_node one = find_transformation(reader, job);
    br_tree_node place[] = {job, one, br_tree_item(tree, br_tree_get(tree, one, "sites"), 0)};
    const char *found = NULL;
    for (size_t k = 0; k < sizeof place / sizeof *place && !found; k++) {
        br_tree_node profiles = br_tree_get(tree, place[k], "profiles");
        found = br_tree_get_text(tree, br_tree_get(tree, profiles, "pegasus"), name);
        if (!found && condor)
            found = br_tree_get_text(tree, br_tree_get(tree, profiles, "condor"), condor);
    }
    return found;
}

/* Memory has units of 1024, as HTCondor has them, and MiB if it says none. */
static enum br_status add_demand(struct pegasus *reader, uint32_t stage, const char *resource,
                                 const char *text, bool memory)
{
    char plain[BR_DECIMAL_TEXT], amount[64];
    if (!text)
        return BR_OK;
    size_t digits = strspn(text, "0123456789.");
    const char *unit = text + digits + strspn(text + digits, " ");
    if (memory && digits && strchr("KMGTkmgt", *unit)) /* also the end of the text */
        snprintf(amount, sizeof amount, "%.*s%ciB", digits < 40 ? (int)digits : 40, text,
                 *unit ? toupper((unsigned char)*unit) : 'M');
    else
        snprintf(amount, sizeof amount, "%.60s", text);
    enum br_status status =
        br_value_amount(amount, resource, br_dag_stage_id(reader->dag, stage), plain, reader->diag);
    return status ? status : br_dag_add_demand(reader->dag, stage, resource, plain, reader->diag);
}

/* The size of a file stands beside its name or in its metadata. */
static enum br_status add_use(struct pegasus *reader, uint32_t stage, br_tree_node file)
{
    struct br_tree *tree = reader->tree;
    const char *name = br_tree_get_text(tree, file, "lfn");
    const char *type = br_tree_get_text(tree, file, "type");
    const char *size = br_tree_get_text(tree, file, "size");
    struct br_file_use use = {.stage = stage, .name = name, .pos = br_tree_pos(tree, file)};
    struct br_decimal value;
    if (!name)
        return fail_node(reader, file, "write 'lfn: NAME'", "a file of the job has no name");
    if (!size)
        size = br_tree_get_text(tree, br_tree_get(tree, file, "metadata"), "size");
    use.direction = type && strcmp(type, "input") == 0    ? BR_USE_INPUT
                    : type && strcmp(type, "output") == 0 ? BR_USE_OUTPUT
                    : type && strcmp(type, "inout") == 0  ? BR_USE_INPUT | BR_USE_OUTPUT
                                                          : 0;
    if (size && (br_decimal_parse_nearest(size, &value) || value.mantissa < 0 ||
                 !br_decimal_quotient_ns(value, (struct br_decimal){1, 9}, &use.bytes)))
        return fail_node(reader, file, "write a number of bytes",
                         "the size of a file is no number");
    return br_uses_add(&reader->uses, use) ? BR_OK : br_fail_memory(reader->diag);
}

/* A job, or a workflow that is one task here. */
static enum br_status pegasus_read_job(struct pegasus *reader, br_tree_node job)
{
    struct br_tree *tree = reader->tree;
    const char *id = br_tree_get_text(tree, job, "id"), *name = br_tree_get_text(tree, job, "name");
    const char *runtime = find_profile(reader, job, "runtime", NULL);
    br_tree_node uses = br_tree_get(tree, job, "uses");
    int64_t ns = reader->options->default_duration_ns;
    uint32_t stage;
    if (!id)
        return fail_node(reader, job, "write 'id: NAME'", "a job has no id");
    br_value_place(reader->diag, br_tree_pos(tree, job));
    enum br_status status =
        runtime ? br_value_seconds(runtime, "runtime", id, &ns, reader->diag) : BR_OK;
    if (!status)
        status = br_dag_add_stage(reader->dag, id, 1, ns, &stage, reader->diag);
    if (status)
        return status;
    br_dag_set_stage_pos(reader->dag, stage, br_tree_pos(tree, job));
    const char *cores = find_profile(reader, job, "cores", "request_cpus");
    status = add_demand(reader, stage, "cpu", cores ? cores : "1", false);
    if (!status)
        status = add_demand(reader, stage, "mem",
                            find_profile(reader, job, "memory", "request_memory"), true);
    if (!status)
        status = add_demand(reader, stage, "gpu", find_profile(reader, job, "gpus", "request_gpus"),
                            false);
    if (!status && name)
        status =
            br_dag_add_attribute(reader->dag, BR_OWNER_STAGE, stage, "name", name, reader->diag);
    for (uint32_t k = 0; k < br_tree_count(tree, uses) && !status; k++)
        status = add_use(reader, stage, br_tree_item(tree, uses, k));
    return status;
}

static enum br_status find_job(const struct pegasus *reader, br_tree_node node, const char *id,
                               uint32_t *stage)
{
    if (!id)
        return fail_node(reader, node, "write the id of a job", "an edge has no job");
    *stage = br_dag_find_stage(reader->dag, id);
    if (*stage != UINT32_MAX)
        return BR_OK;
    return br_fail_at(reader->diag, br_tree_pos(reader->tree, node), BR_BAD_INPUT,
                      "add that job, or remove the edge",
                      "an edge names a job '%.80s', which the workflow does not have", id);
}

static enum br_status read_dependency(struct pegasus *reader, br_tree_node node)
{
    struct br_tree *tree = reader->tree;
    br_tree_node children = br_tree_get(tree, node, "children");
    uint32_t parent;
    enum br_status status = find_job(reader, node, br_tree_get_text(tree, node, "id"), &parent);
    for (uint32_t k = 0; k < br_tree_count(tree, children) && !status; k++) {
        br_tree_node child = br_tree_item(tree, children, k);
        struct br_link link = {
            .parent = parent, .type = BR_BARRIER, .pos = br_tree_pos(tree, child)};
        status = find_job(reader, child, br_tree_text(tree, child), &link.child);
        if (!status && br_transfer_counts(reader->options) &&
            !br_uses_shared(&reader->uses, link.parent, link.child, &link.bytes))
            status = fail_node(reader, child, "check the sizes of files",
                               "the files between two jobs are too large");
        if (status)
            return status;
        if (!br_grow(&reader->link, reader->links, &reader->link_room, sizeof *reader->link))
            return br_fail_memory(reader->diag);
        reader->link[reader->links++] = link;
    }
    return status;
}

static enum br_status pegasus_read_all(struct pegasus *reader, const struct br_source *source,
                                       struct br_input *input)
{
    struct br_tree *tree = reader->tree;
    br_tree_node root = br_tree_root(tree), jobs = br_tree_get(tree, root, "jobs");
    br_tree_node edges = br_tree_get(tree, root, "jobDependencies");
    enum br_status status = BR_OK;
    if (!br_tree_is_list(tree, jobs))
        return fail_node(reader, root, "give the file that Pegasus's API writes",
                         "the workflow has no list of 'jobs'");
    for (uint32_t k = 0; k < br_tree_count(tree, jobs) && !status; k++)
        status = pegasus_read_job(reader, br_tree_item(tree, jobs, k));
    if (!status)
        status = br_kickstart_take(reader->options->durations, source->name, input, reader->diag);
    br_uses_sort(&reader->uses);
    for (uint32_t k = 0; k < br_tree_count(tree, edges) && !status; k++)
        status = read_dependency(reader, br_tree_item(tree, edges, k));
    if (!status)
        status = br_transfer_add(reader->dag, reader->options, reader->link, reader->links, NULL,
                                 reader->diag);
    return status || !reader->options->files
               ? status
               : br_uses_hold(&reader->uses, reader->dag, reader->options, reader->diag);
}

enum br_status br_read_pegasus(struct br_source *source, const struct br_parse_options *options,
                               struct br_input *input, struct br_diag *diag)
{
    struct br_diag own = {0};
    struct pegasus reader = {.options = options, .diag = diag ? diag : &own};
    char stem[256], *text;
    enum br_status status = br_source_text(source, TEXT_LIMIT, "pegasus", &text, reader.diag);
    if (status)
        return status;
    reader.tree = br_tree_read(text, strlen(text), reader.diag);
    const char *name =
        reader.tree ? br_tree_get_text(reader.tree, br_tree_root(reader.tree), "name") : NULL;
    if (!name || !*name || !br_text_is_plain(name))
        name = br_source_stem(source, "workflow", stem, sizeof stem);
    input->dag = reader.dag = reader.tree ? br_dag_create(name) : NULL;
    status = !reader.tree ? reader.diag->status
             : input->dag ? pegasus_read_all(&reader, source, input)
                          : br_fail_memory(reader.diag);
    if (!status)
        status = br_read_finish(source, reader.dag, reader.diag);
    if (!status)
        status = br_uses_check(&reader.uses, reader.dag, reader.diag);
    br_uses_finish(&reader.uses);
    free(reader.link);
    br_tree_destroy(reader.tree);
    free(text);
    return status;
}
