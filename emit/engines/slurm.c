/* A shell script that hands every stage to Slurm as one job array. Barriers are afterok, one-to-one
 * edges aftercorr, which Slurm means the same way; the plan's order becomes nice values. */
#include "base/collections/sort.h"
#include "base/text/diag.h"
#include "base/text/shell.h"
#include "emit/engines/engine.h"
#include "emit/write/outputs.h"
#include "planner/model/cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_dependencies(FILE *out, const struct br_engine *engine, uint32_t stage)
{
    const struct br_dag *dag = engine->dag;
    for (uint32_t k = engine->parents.first[stage]; k < engine->parents.first[stage + 1]; k++) {
        const struct br_edge *edge = &dag->edge[engine->parents.edge[k]];
        bool pairs = edge->type == BR_ONE_TO_ONE && dag->stage[stage].tasks > 1;
        fprintf(out, "%s%s:$",
                k == engine->parents.first[stage] ? " \\\n  --kill-on-invalid-dep=yes --dependency="
                                                  : ",",
                pairs ? "aftercorr" : "afterok");
        br_engine_stage(out, engine, edge->parent);
    }
}

/* Licenses are Slurm's resources of a whole cluster. An sbatch that asks for one that Slurm has not
 * is refused, so the script looks first. */
static const char licenses[] =
    "have=$(scontrol show licenses 2>/dev/null | sed -n 's/^LicenseName=//p' | tr '\\n' ' ')\n"
    "licenses() {\n"
    "    list=\n"
    "    for one; do\n"
    "        case \" $have \" in *\" ${one%%:*} \"*) list=$list,$one ;; esac\n"
    "    done\n"
    "    [ -z \"$list\" ] || echo \"--licenses=${list#,}\"\n"
    "}\n"
    "for one in $needed; do\n"
    "    [ -n \"$(licenses \"$one\")\" ] ||\n"
    "        echo \"Slurm has no licenses '${one%%:*}', so their limit is not kept;\" \\\n"
    "            \"Licenses=$one in slurm.conf has them.\" >&2\n"
    "done\n";

/* Is it one that Slurm counts on each node (GRES)? */
static bool is_generic(const struct br_engine *engine, const struct br_limit *limit)
{
    const struct br_cluster *cluster = engine->input->cluster;
    return cluster && br_cluster_is_generic(cluster, engine->dag->resource[limit->resource].name);
}

static bool is_license(const struct br_engine *engine, const struct br_limit *limit)
{
    return br_limit_is_other(limit) && !is_generic(engine, limit);
}

/* What `scontrol show config` says. */
static const char site[] = "config=$(scontrol show config 2>/dev/null)\n"
                           "site() { printf '%s\\n' \"$config\" | sed -n \"s/^$1 *= *//p\"; }\n";

/* Where Slurm counts memory and the site sets no default, a job that states none is given all
 * memory of its node, so that no other runs beside it. Then it asks for its processors' share. */
static const char memories[] =
    "memory=\n"
    "case \" $* $(site SelectTypeParameters) $(site DefMemPerNode)$(site DefMemPerCPU) \" in\n"
    "*' --mem'*) ;;\n"
    "*MEM*' UNLIMITED ' | *Mem*' UNLIMITED ')\n"
    "    share=$(sinfo -h -N -o '%c %m' 2>/dev/null |\n"
    "        awk '$1 > 0 { s = int($2 / $1); if (!n++ || s < least) least = s }\n"
    "            END { if (least > 0) print least }')\n"
    "    [ -z \"$share\" ] || memory=--mem-per-cpu=$share\n"
    "    echo \"Slurm gives all memory of a node to jobs that state none, so stages that demand\" "
    "\\\n"
    "        \"no memory ask for a processor's share of it, ${share:-not known} MB;\" \\\n"
    "        \"--mem-per-cpu=... as an option of this script counts instead.\" >&2 ;;\n"
    "esac\n";

