/* Guesses memory from similar commands, and takes the largest, since memory must not run out. A
 * rule is a kind of command; within it the size of the inputs tells large from small: a link of a
 * hundred objects from one of two. */
#include "cli/import/memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/collections/grow.h"
#include "base/roles.h"
#include "cli/terminal/say.h"
#include "parsers/ninja/ninja.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "runtime/predict/annotate.h"
#include "runtime/predict/dag_with.h"

enum { ALIKE_LEAST = 3 };

/* ---- By patterns ---- */

/* Puts the amounts into the needs of the stage. */
static enum br_status put_amounts(const char *text, uint32_t stage, int64_t *cores,
                                  int64_t *mem_bytes, struct br_diag *diag)
{
    struct br_cluster *amounts;
    enum br_status status = br_parse_capacity(1, text, &amounts, diag);
    for (uint32_t k = 0; !status && k < amounts->cls[0].capacities; k++) {
        const struct br_capacity *amount = &amounts->cls[0].capacity[k];
        const bool cpu = br_role_is_own_name(BR_ROLE_CPU, amount->resource);
        if (!cpu && !br_role_is_own_name(BR_ROLE_MEMORY, amount->resource))
            status =
                br_fail(diag, BR_USAGE, "give other resources to all commands, before the ';'",
                        "--demand: a pattern gives cpu and mem, and no '%.80s'", amount->resource);
        else
            (cpu ? cores : mem_bytes)[stage] = br_role_bytes(amount->amount, NULL);
    }
    br_cluster_destroy(amounts);
    return status;
}

/* Replaces the job by one with other needs. */
static enum br_status replace(struct br_input *input, const int64_t *cores,
                              const int64_t *mem_bytes, struct br_diag *diag)
{
    struct br_dag *made;
    const struct br_needs needs = {.cores = cores, .mem_bytes = mem_bytes};
    enum br_status status = br_dag_with(input->dag, &needs, &made, diag);
    if (status)
        return status;
    br_dag_destroy(input->dag);
    input->dag = made;
    return BR_OK;
}

enum br_status cli_apply_demands(const struct cli_demands *demands, struct br_input *input,
                                 struct br_diag *diag)
{
    const struct br_dag *dag = input->dag;
    if (!demands->count)
        return BR_OK;
    int64_t *cores = malloc(((size_t)dag->stages + 1) * sizeof *cores);
    int64_t *mem_bytes = malloc(((size_t)dag->stages + 1) * sizeof *mem_bytes);
    enum br_status status = cores && mem_bytes ? BR_OK : br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++) {
        const char *amounts = cli_demands_of(demands, dag->stage[s].id);
        cores[s] = mem_bytes[s] = -1;
        if (amounts)
            status = put_amounts(amounts, s, cores, mem_bytes, diag);
    }
    if (!status)
        status = replace(input, cores, mem_bytes, diag);
    free(cores);
    free(mem_bytes);
    return status;
}

/* ---- By others of their rule ---- */

/* A command known to the history. */
struct known {
    uint32_t rule;
    int64_t mem_bytes, size; /* of its inputs; -1: not known */
};

struct guessing {
    struct br_history *history;
    const char *folder;
    struct br_ninja ninja;
    bool *wanted; /* by rule */
    char **name;  /* stages of the history's job; owned */
    uint32_t names, name_room;
    struct known *known; /* by rule */
    uint32_t knowns, known_room;
    bool lost; /* memory was out */
};

static bool demands_memory(const struct br_dag *dag, uint32_t s)
{
    const struct br_stage *stage = &dag->stage[s];
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++)
        if (br_role_is_own_name(BR_ROLE_MEMORY, dag->resource[dag->demand[d].resource].name))
            return true;
    return false;
}

/* Total bytes of the edge's explicit inputs; -1 if one does not exist. */
static int64_t size_of_inputs(const struct guessing *guessing, uint32_t edge)
{
    const struct br_ninja_edge *it = &guessing->ninja.edge[edge];
    int64_t size = 0;
    for (uint32_t k = it->first[BR_NINJA_IN]; k < it->first[BR_NINJA_IMPLICIT]; k++) {
        const char *path = guessing->ninja.node[guessing->ninja.path[k]].path;
        char whole[PATH_MAX];
        struct stat state;
        snprintf(whole, sizeof whole, "%s%s%s", *path == '/' ? "" : guessing->folder,
                 *path == '/' ? "" : "/", path);
        if (stat(whole, &state))
            return -1;
        size += state.st_size;
    }
    return size;
}

static void jobs_memory_take_name(void *context, const struct br_history_job *row)
{
    struct guessing *guessing = context;
    if (guessing->lost || strcmp(row->name, br_history_job(guessing->history)) != 0)
        return;
    guessing->lost =
        !br_grow(&guessing->name, guessing->names, &guessing->name_room, sizeof *guessing->name);
    char *name = guessing->lost ? NULL : strdup(row->stage);
    guessing->lost |= !name;
    if (name)
        guessing->name[guessing->names++] = name;
}

static enum br_status take_known(struct guessing *guessing, const char *name, struct br_diag *diag)
{
    struct br_history_estimate estimate;
    const uint32_t edge = br_ninja_find_producer(&guessing->ninja, name);
    if (edge == UINT32_MAX || !guessing->wanted[guessing->ninja.edge[edge].rule])
        return BR_OK;
    enum br_status status = br_history_estimate(guessing->history, name, &estimate, diag);
    const int64_t mem_bytes = status ? -1 : br_history_mem(&estimate);
    if (status || mem_bytes < 0)
        return status;
    if (!br_grow(&guessing->known, guessing->knowns, &guessing->known_room,
                 sizeof *guessing->known))
        return br_fail_memory(diag);
    guessing->known[guessing->knowns++] =
        (struct known){guessing->ninja.edge[edge].rule, mem_bytes, size_of_inputs(guessing, edge)};
    return BR_OK;
}

