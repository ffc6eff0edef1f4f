/* Files that jobs write as their outputs, held until the last job that reads them has ended. */
#include "parsers/workflows/uses.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "parsers/jobs/transfer.h"

struct holding {
    const struct br_uses *uses;
    struct br_dag *dag;
    const char *resource;
    const uint32_t *writer; /* by file */
    struct br_diag *diag;
};

static bool is_held(const struct br_file_use *use)
{
    return (use->direction & BR_USE_OUTPUT) && use->bytes > 0;
}

/* The output's id: the file's name if it can be one, and is not of the form of other ids. */
static const char *output_id(const struct br_file_use *use, char own[24])
{
    if (*use->name && br_text_is_plain(use->name) && !strpbrk(use->name, " \t\r\n") &&
        strncmp(use->name, "file-", 5) != 0)
        return use->name;
    snprintf(own, 24, "file-%" PRIu32, use->file);
    return own;
}

static enum br_status add_held(const struct holding *by)
{
    enum br_status status = br_dag_add_resource(by->dag, by->resource, "bytes", NULL);
    if (status == BR_SYSTEM)
        return br_fail_memory(by->diag);
    status = BR_OK; /* it is known already */
    for (uint32_t u = 0; u < by->uses->uses && !status; u++) {
        const struct br_file_use *use = &by->uses->use[u];
        char own[24], amount[24];
        if (!is_held(use))
            continue;
        snprintf(amount, sizeof amount, "%" PRId64, use->bytes);
        status = br_dag_add_output(by->dag, use->stage, output_id(use, own), by->resource, amount,
                                   0, by->diag);
    }
    return status;
}

static enum br_status add_readers(const struct holding *by)
{
    enum br_status status = BR_OK;
    for (uint32_t u = 0; u < by->uses->uses && !status; u++) {
        const struct br_file_use *use = &by->uses->use[u];
        const uint32_t writer = by->writer[use->file];
        if (!(use->direction & BR_USE_INPUT) || writer >= BR_SEVERAL_WRITERS ||
            writer == use->stage)
            continue;
        status = br_dag_add_edge(by->dag, writer, use->stage, BR_BARRIER, by->diag);
        if (!status && br_dag_last_edge(by->dag) != UINT32_MAX &&
            by->dag->edge[br_dag_last_edge(by->dag)].pos.line == 0)
            br_dag_set_edge_pos(by->dag, use->pos);
    }
    return status;
}

/* Writes the ids of the files that the parent writes and the child reads; false if the parent
 * writes none. */
static bool write_reads(const struct holding *by, uint32_t parent, uint32_t child, FILE *out)
{
    const struct br_file_use *use = by->uses->use;
    uint32_t p = br_uses_first(by->uses, parent, 0), c = br_uses_first(by->uses, child, 0);
    const uint32_t p_end = br_uses_first(by->uses, parent + 1, 0);
    const uint32_t c_end = br_uses_first(by->uses, child + 1, 0);
    bool writes = false, any = false;
    char own[24];
    for (; p < p_end; p++) {
        if (!is_held(&use[p]))
            continue;
        writes = true;
        while (c < c_end && use[c].file < use[p].file)
            c++;
        if (c < c_end && use[c].file == use[p].file && (use[c].direction & BR_USE_INPUT)) {
            fprintf(out, "%s%s", any ? " " : "", output_id(&use[p], own));
            any = true;
        }
    }
    return writes;
}

static enum br_status set_reads(const struct holding *by)
{
    enum br_status status = BR_OK;
    for (uint32_t e = 0; e < by->dag->edges && !status; e++) {
        const uint32_t parent = by->dag->edge[e].parent, child = by->dag->edge[e].child;
        char *ids = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&ids, &size);
        if (!out)
            return br_fail_memory(by->diag);
        const bool writes = write_reads(by, parent, child, out);
        const bool failed = ferror(out);
        if (fclose(out) != 0 || failed || !ids)
            status = br_fail_memory(by->diag);
        else if (writes)
            status = br_dag_set_edge_reads(by->dag, parent, child, ids, by->diag);
        free(ids);
    }
    return status;
}

enum br_status br_uses_hold(const struct br_uses *uses, struct br_dag *dag,
                            const struct br_parse_options *options, struct br_diag *diag)
{
    if (options->transfer_rate.mantissa > 0 && options->transfer_mode != BR_TRANSFER_KEEP)
        return br_fail(diag, BR_USAGE, "leave one of them out, or take the transfer mode keep",
                       "transfers that take time do not go with files that are held");
    uint32_t *writer = br_uses_writers(uses);
    const struct holding by = {uses, dag, options->files, writer, diag};
    enum br_status status = writer ? add_held(&by) : br_fail_memory(diag);
    if (!status)
        status = add_readers(&by);
    if (!status)
        status = set_reads(&by);
    free(writer);
    return status;
}
