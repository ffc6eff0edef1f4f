/* Barriers wait for all pieces of the parent by afterok. One-to-one edges wait by aftercorr for the
 * piece that has the same indices. If a list of jobs is too long for an argument, joints share it:
 * jobs that only wait. For one-to-one edges they are arrays with the same indices. */
#include "emit/engines/slurm/waits.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

/* Jobs in a list, of each kind: a number has 10 digits at most, an argument 128 KiB. */
enum { LIST_MOST = 5000 };

enum kind { AFTER_OK, AFTER_CORR };

static const char *const option[] = {"afterok", "aftercorr"};

/* The edges of one kind to a piece: a part of its stage's list. */
struct waits {
    const struct br_slurm_script *script;
    uint32_t piece;
    enum kind kind;
    uint32_t from, to; /* places in the engine's parents */
};

static struct waits all_waits(const struct br_slurm_script *script, uint32_t piece, enum kind kind)
{
    const uint32_t *first = script->engine.parents.first;
    uint32_t stage = script->pieces.piece[piece].stage;
    return (struct waits){script, piece, kind, first[stage], first[stage + 1]};
}

static const struct br_edge *edge_at(const struct waits *waits, uint32_t k)
{
    return &waits->script->engine.dag->edge[waits->script->engine.parents.edge[k]];
}

/* The number of jobs that the edge names; 0 if the edge is of the other kind. */
static uint32_t count_jobs(const struct waits *waits, uint32_t k)
{
    const struct br_slurm_script *script = waits->script;
    const struct br_edge *edge = edge_at(waits, k);
    bool pairs = br_dag_is_paired(script->engine.dag, edge);
    if (pairs != (waits->kind == AFTER_CORR))
        return 0;
    assert(pairs || script->pieces.cut[edge->parent] > 0);
    return pairs ? 1 : script->pieces.cut[edge->parent];
}

static uint64_t count_all(const struct waits *waits)
{
    uint64_t jobs = 0;
    for (uint32_t k = waits->from; k < waits->to; k++)
        jobs += count_jobs(waits, k);
    return jobs;
}

/* The largest part from `from` on that is not too long for an argument, of at least one edge. */
static struct waits first_part(const struct waits *waits, uint32_t from)
{
    struct waits part = *waits;
    assert(from < waits->to);
    uint64_t jobs = count_jobs(waits, from);
    part.from = from;
    part.to = from + 1;
    while (part.to < waits->to && jobs + count_jobs(waits, part.to) <= LIST_MOST)
        jobs += count_jobs(waits, part.to++);
    return part;
}

void br_slurm_piece_name(FILE *out, const struct br_slurm_script *script, uint32_t p)
{
    const struct br_slurm_piece *piece = &script->pieces.piece[p];
    br_engine_stage(out, &script->engine, piece->stage);
    if (script->pieces.cut[piece->stage] > 1)
        fprintf(out, "_%" PRIu32, piece->number);
}

void br_slurm_array(FILE *out, const struct br_slurm_script *script, uint32_t piece)
{
    if (script->engine.dag->stage[script->pieces.piece[piece].stage].tasks == 1)
        return;
    fputs(" --array=", out);
    br_slurm_piece_list(out, &script->pieces, piece);
}

static void slurm_waits_write_jobs(FILE *out, const struct waits *waits)
{
    const struct br_slurm_script *script = waits->script;
    const struct br_slurm_pieces *pieces = &script->pieces;
    uint32_t index = pieces->index[pieces->piece[waits->piece].first];
    for (uint32_t k = waits->from; k < waits->to; k++) {
        uint32_t parent = edge_at(waits, k)->parent;
        if (count_jobs(waits, k) == 0)
            continue;
        fputs(":$", out);
        if (waits->kind == AFTER_CORR)
            br_slurm_piece_name(out, script,
                                pieces->of[script->engine.dag->stage[parent].first_task + index]);
        else
            br_engine_stage(out, &script->engine, parent);
    }
}

