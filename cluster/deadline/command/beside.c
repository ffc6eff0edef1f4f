#include "cluster/deadline/command/beside.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/arena.h"
#include "base/numbers/real.h"
#include "cli/options/control.h"
#include "cli/output/output.h"
#include "cli/terminal/say.h"
#include "runtime/deadline/admission.h"

/* All jobs, the asking one last. */
struct beside {
    struct br_arena arena;
    struct br_control_options options;
    uint32_t total, jobs;
    struct br_deadline_table *table;
    const char **path;
    struct br_candidacy *job;
};

static bool deadline_beside_read_number(const char *text, double *number)
{
    struct br_decimal value = {0};
    if (br_decimal_parse_nearest(text, &value) != BR_DECIMAL_OK)
        return false;
    *number = br_real_of(value);
    return true;
}

static enum br_status deadline_beside_add(struct beside *all, const char *path, double deadline_s,
                                          double progress, struct br_diag *diag)
{
    struct br_deadline_table *table = &all->table[all->jobs];
    enum br_status status = br_table_open(path, table, diag);
    if (status)
        return status;
    all->path[all->jobs] = path;
    all->job[all->jobs++] = (struct br_candidacy){table, progress, deadline_s};
    if (table->kind != all->table[0].kind ||
        (table->kind == BR_SHARES &&
         table->cluster_fingerprint != all->table[0].cluster_fingerprint))
        return br_fail(diag, BR_BAD_INPUT, "make them with --tokens, or for one cluster",
                       "%.80s: its allocations are not of the same kind as those of %.80s", path,
                       all->path[0]);
    if (table->kind == BR_SHARES && all->total > 100)
        return br_fail(diag, BR_USAGE, "give at most 100, or leave it out",
                       "--tokens: the allocations of %.80s are percents of a cluster", path);
    if (all->options.layer >= table->layers)
        return br_fail(diag, BR_BAD_INPUT, "make it without --no-plan",
                       "%.80s: it has no planned order", path);
    return BR_OK;
}

/* "TABLE=SECONDS" or "TABLE=SECONDS@PROGRESS". */
static enum br_status add_resident(struct beside *all, const struct br_list_entry *entry,
                                   struct br_diag *diag)
{
    char *word = br_arena_array(&all->arena, entry->length + 1, 1);
    if (!word)
        return br_fail_memory(diag);
    memcpy(word, entry->name, entry->length);
    double deadline_s = 0, progress = 0;
    char *equals = strrchr(word, '='), *at = equals ? strchr(equals, '@') : NULL;
    if (at)
        *at++ = '\0';
    if (equals)
        *equals++ = '\0';
    if (!equals || !deadline_beside_read_number(equals, &deadline_s) ||
        (at && !deadline_beside_read_number(at, &progress)) || progress < 0 || progress > 1)
        return br_fail(diag, BR_USAGE,
                       "write TABLE=SECONDS, or TABLE=SECONDS@PROGRESS with 0 to 1 for progress",
                       "--beside: '%.60s' does not say by when that job is to end", word);
    if (deadline_s <= 0)
        return br_fail(diag, BR_USAGE, "leave that job out, or give a later one",
                       "--beside: the deadline of '%.60s' is past", word);
    return deadline_beside_add(all, word, deadline_s, progress, diag);
}

