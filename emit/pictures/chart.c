/* Lays out a Gantt chart: lanes by first fit, runs by stage, and profiles if there is too much to
 * draw one by one. The limits are those of one legible screen or page. */
#include "emit/pictures/chart.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/wide.h"
#include "emit/pictures/picture.h"

enum {
    TASKS_MOST = 400, /* boxes for single tasks */
    RUNS_MOST = 1500, /* boxes for runs */
    LANES_MOST = 256, /* under each other */
    STAGES_MOST = 60, /* rows of single stages */
    IDLE_MOST = 32,   /* largest clusters that also show idle machines */
    COLUMNS = 240,    /* of a profile */
};

static int64_t clip(const struct br_chart *chart, int64_t ns)
{
    return ns < 0 ? 0 : ns > chart->span_ns ? chart->span_ns : ns;
}

/* A lane of a machine and its last box. */
struct lane {
    int64_t end_ns;
    uint32_t stage;
    uint32_t box;
    uint32_t row, within; /* of the chart, and the lane within it, when all are laid */
};

/* All lanes during the layout; those of one machine are chained. */
struct lanes {
    uint32_t used;
    struct lane lane[LANES_MOST];
    uint32_t next[LANES_MOST]; /* next lane of the machine, UINT32_MAX after the last */
    uint32_t *first;           /* by machine; UINT32_MAX if it has none */
    uint32_t *last;
};

/* The lane for a task: one in which its stage has just ended, else the first free one, else a new
 * one. UINT32_MAX if there would be too many. */
static uint32_t find_lane(struct lanes *lanes, uint32_t machine, uint32_t stage, int64_t start_ns)
{
    uint32_t free_lane = UINT32_MAX;
    for (uint32_t k = lanes->first[machine]; k != UINT32_MAX; k = lanes->next[k]) {
        const struct lane *lane = &lanes->lane[k];
        if (lane->stage == stage && lane->end_ns == start_ns)
            return k;
        if (lane->end_ns <= start_ns && free_lane == UINT32_MAX)
            free_lane = k;
    }
    if (free_lane != UINT32_MAX || lanes->used == LANES_MOST)
        return free_lane;
    uint32_t k = lanes->used++;
    lanes->lane[k] = (struct lane){.stage = UINT32_MAX, .box = UINT32_MAX};
    lanes->next[k] = UINT32_MAX;
    assert((lanes->first[machine] == UINT32_MAX) == (lanes->last[machine] == UINT32_MAX));
    if (lanes->first[machine] == UINT32_MAX)
        lanes->first[machine] = k;
    else
        lanes->next[lanes->last[machine]] = k;
    lanes->last[machine] = k;
    return k;
}

/* Rows of machines from their lanes; boxes get the row and the lane within it. */
static bool collect_machines(struct br_chart *chart, struct lanes *lanes, uint32_t machines)
{
    bool idle = machines <= IDLE_MOST;
    chart->row = calloc((size_t)LANES_MOST + IDLE_MOST, sizeof *chart->row);
    if (!chart->row)
        return false;
    for (uint32_t m = 0; m < machines; m++) {
        if (lanes->first[m] == UINT32_MAX && !idle)
            continue;
        struct br_chart_row *row = &chart->row[chart->rows];
        assert(chart->rows < LANES_MOST + IDLE_MOST);
        *row = (struct br_chart_row){.which = m, .first_lane = chart->lanes};
        for (uint32_t k = lanes->first[m]; k != UINT32_MAX; k = lanes->next[k]) {
            lanes->lane[k].row = chart->rows;
            lanes->lane[k].within = row->lanes++;
        }
        if (row->lanes == 0)
            row->lanes = 1;
        chart->lanes += row->lanes;
        chart->rows++;
    }
    for (uint32_t b = 0; b < chart->boxes; b++) {
        struct br_chart_box *box = &chart->box[b];
        const struct lane *lane = &lanes->lane[box->lane];
        assert(box->lane < lanes->used);
        box->row = lane->row;
        box->lane = lane->within;
        chart->row[box->row].tasks += box->tasks;
    }
    return true;
}