/* Slurm's own plugins go by --nice; of a site's own it is not known. */
static const char priorities[] =
    "kind=$(site PriorityType)\n"
    "case $kind in\n"
    "    '' | priority/multifactor | priority/basic) ;;\n"
    "    *) echo \"Slurm goes by $kind, which may not order jobs by --nice; the stages are\" \\\n"
    "        \"submitted in the plan's order.\" >&2 ;;\n"
    "esac\n";

/* Partition and account go before the options of the command line, which count then. */
static void write_site(FILE *out, const struct br_engine *engine, uint32_t stage)
{
    const struct br_cluster *cluster = engine->input->cluster;
    const struct br_stage *it = &engine->dag->stage[stage];
    int64_t longest_ns = 0;
    if (!cluster)
        return;
    for (uint32_t t = it->first_task; t < it->first_task + it->tasks; t++)
        if (engine->dag->duration_ns[t] > longest_ns)
            longest_ns = engine->dag->duration_ns[t];
    int64_t minutes = br_cluster_minutes(cluster, longest_ns);
    if (cluster->partition)
        fprintf(out, " --partition=%s", cluster->partition);
    if (cluster->account)
        fprintf(out, " --account=%s", cluster->account);
    if (minutes)
        fprintf(out, " --time=%" PRId64, minutes);
}

static void write_generic(FILE *out, const struct br_engine *engine, uint32_t stage)
{
    const char *before = " --gres=";
    for (uint32_t d = 0; d < engine->dag->stage[stage].demands; d++) {
        const struct br_demand *demand =
            &engine->dag->demand[engine->dag->stage[stage].first_demand + d];
        const char *name = engine->dag->resource[demand->resource].name;
        if (!engine->input->cluster || !br_cluster_is_generic(engine->input->cluster, name) ||
            demand->amount.mantissa <= 0)
            continue;
        fputs(before, out);
        br_shell_write(out, name);
        fprintf(out, ":%" PRId64, br_decimal_ceil(demand->amount));
        before = ",";
    }
}

static void write_needed(FILE *out, const struct br_engine *engine)
{
    const char *before = "needed='";
    for (uint32_t l = 0; l < engine->limits.count; l++) {
        const struct br_limit *limit = &engine->limits.limit[l];
        if (!is_license(engine, limit))
            continue;
        fputs(before, out);
        br_engine_resource(out, engine, limit);
        fprintf(out, ":%" PRId64, limit->total);
        before = " ";
    }
    if (*before == ' ')
        fprintf(out, "'\n%s", licenses);
}

static void write_licenses(FILE *out, const struct br_engine *engine, uint32_t stage)
{
    const char *before = " $(licenses ";
    for (uint32_t l = 0; l < engine->limits.count; l++) {
        const struct br_limit *limit = &engine->limits.limit[l];
        int64_t amount = br_limit_demand(limit, engine->dag, stage);
        if (!is_license(engine, limit) || amount == 0)
            continue;
        fputs(before, out);
        br_engine_resource(out, engine, limit);
        fprintf(out, ":%" PRId64, amount);
        before = " ";
    }
    if (before[1] == '\0')
        putc(')', out);
}

enum { JOB_NAME_MOST = 200 }; /* characters */

/* Slurm shows it to people: what is not seen is written as a number. */
static enum br_status write_job_name(FILE *out, const char *id, struct br_diag *diag)
{
    char *name = NULL;
    size_t size;
    FILE *memory = open_memstream(&name, &size);
    if (memory)
        br_write_cut(memory, BR_QUOTE_TABS, id, JOB_NAME_MOST);
    bool failed = !memory || ferror(memory);
    if (memory && fclose(memory) != 0)
        failed = true;
    failed |= !name;
    if (!failed)
        br_shell_write(out, name);
    free(name);
    return failed ? br_fail_memory(diag) : BR_OK;
}

