/* Shard I of N has the runs I, I + N, I + 2 N, ... of the study, so merging takes one run of each
 * table in turn. Rows of one run are adjacent and begin with the same policy and seed. */
#include "cluster/simulate/command/merge.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/inputs/whole.h"

enum { TABLE_MOST = 1 << 30 };

struct table {
    char *text;
    const char *head, *next; /* the first line; the first row of the next run */
    size_t head_size;
};

static enum br_status merge_fail(const char *path, const char *hint, const char *what,
                                 struct br_diag *diag)
{
    br_diag_file(diag, path);
    return br_fail(diag, BR_BAD_INPUT, hint, "%s", what);
}

static enum br_status merge_read_table(const char *path, struct table *table, struct br_diag *diag)
{
    size_t size;
    bool has_nul;
    enum br_status status = cli_whole_read(path, TABLE_MOST, &table->text, &size, &has_nul, diag);
    if (status)
        return status;
    const char *end = strchr(table->text, '\n');
    if (!end || strncmp(table->text, "policy,seed,", 12) != 0)
        return merge_fail(path, "give what 'bigrocks simulate --shard I/N -f csv' (or runs) wrote",
                          "this is no table of a simulation", diag);
    if (table->text[strlen(table->text) - 1] != '\n')
        return merge_fail(path, "simulate this shard again", "the table's last row is torn", diag);
    table->head = table->text;
    table->next = end + 1;
    table->head_size = (size_t)(table->next - table->head);
    br_diag_file(diag, NULL);
    return BR_OK;
}

/* The length of the row's policy and seed; policies are in quotation marks and hold none. */
static size_t key_size(const char *row)
{
    size_t at = *row == '"' ? strcspn(row + 1, "\"\n") + 2 : strcspn(row, ",\n");
    if (row[at] != ',')
        return 0;
    return at + 1 + strcspn(row + at + 1, ",\n");
}

/* The run that was written last. */
struct last {
    const char *key; /* policy and seed; NULL: none was */
    size_t policy_size;
    uint64_t seed, first_seed;
};

/* Can the run follow the last one in a study: the same policy and the next seed, or another policy
 * and the first seed? */
static bool merge_follows(struct last *last, const char *row, size_t key)
{
    if (!key)
        return false;
    size_t policy = *row == '"' ? strcspn(row + 1, "\"\n") + 2 : strcspn(row, ",\n");
    uint64_t seed = strtoull(row + policy + 1, NULL, 10);
    bool same = last->key && last->policy_size == policy && strncmp(last->key, row, policy) == 0;
    bool ok = !last->key || seed == (same ? last->seed + 1 : last->first_seed);
    if (!last->key)
        last->first_seed = seed;
    last->key = row;
    last->policy_size = policy;
    last->seed = seed;
    return ok;
}

/* Writes the rows of the table's next run. */
static bool merge_write_run(struct table *table, struct last *last, FILE *out)
{
    const char *row = table->next;
    size_t key = key_size(row);
    if (!merge_follows(last, row, key))
        return false;
    while (*row && strncmp(row, table->next, key + 1) == 0) /* the comma behind the seed, too */
        row = strchr(row, '\n') + 1;
    fwrite(table->next, 1, (size_t)(row - table->next), out);
    table->next = row;
    return true;
}

/* Writes the runs, one of each table in turn. After the first table that has no more, no table may
 * have one. */
static enum br_status deal(struct table *table, const char *const *path, uint32_t tables, FILE *out,
                           struct br_diag *diag)
{
    struct last last = {0};
    bool ended = false;
    fwrite(table[0].head, 1, table[0].head_size, out);
    while (!ended)
        for (uint32_t k = 0; k < tables; k++) {
            if (!*table[k].next)
                ended = true;
            else if (ended || !merge_write_run(&table[k], &last, out))
                return merge_fail(path[k],
                                  "name the tables of shards 1/N to N/N in this order, each once",
                                  "this shard does not follow those before it", diag);
        }
    return BR_OK;
}

enum br_status cli_merge_studies(const char *const *path, uint32_t paths, FILE *out,
                                 struct br_diag *diag)
{
    struct table *table = calloc(paths, sizeof *table);
    if (!table)
        return br_fail_memory(diag);
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < paths && !status; k++) {
        status = merge_read_table(path[k], &table[k], diag);
        if (!status && (table[k].head_size != table[0].head_size ||
                        memcmp(table[k].head, table[0].head, table[0].head_size) != 0))
            status = merge_fail(path[k], "write all shards in one format",
                                "its columns are not those of the table before", diag);
    }
    if (!status)
        status = deal(table, path, paths, out, diag);
    for (uint32_t k = 0; k < paths; k++)
        free(table[k].text);
    free(table);
    return status;
}