/* Boxes for tasks or for runs of them; *fits is false if there are too many lanes or boxes. */
static enum br_status chart_lay_machines(struct br_chart *chart, const struct br_emit_input *input,
                                         bool *fits, struct br_diag *diag)
{
    const struct br_plan *plan = input->plan;
    uint32_t machines = input->cluster->machines, most = RUNS_MOST;
    chart->level = plan->tasks <= TASKS_MOST ? BR_CHART_TASKS : BR_CHART_RUNS;
    struct lanes *lanes = calloc(1, sizeof *lanes);
    uint32_t *ends = malloc(2 * (size_t)machines * sizeof *ends);
    chart->box = malloc(most * sizeof *chart->box);
    enum br_status status = BR_OK;
    *fits = false;
    if (!lanes || !ends || !chart->box) {
        status = br_fail_memory(diag);
        goto out;
    }
    memset(ends, 0xff, 2 * (size_t)machines * sizeof *ends);
    lanes->first = ends;
    lanes->last = ends + machines;
    for (uint32_t k = 0; k < plan->tasks; k++) {
        uint32_t task = plan->order[k], stage = br_dag_task_stage(input->dag, task);
        int64_t start_ns = clip(chart, plan->start_ns[task]);
        int64_t end_ns = clip(chart, plan->end_ns[task]);
        uint32_t at = find_lane(lanes, plan->machine[task], stage, start_ns);
        if (at == UINT32_MAX)
            goto out;
        struct lane *lane = &lanes->lane[at];
        struct br_chart_box *last = lane->box == UINT32_MAX ? NULL : &chart->box[lane->box];
        if (chart->level == BR_CHART_RUNS && last && lane->stage == stage &&
            lane->end_ns == start_ns && last->subset == plan->subset[task]) {
            last->end_ns = end_ns > start_ns ? end_ns : start_ns;
            last->tasks++;
        } else {
            if (chart->boxes == most)
                goto out;
            lane->box = chart->boxes++;
            chart->box[lane->box] =
                (struct br_chart_box){.lane = at,
                                      .start_ns = start_ns,
                                      .end_ns = end_ns > start_ns ? end_ns : start_ns,
                                      .task = task,
                                      .tasks = 1,
                                      .subset = plan->subset[task]};
        }
        lane->stage = stage;
        lane->end_ns = chart->box[lane->box].end_ns;
    }
    if (collect_machines(chart, lanes, machines))
        *fits = true;
    else
        status = br_fail_memory(diag);
out:
    free(lanes);
    free(ends);
    return status;
}

/* Adds one task to the columns of its row: whole columns by differences, its two ends by their
 * share, in thousandths of a column. */
static void add_to_profile(int64_t *share, int64_t *step, int64_t span_ns, int64_t start_ns,
                           int64_t end_ns)
{
    int64_t from = (int64_t)((br_wide)start_ns * COLUMNS * 1000 / span_ns);
    int64_t to = (int64_t)((br_wide)end_ns * COLUMNS * 1000 / span_ns);
    if (to <= from)
        return;
    int64_t a = from / 1000, b = to / 1000;
    assert(a >= 0 && a <= b && b <= COLUMNS);
    if (a == b) {
        share[a] += to - from;
        return;
    }
    share[a] += (a + 1) * 1000 - from;
    step[a + 1]++;
    step[b]--;
    if (b < COLUMNS)
        share[b] += to - b * 1000;
}

