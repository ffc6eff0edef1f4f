/* A shell script that hands stages to Slurm as job arrays, in pieces if the plan mixes them.
 * Barriers are afterok, one-to-one edges aftercorr, which Slurm means the same way; the plan's
 * order becomes nice values. */
#include "base/text/diag.h"
#include "base/text/shell.h"
#include "emit/engines/slurm/waits.h"
#include "emit/write/outputs.h"
#include "planner/model/cluster/cluster.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES_MOST = 500 }; /* each is a call of sbatch */

/* Licenses are Slurm's resources of a whole cluster. Slurm refuses an sbatch that asks for an
 * unknown license, so the script looks first. */
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

/* Does Slurm count the resource on each node (GRES)? */
static bool is_generic(const struct br_engine *engine, const struct br_limit *limit)
{
    const struct br_cluster *cluster = engine->input->cluster;
    return cluster && br_cluster_is_generic(cluster, engine->dag->resource[limit->resource].name);
}

static bool is_license(const struct br_engine *engine, const struct br_limit *limit)
{
    return br_limit_is_other(limit) && !is_generic(engine, limit);
}

/* Lines that look into `scontrol show config`. */
static const char site[] = "config=$(scontrol show config 2>/dev/null)\n"
                           "site() { printf '%s\\n' \"$config\" | sed -n \"s/^$1 *= *//p\"; }\n";

/* If Slurm counts memory and the site sets no default, a job that states none gets all memory of
 * its node, so that no other runs beside it. Such jobs ask for their processors' share. */
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

/* Slurm's own plugins go by --nice; a site's own plugin may not. */
static const char priorities[] =
    "kind=$(site PriorityType)\n"
    "case $kind in\n"
    "    '' | priority/multifactor | priority/basic) ;;\n"
    "    *) echo \"Slurm goes by $kind, which may not order jobs by --nice; the jobs are\" \\\n"
    "        \"submitted in the plan's order.\" >&2 ;;\n"
    "esac\n";

/* Partition and account go before the options of the command line, which override them. */
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

/* Tasks of a piece start together as far as Slurm knows, so the latest release counts. It is from
 * when the script hands the piece over, which is later than the start of the script. */
static void write_begin(FILE *out, const struct br_slurm_script *script, uint32_t p)
{
    const struct br_dag *dag = script->engine.dag;
    const struct br_slurm_piece *piece = &script->pieces.piece[p];
    const int64_t second_ns = INT64_C(1000000000);
    int64_t latest_ns = 0;
    if (!dag->times || !dag->times->release_ns)
        return;
    for (uint32_t k = piece->first; k < piece->first + piece->tasks; k++) {
        uint32_t task = dag->stage[piece->stage].first_task + script->pieces.index[k];
        if (dag->times->release_ns[task] > latest_ns)
            latest_ns = dag->times->release_ns[task];
    }
    if (latest_ns)
        fprintf(out, " --begin=now+%" PRId64, latest_ns / second_ns + (latest_ns % second_ns != 0));
}

enum { JOB_NAME_MOST = 200 }; /* characters */

/* Slurm shows the name to people, so invisible characters are written as numbers. */
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

/* A stage's command stands in the file once: it may be long. */
static enum br_status slurm_write_command(FILE *out, const struct br_slurm_script *script,
                                          uint32_t s, struct br_diag *diag)
{
    bool array = script->engine.dag->stage[s].tasks > 1;
    char *line;
    enum br_status status =
        br_engine_line(&script->engine, s, array ? "\"$SLURM_ARRAY_TASK_ID\"" : "0", &line, diag);
    if (status)
        return status;
    br_shell_write(out, line);
    free(line);
    return BR_OK;
}

static void write_memory(FILE *out, const struct br_engine_need *need)
{
    if (need->mem_bytes > 0)
        fprintf(out, " --mem=%" PRId64 "K", need->mem_bytes / 1024 + (need->mem_bytes % 1024 != 0));
    else
        fputs(" $memory", out);
}