static enum br_status deadline_beside_read_all(const struct cli_settings *settings,
                                               const char *path, struct beside *all,
                                               struct br_diag *diag)
{
    const char *list = settings->control.beside;
    uint32_t most = br_list_count(list) + 1;
    double deadline_s = INFINITY;
    struct br_list_entry entry;
    all->table = br_arena_array(&all->arena, most, sizeof *all->table);
    all->path = br_arena_array(&all->arena, most, sizeof *all->path);
    all->job = br_arena_array(&all->arena, most, sizeof *all->job);
    if (!all->table || !all->path || !all->job)
        return br_fail_memory(diag);
    enum br_status status = cli_control_read(&settings->control, &all->options, diag);
    all->total = settings->deadline.tokens ? (uint32_t)settings->deadline.tokens : 100;
    all->options.most = all->total;
    while (!status && br_list_next(BR_LIST_WORD, &list, &entry))
        status = add_resident(all, &entry, diag);
    if (!status && settings->control.utility && !isnan(settings->control.within_s))
        status = br_fail(diag, BR_USAGE, "leave out one of them",
                         "a --utility has its deadline, so --deadline goes without");
    struct br_utility utility;
    if (!status && settings->control.utility) {
        status = cli_utilities_read(settings->control.utility, &utility, 1, diag);
        deadline_s = status ? deadline_s : br_utility_deadline(&utility);
    }
    br_option_take(settings->control.within_s, &deadline_s);
    return status ? status : deadline_beside_add(all, path, deadline_s, 0, diag);
}

static const char *deadline_beside_unit_of(const struct beside *all)
{
    return all->table[0].kind == BR_SHARES ? "percents of the cluster" : "tokens";
}

static void deadline_beside_print_job(FILE *out, const struct beside *all, uint32_t k,
                                      uint32_t need)
{
    const struct br_candidacy *job = &all->job[k];
    cli_print_text(out, all->path[k]);
    if (isfinite(job->deadline_s))
        fprintf(out, ": within %" PRId64 " s", br_real_whole(job->deadline_s));
    if (job->progress > 0)
        fprintf(out, ", %" PRId64 " %% done", br_real_whole(100 * job->progress));
    if (need)
        fprintf(out, ": %" PRIu32 " %s\n", need, deadline_beside_unit_of(all));
    else
        fprintf(out, ": not with %" PRIu32 " %s\n", all->total, deadline_beside_unit_of(all));
}

static enum br_status deadline_beside_tell(const struct beside *all, FILE *out)
{
    const struct br_candidacy *asks = &all->job[all->jobs - 1];
    uint64_t used = 0;
    bool kept = true;
    for (uint32_t k = 0; k + 1 < all->jobs; k++) {
        uint32_t need = br_admission_need(&all->job[k], &all->options);
        kept &= need > 0;
        used += need;
        deadline_beside_print_job(out, all, k, need);
    }
    if (!kept || used > all->total) {
        fprintf(out, "those that are there do not fit into %" PRIu32 " %s\n", all->total,
                deadline_beside_unit_of(all));
        return BR_NO;
    }
    uint32_t left = all->total - (uint32_t)used, need = 0;
    if (isfinite(asks->deadline_s)) {
        need = br_admission_need(asks, &all->options);
        deadline_beside_print_job(out, all, all->jobs - 1, need);
    }
    double earliest_s = br_admission_earliest_s(asks, &all->options, left);
    bool any = isfinite(earliest_s);
    bool fits = any && (!isfinite(asks->deadline_s) || (need > 0 && need <= left));
    fprintf(out, "%s: %" PRIu32 " of %" PRIu32 " %s are left", fits ? "fits" : "does not fit", left,
            all->total, deadline_beside_unit_of(all));
    if (any)
        fprintf(out, "; earliest deadline %" PRId64 " s", (int64_t)ceil(earliest_s));
    putc('\n', out);
    return fits ? BR_OK : BR_NO;
}

enum br_status cli_beside(const struct cli_settings *settings, const char *path,
                          struct br_diag *diag)
{
    struct beside all = {0};
    struct cli_output output;
    enum br_status status = deadline_beside_read_all(settings, path, &all, diag);
    if (!status)
        status = cli_output_open(&output, settings->output.path, diag);
    if (!status) {
        enum br_status fits = deadline_beside_tell(&all, output.file);
        status = cli_output_close(&output, BR_OK, diag);
        status = status ? status : fits;
    }
    for (uint32_t k = 0; k < all.jobs; k++)
        br_table_close(&all.table[k]);
    br_arena_finish(&all.arena);
    return status;
}
