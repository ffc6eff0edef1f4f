/* The table of policies for executors, of the rows that rows.h names. */
#include "cluster/executors/rows.h"

#define ROW(name) &br_executors_policy_##name,
static const struct br_executors_row *const rows[] = {BR_EXECUTORS_POLICIES(ROW)};
enum { ROWS = sizeof rows / sizeof *rows };

const struct br_names br_executors_policies = {BR_NAMES(rows), .pointers = true};

const struct br_executors_row *br_executors_policy(uint32_t k)
{
    return k < ROWS ? rows[k] : NULL;
}

enum br_status br_executors_follow(struct br_executors *sim, const struct br_executors_row *row,
                                   void *policy, struct br_diag *diag)
{
    enum br_status status = row->begin ? row->begin(policy, sim, diag) : BR_OK;
    if (status)
        return status;
    while (br_executors_next(sim)) {
        struct br_executors_choice choice = row->decide(policy, sim);
        br_executors_decide(sim, choice.stage, choice.limit);
    }
    status = br_executors_status(sim);
    return status ? br_fail_memory(diag) : BR_OK;
}