/* sbatch prints the job's number and, at a site with several clusters, the cluster. */
static void write_number(FILE *out, const struct br_slurm_script *script, uint32_t p)
{
    uint32_t stage = script->pieces.piece[p].stage;
    br_slurm_piece_name(out, script, p);
    fputs("=${", out);
    br_slurm_piece_name(out, script, p);
    fputs("%%;*}\n", out);
    if (script->pieces.cut[stage] > 1) {
        br_engine_stage(out, &script->engine, stage);
        putc('=', out);
        if (script->pieces.piece[p].number > 1) {
            putc('$', out);
            br_engine_stage(out, &script->engine, stage);
            putc(':', out);
        }
        putc('$', out);
        br_slurm_piece_name(out, script, p);
        putc('\n', out);
    }
    fputs("ids=\"$ids $", out);
    br_slurm_piece_name(out, script, p);
    fputs("\"\n", out);
}

static enum br_status write_piece(FILE *out, const struct br_slurm_script *script, uint32_t p,
                                  struct br_diag *diag)
{
    const struct br_engine *engine = &script->engine;
    uint32_t s = script->pieces.piece[p].stage;
    enum br_status status = BR_OK;
    bool cut = script->pieces.cut[s] > 1;
    br_slurm_joints(out, script, p);
    putc('\n', out);
    if (cut && script->pieces.piece[p].number == 1) {
        br_engine_stage(out, engine, s);
        fputs("_command=", out);
        status = slurm_write_command(out, script, s, diag);
        putc('\n', out);
    }
    br_slurm_piece_name(out, script, p);
    fputs("=$(sbatch --parsable", out);
    write_site(out, engine, s);
    fputs(" \"$@\" --job-name=", out);
    if (!status)
        status = write_job_name(out, engine->dag->stage[s].id, diag);
    br_slurm_array(out, script, p);
    fprintf(out, " --nodes=1 --ntasks=1 --cpus-per-task=%" PRIu32, engine->need[s].cpus);
    write_memory(out, &engine->need[s]);
    fprintf(out, " --nice=%" PRIu32, p);
    write_generic(out, engine, s);
    write_licenses(out, engine, s);
    write_begin(out, script, p);
    br_slurm_dependencies(out, script, p);
    fputs(" \\\n  --wrap=", out);
    if (cut) {
        fputs("\"$", out);
        br_engine_stage(out, engine, s);
        fputs("_command\"", out);
    } else if (!status) {
        status = slurm_write_command(out, script, s, diag);
    }
    fputs(") || exit\n", out);
    write_number(out, script, p);
    return status;
}

static bool lacks_memory(const struct br_slurm_script *script)
{
    for (uint32_t s = 0; s < script->engine.dag->stages; s++)
        if (script->engine.need[s].mem_bytes == 0)
            return true;
    for (uint32_t p = 0; p < script->pieces.count; p++)
        if (br_slurm_has_joints(script, p))
            return true;
    return false;
}

enum { SENTENCE = 160 }; /* bytes */

/* Sentences of the header about the pieces: one on how to run the file, and one on what is lost of
 * the plan's order. "" if there is nothing to say. */
static void describe_pieces(const struct br_slurm_pieces *pieces, uint32_t stages,
                            char usage[SENTENCE], char lost[SENTENCE])
{
    uint32_t most = stages > PIECES_MOST ? stages : PIECES_MOST;
    assert(pieces->count >= stages);
    usage[0] = lost[0] = '\0';
    if (pieces->count > stages)
        snprintf(usage, SENTENCE,
                 "It calls sbatch %" PRIu32
                 " times: stages that the plan mixes are handed over in pieces.",
                 pieces->count);
    if (pieces->window == 0)
        snprintf(lost, SENTENCE, "its order, in which tasks go before their parents");
    else if (pieces->window > 1 && pieces->count == stages)
        snprintf(lost, SENTENCE,
                 "the order of tasks of stages that it mixes: there would be more than %" PRIu32
                 " pieces",
                 most);
    else if (pieces->window > 1)
        snprintf(lost, SENTENCE,
                 "the order of tasks less than %" PRIu32
                 " places apart: there would be more than %" PRIu32 " pieces",
                 pieces->window, most);
}