static enum br_status write_stage(FILE *out, const struct br_engine *engine, uint32_t s,
                                  struct br_diag *diag)
{
    const struct br_stage *stage = &engine->dag->stage[s];
    bool array = stage->tasks > 1;
    char *line;
    enum br_status status =
        br_engine_line(engine, s, array ? "\"$SLURM_ARRAY_TASK_ID\"" : "0", &line, diag);
    if (status)
        return status;
    putc('\n', out);
    br_engine_stage(out, engine, s);
    fputs("=$(sbatch --parsable", out);
    write_site(out, engine, s);
    fputs(" \"$@\" --job-name=", out);
    status = write_job_name(out, stage->id, diag);
    if (array)
        fprintf(out, " --array=0-%" PRIu32, stage->tasks - 1);
    fprintf(out, " --nodes=1 --ntasks=1 --cpus-per-task=%" PRIu32, engine->need[s].cpus);
    if (engine->need[s].mem_bytes > 0)
        fprintf(out, " --mem=%" PRId64 "K",
                engine->need[s].mem_bytes / 1024 + (engine->need[s].mem_bytes % 1024 != 0));
    else
        fputs(" $memory", out);
    fprintf(out, " --nice=%" PRIu32, engine->first_rank[s] - 1);
    write_generic(out, engine, s);
    write_licenses(out, engine, s);
    write_dependencies(out, engine, s);
    fputs(" \\\n  --wrap=", out);
    br_shell_write(out, line);
    fputs(") || exit\n", out);
    br_engine_stage(out, engine, s);
    fputs("=${", out);
    br_engine_stage(out, engine, s);
    fputs("%%;*}\nids=\"$ids $", out);
    br_engine_stage(out, engine, s);
    fputs("\"\n", out);
    free(line);
    return status;
}

static bool lacks_memory(const struct br_engine *engine)
{
    for (uint32_t s = 0; s < engine->dag->stages; s++)
        if (engine->need[s].mem_bytes == 0)
            return true;
    return false;
}

/* The stages by the first of their tasks in the plan, which is the order of submission; parents
 * first where a plan has them later. From the engine's arena; NULL when memory is out. */
static uint32_t *order_stages(struct br_engine *engine)
{
    const struct br_dag *dag = engine->dag;
    uint32_t *order = br_arena_array(&engine->arena, dag->stages, sizeof *order);
    struct br_sort_item *item = br_arena_array(&engine->arena, dag->stages, 2 * sizeof *item);
    bool good = true;
    if (!order || !item)
        return NULL;
    for (uint32_t e = 0; e < dag->edges; e++)
        good &= engine->first_rank[dag->edge[e].parent] < engine->first_rank[dag->edge[e].child];
    for (uint32_t k = 0; k < dag->stages; k++)
        item[k] = (struct br_sort_item){engine->first_rank[k], k};
    br_sort(item, item + dag->stages, dag->stages);
    for (uint32_t k = 0; k < dag->stages; k++)
        order[k] = good ? item[k].item : dag->topological[k];
    return order;
}

enum br_status br_emit_slurm(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    static const char *const usage[] = {
        "Run it by: sh FILE [options for every sbatch, such as --partition=short]",
        "It prints the numbers of the jobs; their output is where sbatch puts it.", NULL};
    static const char *const left_out[] = {
        "the order of tasks inside a stage: Slurm goes by index",
        "stages whose tasks the plan mixes: an array has one priority, that of its first task, so",
        "  all of it goes before a stage that the plan begins later",
        "machines and start times: Slurm places jobs itself, those of lower --nice first",
        "arrays beyond Slurm's MaxArraySize (1001 unless set)",
        NULL};
    struct br_engine engine;
    enum br_status status = br_engine_init_commands(&engine, input, diag);
    if (status)
        return status;
    fputs("#!/bin/sh\n", out);
    engine.others_where = "slurm.conf has licenses of that name, as in Licenses=net:12";
    engine.is_counted = is_generic;
    br_engine_header(out, "#", &engine, usage, BR_KEEPS_ALL, left_out);
    write_needed(out, &engine);
    fputs(site, out);
    fputs(priorities, out);
    if (lacks_memory(&engine))
        fputs(memories, out);
    fputs("ids=\n", out);
    uint32_t *order = order_stages(&engine);
    if (!order)
        status = br_fail_memory(diag);
    for (uint32_t k = 0; k < input->dag->stages && !status; k++)
        status = write_stage(out, &engine, order[k], diag);
    fputs("\necho $ids\n", out);
    br_engine_finish(&engine);
    return status;
}
