/* Names of the jobs in a script for Slurm, and the jobs for which each waits. Internal to this
 * room. */
#ifndef BR_EMIT_ENGINES_SLURM_WAITS_H
#define BR_EMIT_ENGINES_SLURM_WAITS_H

#include "emit/engines/engine.h"
#include "emit/engines/slurm/pieces.h"
#include "planner/instance/handover.h"

struct br_slurm_script {
    struct br_engine engine;
    struct br_slurm_pieces pieces;
    struct br_handovers handover; /* of a job with outputs, whose pieces are single tasks */
};

/* A variable of the script: "s2_map_3" has the number of the third piece of a stage, and "s2_map"
 * those of all its pieces, with colons between. A stage that is not cut has only the second. */
void br_slurm_piece_name(FILE *out, const struct br_slurm_script *script, uint32_t piece);
/* " --array=0-3"; nothing for a stage of one task. */
void br_slurm_array(FILE *out, const struct br_slurm_script *script, uint32_t piece);
/* Would the piece's list of jobs be too long for an argument? */
bool br_slurm_has_joints(const struct br_slurm_script *script, uint32_t piece);
/* Writes the joints of such a piece: jobs that only wait, each for a part of the list. */
void br_slurm_joints(FILE *out, const struct br_slurm_script *script, uint32_t piece);
/* Writes " --dependency=afterok:$s1_read,aftercorr:$s2_map_3", and that Slurm drops the job if one
 * of them fails; nothing for a piece that waits for none. */
void br_slurm_dependencies(FILE *out, const struct br_slurm_script *script, uint32_t piece);

#endif