/* Boxes of one row: neighbouring columns of equal height become one. */
static void cut_profile(struct br_chart *chart, uint32_t r, const int64_t *share,
                        const int64_t *step, uint32_t first_task, char subset)
{
    struct br_chart_row *row = &chart->row[r];
    struct br_chart_box *open = NULL;
    int64_t running = 0;
    for (int c = 0; c < COLUMNS; c++) {
        running += step[c];
        assert(running * 1000 + share[c] >= 0);
        uint64_t height = (uint64_t)(running * 1000 + share[c]);
        int64_t start_ns = (int64_t)((br_wide)chart->span_ns * c / COLUMNS);
        int64_t end_ns = (int64_t)((br_wide)chart->span_ns * (c + 1) / COLUMNS);
        if (height > row->peak_milli)
            row->peak_milli = height;
        if (height == 0) {
            open = NULL;
        } else if (open && open->at_once_milli == height) {
            open->end_ns = end_ns;
        } else {
            open = &chart->box[chart->boxes++];
            *open = (struct br_chart_box){.row = r,
                                          .start_ns = start_ns,
                                          .end_ns = end_ns,
                                          .task = first_task,
                                          .at_once_milli = height,
                                          .subset = subset};
        }
    }
    assert(running + step[COLUMNS] == 0);
}

/* A row of a profile before it is cut into boxes. */
struct profile {
    int64_t share[COLUMNS + 1], step[COLUMNS + 2];
    uint32_t tasks, first_task;
    uint32_t subset[BR_SUBSETS];
    int64_t start_ns;
    uint32_t which;
    uint32_t running, most; /* tasks at once */
};

/* A start or an end of a task of the profile. */
struct event {
    int64_t ns;
    struct profile *profile;
    bool starts;
};

/* At equal times ends come first. */
static int chart_by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return x->starts - y->starts;
}

/* The most tasks of each profile that run at once. Ranks need not ascend with starts. Tasks that
 * take no time are not counted with others. */
static enum br_status count_most(const struct br_emit_input *input, const uint32_t *profile_of,
                                 struct profile *profile, struct br_diag *diag)
{
    const struct br_plan *plan = input->plan;
    struct event *event = malloc(((size_t)plan->tasks * 2 + 1) * sizeof *event);
    size_t events = 0;
    if (!event)
        return br_fail_memory(diag);
    for (uint32_t task = 0; task < plan->tasks; task++) {
        uint32_t own = profile_of[br_dag_task_stage(input->dag, task)];
        struct profile *p =
            &profile[own != UINT32_MAX ? own : STAGES_MOST + br_subset_index(plan->subset[task])];
        if (plan->start_ns[task] >= plan->end_ns[task]) {
            p->most = p->most > 0 ? p->most : 1;
            continue;
        }
        event[events++] = (struct event){plan->start_ns[task], p, true};
        event[events++] = (struct event){plan->end_ns[task], p, false};
    }
    qsort(event, events, sizeof *event, chart_by_time);
    for (size_t k = 0; k < events; k++) {
        struct profile *p = event[k].profile;
        assert(event[k].starts || p->running > 0);
        if (event[k].starts)
            p->running++;
        else
            p->running--;
        p->most = p->running > p->most ? p->running : p->most;
    }
    free(event);
    return BR_OK;
}

static int by_profile_start(const void *a, const void *b)
{
    const struct profile *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->which < y->which ? -1 : x->which > y->which;
}

struct stage_work {
    br_wide work;
    uint32_t stage;
};

static int chart_by_work(const void *a, const void *b)
{
    const struct stage_work *x = a, *y = b;
    if (x->work != y->work)
        return x->work > y->work ? -1 : 1;
    return x->stage < y->stage ? -1 : 1;
}

/* The profile of every stage: its own if there are few stages or it has a hundredth of all work,
 * else UINT32_MAX. NULL when memory is out; the caller frees. */
