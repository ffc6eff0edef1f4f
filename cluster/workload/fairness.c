/* Between two moments every group holds the same share, so that all windows which lie between them
 * have one index. Only groups that something happens to within a window are looked at there; the
 * sums over the others stand in a tree, in which each sum is made of its two halves anew when one
 * of them changes. So no rounding is carried from window to window. */
#include "cluster/workload/fairness.h"

#include <assert.h>
#include <stdlib.h>

#include "base/numbers/wide.h"

/* One group: what it holds now, and what it has held since the window began. */
struct holder {
    int64_t share;   /* in units of BR_SHARE_ALL, of all that runs */
    br_wide held;    /* share x ns in this window, until last_ns */
    int64_t last_ns; /* of the last moment in this window */
    uint32_t active; /* jobs that have arrived and not ended */
    bool touched;    /* something happened to it in this window */
    bool counted;    /* it had an active job at some time in this window */
};

/* Sum of x and of x^2. */
struct sums {
    double x, square;
};

struct fairness {
    const struct br_workload *workload;
    const struct br_outcome *outcome;
    const struct br_shares *shares;
    int64_t window_ns;
    struct holder *holder; /* by group */
    uint32_t *touched, touches;
    uint32_t leaves; /* of the tree: a power of two */
    struct sums *tree;
    uint32_t active; /* groups with active jobs */
    double sum;      /* of the indices of windows */
    uint64_t windows;
};

static void fairness_set_leaf(struct fairness *f, uint32_t group, br_wide held)
{
    assert(group < f->leaves);
    double x = (double)held / f->workload->group[group].weight;
    uint32_t at = f->leaves + group;
    f->tree[at] = (struct sums){x, x * x};
    for (at /= 2; at; at /= 2)
        f->tree[at] = (struct sums){f->tree[2 * at].x + f->tree[2 * at + 1].x,
                                    f->tree[2 * at].square + f->tree[2 * at + 1].square};
}

static void count_windows(struct fairness *f, uint32_t groups, uint64_t windows)
{
    const struct sums *all = &f->tree[1];
    if (groups < 2)
        return;
    double index = all->square > 0 ? all->x * all->x / (groups * all->square) : 1;
    f->sum += (index < 1 ? index : 1) * (double)windows;
    f->windows += windows;
}

static int64_t span_share(const struct fairness *f, const struct br_span *span)
{
    uint32_t number = f->workload->job[span->job].dag;
    const struct br_dag *dag = f->workload->dag[number].dag;
    return f->shares->dag[number].dominant[br_dag_task_stage(dag, span->task)];
}

/* Applies the moment to its group and answers with that. */
static uint32_t fairness_apply(struct fairness *f, const struct br_moment *moment)
{
    bool of_span = moment->kind == BR_SPAN_STARTS || moment->kind == BR_SPAN_ENDS;
    bool begins = moment->kind == BR_SPAN_STARTS || moment->kind == BR_JOB_ARRIVES;
    const struct br_span *span = of_span ? &f->outcome->span[moment->item] : NULL;
    uint32_t group = f->workload->job[span ? span->job : moment->item].group;
    struct holder *holder = &f->holder[group];
    if (span) {
        holder->share += begins ? span_share(f, span) : -span_share(f, span);
    } else if (begins) {
        f->active += holder->active++ == 0;
    } else {
        assert(holder->active);
        f->active -= --holder->active == 0;
    }
    return group;
}

/* A moment within the window that began at start_ns. */
static void fairness_touch(struct fairness *f, const struct br_moment *moment, int64_t start_ns)
{
    bool of_span = moment->kind == BR_SPAN_STARTS || moment->kind == BR_SPAN_ENDS;
    uint32_t item = moment->item;
    uint32_t group = f->workload->job[of_span ? f->outcome->span[item].job : item].group;
    struct holder *holder = &f->holder[group];
    assert(holder->touched || f->touches < f->workload->groups);
    if (!holder->touched) {
        holder->touched = true;
        holder->counted = holder->active > 0;
        holder->held = 0;
        holder->last_ns = start_ns;
        f->touched[f->touches++] = group;
    }
    assert(holder->last_ns <= moment->ns);
    holder->held += (br_wide)holder->share * (moment->ns - holder->last_ns);
    holder->last_ns = moment->ns;
    fairness_apply(f, moment);
    holder->counted |= holder->active > 0;
}

/* The window that ends here, in which something happened. */
static void close_window(struct fairness *f, int64_t end_ns)
{
    uint32_t groups = f->active;
    for (uint32_t k = 0; k < f->touches; k++) {
        struct holder *holder = &f->holder[f->touched[k]];
        assert(holder->share >= 0 && holder->last_ns <= end_ns);
        groups += holder->counted && holder->active == 0;
        holder->held += (br_wide)holder->share * (end_ns - holder->last_ns);
        fairness_set_leaf(f, f->touched[k], holder->held);
    }
    count_windows(f, groups, 1);
    for (uint32_t k = 0; k < f->touches; k++) {
        struct holder *holder = &f->holder[f->touched[k]];
        holder->touched = false;
        fairness_set_leaf(f, f->touched[k], (br_wide)holder->share * f->window_ns);
    }
    f->touches = 0;
}

static void sweep_windows(struct fairness *f, struct br_sweep *sweep)
{
    struct br_moment moment;
    int64_t start_ns = sweep->first_ns;
    br_sweep_rewind(sweep);
    while (start_ns < sweep->last_ns) {
        bool more = br_sweep_peek(sweep, &moment);
        for (; more && moment.ns <= start_ns; more = br_sweep_peek(sweep, &moment)) {
            br_sweep_step(sweep, &moment);
            uint32_t group = fairness_apply(f, &moment);
            fairness_set_leaf(f, group, (br_wide)f->holder[group].share * f->window_ns);
        }
        if (!more)
            break;
        assert(moment.ns > start_ns);
        int64_t free_windows = (moment.ns - start_ns) / f->window_ns;
        if (free_windows) {
            count_windows(f, f->active, (uint64_t)free_windows);
            start_ns += free_windows * f->window_ns;
            continue;
        }
        int64_t left_ns = INT64_MAX - start_ns;
        int64_t end_ns = start_ns + (f->window_ns < left_ns ? f->window_ns : left_ns);
        assert(end_ns > start_ns);
        for (; more && moment.ns < end_ns; more = br_sweep_peek(sweep, &moment)) {
            br_sweep_step(sweep, &moment);
            fairness_touch(f, &moment, start_ns);
        }
        close_window(f, end_ns);
        start_ns = end_ns;
    }
}

enum br_status br_fairness(const struct br_workload *workload, const struct br_outcome *outcome,
                           const struct br_shares *shares, struct br_sweep *sweep,
                           int64_t window_ns, double *index, struct br_diag *diag)
{
    struct fairness f = {.workload = workload,
                         .outcome = outcome,
                         .shares = shares,
                         .window_ns = window_ns,
                         .leaves = 1};
    while (f.leaves < workload->groups)
        f.leaves *= 2;
    f.holder = calloc(workload->groups, sizeof *f.holder);
    f.touched = calloc(workload->groups, sizeof *f.touched);
    f.tree = calloc(2 * (size_t)f.leaves, sizeof *f.tree);
    bool ok = f.holder && f.touched && f.tree;
    if (ok)
        sweep_windows(&f, sweep);
    free(f.holder);
    free(f.touched);
    free(f.tree);
    if (!ok)
        return br_fail_memory(diag);
    *index = f.windows ? f.sum / (double)f.windows : 1;
    return BR_OK;
}
