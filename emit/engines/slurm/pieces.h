/* Stages in pieces, each a job array of Slurm. Internal to this room.
 *
 * Slurm starts an array's tasks by index, and the array has one priority. So a stage is cut at
 * places where the plan has tasks of others between its own, or a smaller index follows a larger
 * one. Stages that one-to-one edges connect are cut into the same sets of indices, since such an
 * edge becomes aftercorr, which wants the index in both arrays. */
#ifndef BR_EMIT_ENGINES_SLURM_PIECES_H
#define BR_EMIT_ENGINES_SLURM_PIECES_H

#include "planner/model/dag.h"
#include "planner/instance/plan.h"

#include <stdio.h>

struct br_slurm_piece {
    uint32_t stage;
    uint32_t number;       /* among those of its stage, from 1 */
    uint32_t first, tasks; /* run in `index` */
};

struct br_slurm_pieces {
    struct br_slurm_piece *piece; /* in the order of submission: parents before children */
    uint32_t count;
    uint32_t *index; /* indices of tasks in their stages, ascending in a piece */
    uint32_t *of;    /* by task: its piece */
    uint32_t *cut;   /* by stage: its pieces */
    /* Tasks whose ranks differ by this much or more are in the plan's order; 1: all are. 0: the
     * plan has tasks before their parents, so stages are whole and in topological order. */
    uint32_t window;
    struct br_arena arena;
};

/* Makes a piece of every task. */
enum br_status br_slurm_pieces_alone(struct br_slurm_pieces *pieces, const struct br_dag *dag,
                                     const struct br_plan *plan, struct br_diag *diag);

/* Makes at most `most` pieces, or a piece a stage if there are more stages: the window is the least
 * power of two, or the number of tasks, with which there are so few. Each piece's list of indices
 * has a length that Slurm takes. O((tasks + edges) log tasks) for usual jobs. */
enum br_status br_slurm_pieces_init(struct br_slurm_pieces *pieces, const struct br_dag *dag,
                                    const struct br_plan *plan, uint32_t most,
                                    struct br_diag *diag);
void br_slurm_pieces_finish(struct br_slurm_pieces *pieces);

/* "0-3,7": the indices of the piece. */
void br_slurm_piece_list(FILE *out, const struct br_slurm_pieces *pieces, uint32_t piece);

#endif