static enum br_status gather_known(struct guessing *guessing, struct br_diag *diag)
{
    enum br_status status =
        br_history_stages(guessing->history, jobs_memory_take_name, guessing, diag);
    if (!status && guessing->lost)
        status = br_fail_memory(diag);
    for (uint32_t k = 0; k < guessing->names && !status; k++)
        status = take_known(guessing, guessing->name[k], diag);
    return status;
}

/* -1 if no command of its rule is known. */
static int64_t guess(const struct guessing *guessing, uint32_t edge)
{
    const int64_t size = size_of_inputs(guessing, edge);
    int64_t of_all = -1, of_alike = -1;
    uint32_t alike = 0;
    for (uint32_t k = 0; k < guessing->knowns; k++) {
        const struct known *it = &guessing->known[k];
        if (it->rule != guessing->ninja.edge[edge].rule)
            continue;
        of_all = it->mem_bytes > of_all ? it->mem_bytes : of_all;
        if (size < 0 || it->size < size / 2 || it->size / 2 > size)
            continue;
        alike++;
        of_alike = it->mem_bytes > of_alike ? it->mem_bytes : of_alike;
    }
    return alike >= ALIKE_LEAST ? of_alike : of_all;
}

static const char *attribute_of(const struct br_dag *dag, const char *name)
{
    for (uint32_t a = 0; a < dag->attributes; a++)
        if (dag->attribute[a].owner == BR_OWNER_JOB && strcmp(dag->attribute[a].name, name) == 0)
            return dag->attribute[a].value;
    return NULL;
}

static enum br_status guess_all(struct guessing *guessing, struct br_input *input,
                                struct cli_memory_report *report, struct br_diag *diag)
{
    const struct br_dag *dag = input->dag;
    int64_t *mem_bytes = malloc(((size_t)dag->stages + 1) * sizeof *mem_bytes);
    guessing->wanted = calloc((size_t)guessing->ninja.rules + 1, sizeof *guessing->wanted);
    enum br_status status = mem_bytes && guessing->wanted ? BR_OK : br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++) {
        const uint32_t edge = br_ninja_find_producer(&guessing->ninja, dag->stage[s].id);
        if (edge != UINT32_MAX && !demands_memory(dag, s))
            guessing->wanted[guessing->ninja.edge[edge].rule] = true;
    }
    if (!status)
        status = gather_known(guessing, diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++) {
        const uint32_t edge = br_ninja_find_producer(&guessing->ninja, dag->stage[s].id);
        mem_bytes[s] = edge == UINT32_MAX || demands_memory(dag, s) ? -1 : guess(guessing, edge);
        report->guessed += mem_bytes[s] >= 0;
        if (mem_bytes[s] > report->most_bytes)
            report->most_bytes = mem_bytes[s];
    }
    report->unknown -= report->guessed;
    if (!status && report->guessed)
        status = replace(input, NULL, mem_bytes, diag);
    free(mem_bytes);
    return status;
}

enum br_status cli_guess_memory(struct br_history *history, struct br_input *input,
                                struct cli_memory_report *report, struct br_diag *diag)
{
    struct guessing guessing = {.history = history,
                                .folder = attribute_of(input->dag, "ninja.folder")};
    const char *file = attribute_of(input->dag, "ninja.file");
    *report = (struct cli_memory_report){.commands = input->dag->stages};
    if (!guessing.folder || !input->cluster ||
        br_cluster_capacity(input->cluster, 0, br_role_name(BR_ROLE_MEMORY)).mantissa <= 0)
        return BR_OK;
    for (uint32_t s = 0; s < input->dag->stages; s++)
        report->unknown += !demands_memory(input->dag, s);
    if (!report->unknown || !history)
        return BR_OK;
    enum br_status status =
        br_ninja_read(&guessing.ninja, guessing.folder, file ? file : "build.ninja", diag);
    if (status)
        return status;
    status = guess_all(&guessing, input, report, diag);
    for (uint32_t k = 0; k < guessing.names; k++)
        free(guessing.name[k]);
    free(guessing.name);
    free(guessing.known);
    free(guessing.wanted);
    br_ninja_finish(&guessing.ninja);
    return status;
}

/* ---- Messages ---- */

void cli_say_memory(const struct cli_memory_report *report, const struct br_cluster *cluster)
{
    char text[BR_ROLE_AMOUNT_TEXT];
    if (report->guessed) {
        br_role_bytes_text(report->most_bytes, text);
        cli_say("memory of %" PRIu32 " of %" PRIu32 " commands was never measured; they count as "
                "others of their rule, with up to %s",
                report->guessed, report->commands, text);
    }
    if (!report->unknown)
        return;
    if (!cluster) {
        cli_say("memory of %" PRIu32 " of %" PRIu32
                " commands is not known yet; later builds know it",
                report->unknown, report->commands);
        return;
    }
    const char *mem = br_role_name(BR_ROLE_MEMORY);
    br_role_amount(br_cluster_capacity(cluster, 0, mem), mem, NULL, text);
    cli_say("memory of %" PRIu32 " of %" PRIu32 " commands is not known, so %s cannot be kept for "
            "them; --demand 'PATTERN: mem=1GiB' says it",
            report->unknown, report->commands, text);
}
