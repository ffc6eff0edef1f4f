/* Histories in a build without SQLite: every call says so. */
#include <stddef.h>

#include "base/text/diag.h"
#include "store/history/history.h"

static enum br_status fail_missing(struct br_diag *diag)
{
    return br_fail(diag, BR_SYSTEM, "install libsqlite3-dev and build again",
                   "this build of the program keeps no histories");
}

bool br_history_is_there(void)
{
    return false;
}

enum br_status br_history_open(const char *path, const char *job, struct br_history **history,
                               struct br_diag *diag)
{
    *history = NULL;
    return fail_missing(diag);
}

enum br_status br_history_open_to_read(const char *path, const char *job,
                                       struct br_history **history, struct br_diag *diag)
{
    *history = NULL;
    return fail_missing(diag);
}

enum br_status br_history_hold(struct br_history *history, struct br_diag *diag)
{
    return fail_missing(diag);
}

void br_history_let_go(struct br_history *history)
{
}

enum br_status br_history_close(struct br_history *history, struct br_diag *diag)
{
    return BR_OK;
}

enum br_status br_history_add(struct br_history *history, const struct br_history_sample *sample,
                              struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_history_flush(struct br_history *history, struct br_diag *diag)
{
    return BR_OK;
}

enum br_status br_history_expect(struct br_history *history, const struct br_history_input *input,
                                 uint32_t inputs, uint32_t *scaled, struct br_diag *diag)
{
    *scaled = 0;
    return fail_missing(diag);
}

enum br_status br_history_estimate(struct br_history *history, const char *stage,
                                   struct br_history_estimate *estimate, struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_history_estimate_ways(struct br_history *history, const char *stage,
                                        const char *alternative,
                                        struct br_history_estimate *estimate, struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_history_durations(struct br_history *history, const char *stage,
                                    int64_t **wall_ns, uint32_t *samples, struct br_diag *diag)
{
    *wall_ns = NULL;
    *samples = 0;
    return fail_missing(diag);
}

enum br_status br_history_read(struct br_history *history,
                               void (*row)(void *context, const struct br_history_row *row),
                               void *context, struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_history_jobs(struct br_history *history, br_history_each_job *job, void *context,
                               struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_history_stages(struct br_history *history, br_history_each_job *stage,
                                 void *context, struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_history_use(struct br_history *history, const char *job, struct br_diag *diag)
{
    return fail_missing(diag);
}

const char *br_history_job(const struct br_history *history)
{
    return NULL;
}

enum br_status br_history_runs(struct br_history *history, br_history_each_run *run, void *context,
                               struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_history_samples(struct br_history *history,
                                  void (*row)(void *context, const struct br_history_row *row),
                                  void *context, struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_history_keep(struct br_history *history, uint32_t kept, uint32_t *gone,
                               struct br_diag *diag)
{
    *gone = 0;
    return fail_missing(diag);
}

enum br_status br_history_rename(struct br_history *history, const char *name, bool *joined,
                                 struct br_diag *diag)
{
    *joined = false;
    return fail_missing(diag);
}

enum br_status br_history_attempts(struct br_history *history, const char *stage,
                                   struct br_history_attempts *attempts, struct br_diag *diag)
{
    *attempts = (struct br_history_attempts){0};
    return fail_missing(diag);
}

enum br_status br_history_add_costs(struct br_history *history, const struct br_history_cost *cost,
                                    uint32_t count, struct br_diag *diag)
{
    return fail_missing(diag);
}

enum br_status br_history_costs(struct br_history *history, struct br_history_cost **cost,
                                uint32_t *count, struct br_diag *diag)
{
    *cost = NULL;
    *count = 0;
    return fail_missing(diag);
}