static uint32_t *choose_stages(const struct br_dag *dag)
{
    br_wide all = 0;
    struct stage_work *sorted = malloc(dag->stages * sizeof *sorted);
    uint32_t *profile_of = malloc(dag->stages * sizeof *profile_of);
    if (sorted && profile_of) {
        for (uint32_t s = 0; s < dag->stages; s++) {
            sorted[s] = (struct stage_work){0, s};
            for (uint32_t i = 0; i < dag->stage[s].tasks; i++)
                sorted[s].work += dag->duration_ns[dag->stage[s].first_task + i];
            all += sorted[s].work;
        }
        qsort(sorted, dag->stages, sizeof *sorted, chart_by_work);
        for (uint32_t k = 0; k < dag->stages; k++) {
            bool large = dag->stages <= STAGES_MOST || sorted[k].work * 100 >= all;
            profile_of[sorted[k].stage] = large && k < STAGES_MOST ? k : UINT32_MAX;
        }
    } else {
        free(profile_of);
        profile_of = NULL;
    }
    free(sorted);
    return profile_of;
}

static enum br_status lay_stages(struct br_chart *chart, const struct br_emit_input *input,
                                 struct br_diag *diag)
{
    const struct br_plan *plan = input->plan;
    enum { PROFILES = STAGES_MOST + BR_SUBSETS };
    struct profile *profile = calloc(PROFILES, sizeof *profile);
    uint32_t *profile_of = choose_stages(input->dag);
    chart->row = calloc(PROFILES, sizeof *chart->row);
    chart->box = malloc((size_t)PROFILES * COLUMNS * sizeof *chart->box);
    if (!profile || !profile_of || !chart->row || !chart->box) {
        free(profile);
        free(profile_of);
        return br_fail_memory(diag);
    }
    for (uint32_t k = 0; k < plan->tasks; k++) {
        uint32_t task = plan->order[k], stage = br_dag_task_stage(input->dag, task);
        uint32_t subset = br_subset_index(plan->subset[task]);
        bool own = profile_of[stage] != UINT32_MAX;
        struct profile *p = &profile[own ? profile_of[stage] : STAGES_MOST + subset];
        int64_t start_ns = clip(chart, plan->start_ns[task]);
        if (p->tasks++ == 0) {
            p->first_task = task;
            p->start_ns = own ? start_ns : INT64_MAX; /* the others come last */
            p->which = own ? stage : input->dag->stages + subset;
        }
        p->subset[subset]++;
        add_to_profile(p->share, p->step, chart->span_ns, start_ns,
                       clip(chart, plan->end_ns[task]));
    }
    enum br_status status = count_most(input, profile_of, profile, diag);
    qsort(profile, PROFILES, sizeof *profile, by_profile_start);
    for (uint32_t k = 0; k < PROFILES; k++) {
        struct profile *p = &profile[k];
        if (p->tasks == 0)
            continue;
        assert(chart->rows < PROFILES);
        uint32_t best = 0;
        for (uint32_t s = 1; s < BR_SUBSETS; s++)
            if (p->subset[s] > p->subset[best])
                best = s;
        chart->row[chart->rows] = (struct br_chart_row){.which = p->which,
                                                        .lanes = 1,
                                                        .first_lane = chart->lanes++,
                                                        .tasks = p->tasks,
                                                        .most = p->most};
        cut_profile(chart, chart->rows++, p->share, p->step, p->first_task,
                    br_subset_style[best].letter);
    }
    free(profile);
    free(profile_of);
    return status;
}

enum br_status br_chart_init(struct br_chart *chart, const struct br_emit_input *input,
                             struct br_diag *diag)
{
    *chart = (struct br_chart){.span_ns = input->plan->makespan_ns};
    if (chart->span_ns < 1)
        chart->span_ns = 1;
    bool fits;
    enum br_status status = chart_lay_machines(chart, input, &fits, diag);
    if (!status && !fits) {
        br_chart_finish(chart);
        *chart = (struct br_chart){.level = BR_CHART_STAGES, .span_ns = chart->span_ns};
        status = lay_stages(chart, input, diag);
    }
    if (status)
        br_chart_finish(chart);
    return status;
}

void br_chart_finish(struct br_chart *chart)
{
    free(chart->row);
    free(chart->box);
    chart->row = NULL;
    chart->box = NULL;
}