static bool has_deadlines(const struct br_dag *dag)
{
    return dag->times && dag->times->deadlines.count > 0;
}

static void write_header(FILE *out, const struct br_slurm_script *script)
{
    char pieces[SENTENCE], lost[SENTENCE];
    const char *usage[] = {
        "Run it by: sh FILE [options for every sbatch, such as --partition=short]",
        "It prints the numbers of the jobs; their output is where sbatch puts it.", pieces, NULL};
    const char *left_out[] = {
        lost,
        "machines and start times: Slurm places jobs itself, those of lower --nice first",
        "arrays beyond Slurm's MaxArraySize (1001 unless set)",
        "short tasks: Slurm takes up to a second or so between an end and a start",
        has_deadlines(script->engine.dag) ? "deadlines: Slurm would drop a job that cannot keep one"
                                          : NULL,
        NULL};
    describe_pieces(&script->pieces, script->engine.dag->stages, pieces, lost);
    if (!pieces[0])
        usage[2] = NULL;
    br_engine_header(out, "#", &script->engine, usage, BR_KEEPS_ALL,
                     lost[0] ? left_out : left_out + 1);
}

/* Slurm counts cores and memory on each node. */
static enum br_status refuse_shared(const struct br_emit_input *input, struct br_diag *diag)
{
    for (uint32_t k = 0; input->cluster && k < input->cluster->shareds; k++) {
        const char *name = input->cluster->shared[k].resource;
        if (br_role_of(name) == BR_ROLE_CPU || br_role_of(name) == BR_ROLE_MEMORY)
            return br_fail(diag, BR_BAD_INPUT, "give it another name",
                           "the format slurm cannot share '%.80s' between machines: Slurm counts "
                           "it on each node",
                           name);
    }
    return BR_OK;
}

/* An output is freed by its readers; Slurm runs nothing in between. */
static enum br_status slurm_make_pieces(struct br_slurm_script *script,
                                        const struct br_emit_input *input, struct br_diag *diag)
{
    const struct br_storage *storage = input->dag->storage;
    if (!storage || !storage->outputs)
        return br_slurm_pieces_init(&script->pieces, input->dag, input->plan, PIECES_MOST, diag);
    for (uint32_t o = 0; o < storage->outputs; o++)
        if (storage->output[o].release)
            return br_fail(diag, BR_BAD_INPUT, "let the last reader's command do it",
                           "the format slurm runs no command that frees the output '%.80s'",
                           storage->output[o].id);
    if (input->dag->tasks > PIECES_MOST)
        return br_fail(diag, BR_BAD_INPUT, "run it by bigrocks run --on slurm-jobs",
                       "the format slurm keeps what is held for %d tasks at most", PIECES_MOST);
    enum br_status status = br_handover_init(&script->handover, input->dag, input->cluster,
                                             input->plan, "the format slurm", diag);
    return status ? status : br_slurm_pieces_alone(&script->pieces, input->dag, input->plan, diag);
}

enum br_status br_emit_slurm(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    struct br_slurm_script script = {.pieces.count = 0};
    enum br_status status = refuse_shared(input, diag);
    if (!status)
        status = br_engine_init_commands(&script.engine, input, diag);
    if (status)
        return status;
    status = slurm_make_pieces(&script, input, diag);
    if (status) {
        br_handover_finish(&script.handover);
        br_engine_finish(&script.engine);
        return status;
    }
    fputs("#!/bin/sh\n", out);
    script.engine.others_where = "slurm.conf has licenses of that name, as in Licenses=net:12";
    script.engine.is_counted = is_generic;
    write_header(out, &script);
    write_needed(out, &script.engine);
    fputs(site, out);
    fputs(priorities, out);
    if (lacks_memory(&script))
        fputs(memories, out);
    fputs("ids=\n", out);
    for (uint32_t p = 0; p < script.pieces.count && !status; p++)
        status = write_piece(out, &script, p, diag);
    fputs("\necho $ids\n", out);
    br_slurm_pieces_finish(&script.pieces);
    br_handover_finish(&script.handover);
    br_engine_finish(&script.engine);
    return status;
}