static void write_joint_name(FILE *out, const struct waits *waits, uint32_t number)
{
    br_slurm_piece_name(out, waits->script, waits->piece);
    fprintf(out, "_%s_%" PRIu32, option[waits->kind], number);
}

static void slurm_waits_write_joint(FILE *out, const struct waits *part, uint32_t number)
{
    putc('\n', out);
    write_joint_name(out, part, number);
    fputs("=$(sbatch --parsable \"$@\" --job-name=wait", out);
    if (part->kind == AFTER_CORR)
        br_slurm_array(out, part->script, part->piece);
    fprintf(out,
            " --nodes=1 --ntasks=1 --cpus-per-task=1 $memory --nice=%" PRIu32
            " \\\n  --kill-on-invalid-dep=yes --dependency=%s",
            part->piece, option[part->kind]);
    slurm_waits_write_jobs(out, part);
    fputs(" \\\n  --wrap=true) || exit\n", out);
    write_joint_name(out, part, number);
    fputs("=${", out);
    write_joint_name(out, part, number);
    fputs("%%;*}\nids=\"$ids $", out);
    write_joint_name(out, part, number);
    fputs("\"\n", out);
}

bool br_slurm_has_joints(const struct br_slurm_script *script, uint32_t piece)
{
    struct waits whole = all_waits(script, piece, AFTER_OK);
    struct waits each = all_waits(script, piece, AFTER_CORR);
    return count_all(&whole) > LIST_MOST || count_all(&each) > LIST_MOST;
}

void br_slurm_joints(FILE *out, const struct br_slurm_script *script, uint32_t piece)
{
    for (enum kind kind = AFTER_OK; kind <= AFTER_CORR; kind++) {
        struct waits waits = all_waits(script, piece, kind), part = waits;
        uint32_t number = 0;
        if (count_all(&waits) <= LIST_MOST)
            continue;
        for (uint32_t from = waits.from; from < waits.to; from = part.to) {
            part = first_part(&waits, from);
            slurm_waits_write_joint(out, &part, ++number);
        }
    }
}

/* The tasks whose end, whatever it is, frees the room that the piece's task takes. */
static void wait_for_room(FILE *out, const struct br_slurm_script *script, uint32_t piece,
                          const char *before)
{
    const struct br_handovers *room = &script->handover;
    const struct br_slurm_piece *it = &script->pieces.piece[piece];
    if (!room->first)
        return;
    assert(it->tasks == 1);
    uint32_t task =
        script->engine.dag->stage[it->stage].first_task + script->pieces.index[it->first];
    for (uint32_t k = room->first[task]; k < room->first[task + 1]; k++) {
        uint32_t other = script->pieces.of[room->before[k]];
        assert(other < piece);
        fputs(k == room->first[task] ? before : "", out);
        fputs(k == room->first[task] ? "afterany:$" : ":$", out);
        br_slurm_piece_name(out, script, other);
    }
}

void br_slurm_dependencies(FILE *out, const struct br_slurm_script *script, uint32_t piece)
{
    const char *before = " \\\n  --kill-on-invalid-dep=yes --dependency=";
    for (enum kind kind = AFTER_OK; kind <= AFTER_CORR; kind++) {
        struct waits waits = all_waits(script, piece, kind);
        uint64_t jobs = count_all(&waits);
        uint32_t number = 0;
        if (jobs == 0)
            continue;
        fprintf(out, "%s%s", before, option[kind]);
        before = ",";
        if (jobs <= LIST_MOST)
            slurm_waits_write_jobs(out, &waits);
        for (uint32_t from = waits.from; jobs > LIST_MOST && from < waits.to;
             from = first_part(&waits, from).to) {
            fputs(":$", out);
            write_joint_name(out, &waits, ++number);
        }
    }
    wait_for_room(out, script, piece, before);
}
