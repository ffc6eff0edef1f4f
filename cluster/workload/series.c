/* A span counts in a column by the part of the column that it fills. Whole columns are counted
 * through differences, so that a span costs the same however many columns it covers. */
#include "cluster/workload/series.h"

#include <assert.h>

#include "base/numbers/wide.h"
#include "cluster/workload/shares.h"

/* Columns in units of which this many are one: the precision with which a span's ends are placed.
 */
#define COLUMN INT64_C(1000000)

/* A row of columns while it is filled; amounts x units of COLUMN. One more column takes what ends
 * at the very end. */
struct row {
    br_wide part[BR_SERIES_COLUMNS + 1], step[BR_SERIES_COLUMNS + 1];
};

/* The place of a span, in units of columns. */
struct place {
    int64_t from, to;
};

static struct place place_span(const struct br_series *series, const struct br_span *span)
{
    const br_wide units = COLUMN * BR_SERIES_COLUMNS;
    return (struct place){
        (int64_t)((span->start_ns - series->start_ns) * units / series->span_ns),
        (int64_t)((span->end_ns - series->start_ns) * units / series->span_ns),
    };
}

static void series_add(struct row *row, struct place place, int64_t amount)
{
    int64_t first = place.from / COLUMN, last = place.to / COLUMN;
    assert(first >= 0 && first <= last && last <= BR_SERIES_COLUMNS);
    if (first == last) {
        row->part[first] += (br_wide)amount * (place.to - place.from);
        return;
    }
    row->part[first] += (br_wide)amount * ((first + 1) * COLUMN - place.from);
    row->part[last] += (br_wide)amount * (place.to - last * COLUMN);
    row->step[first + 1] += amount; /* over the columns between them */
    row->step[last] -= amount;
}

static void series_finish_row(const struct row *row, double unit, double *columns)
{
    br_wide whole = 0;
    for (int c = 0; c < BR_SERIES_COLUMNS; c++) {
        whole += row->step[c];
        assert(whole >= 0);
        columns[c] = (double)(whole * COLUMN + row->part[c]) / ((double)COLUMN * unit);
    }
}

/* The first job of every band, and the number of jobs as the first job past the last band. */
static void cut_bands(struct br_series *series, uint32_t jobs)
{
    series->bands = jobs < BR_SERIES_BANDS ? jobs : BR_SERIES_BANDS;
    for (uint32_t b = 0; b <= series->bands && series->bands; b++)
        series->first_job[b] = (uint32_t)((uint64_t)jobs * b / series->bands);
}

static uint32_t band_of(const struct br_series *series, uint32_t jobs, uint32_t job)
{
    uint32_t band = (uint32_t)((uint64_t)job * series->bands / jobs);
    while (job >= series->first_job[band + 1])
        band++;
    while (job < series->first_job[band])
        band--;
    assert(band < series->bands);
    return band;
}

static void series_find_span(struct br_series *series, const struct br_workload *workload,
                             const struct br_outcome *outcome)
{
    int64_t last_ns;
    series->start_ns = workload->jobs ? workload->job[0].arrival_ns : 0;
    last_ns = series->start_ns;
    for (uint32_t j = 0; j < workload->jobs; j++)
        if (outcome->end_ns[j] > last_ns)
            last_ns = outcome->end_ns[j];
    for (uint64_t s = 0; s < outcome->spans; s++)
        if (outcome->span[s].end_ns > last_ns)
            last_ns = outcome->span[s].end_ns;
    series->span_ns = last_ns > series->start_ns ? last_ns - series->start_ns : 1;
}

/* rows: the bands, then the resources. */
static void add_spans(const struct br_series *series, const struct br_workload *workload,
                      const struct br_outcome *outcome, const struct br_shares *shares,
                      struct row *rows)
{
    for (uint64_t s = 0; s < outcome->spans; s++) {
        const struct br_span *span = &outcome->span[s];
        struct place place = place_span(series, span);
        uint32_t number = workload->job[span->job].dag;
        const struct br_dag *dag = workload->dag[number].dag;
        const struct br_dag_shares *of = &shares->dag[number];
        const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, span->task)];
        series_add(&rows[band_of(series, workload->jobs, span->job)], place, 1);
        for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++)
            if (of->resource[d] != BR_NO_RESOURCE)
                series_add(&rows[series->bands + of->resource[d]], place, of->amount[d]);
    }
}

enum br_status br_series_make(const struct br_workload *workload, const struct br_cluster *cluster,
                              const struct br_outcome *outcome, struct br_series *series,
                              struct br_diag *diag)
{
    struct br_shares shares;
    *series = (struct br_series){0};
    enum br_status status = br_shares_make(workload, cluster, &shares, diag);
    if (status) {
        br_shares_finish(&shares);
        return status;
    }
    series_find_span(series, workload, outcome);
    cut_bands(series, workload->jobs);
    series->resources = shares.resources;
    uint32_t count = series->bands + shares.resources;
    struct row *rows = br_arena_array(&shares.arena, count, sizeof *rows);
    double *columns =
        br_arena_array(&series->arena, (size_t)count * BR_SERIES_COLUMNS, sizeof *columns);
    series->resource = br_arena_array(&series->arena, shares.resources, sizeof *series->resource);
    if (rows && columns && series->resource) {
        series->running = columns;
        series->use = columns + (size_t)series->bands * BR_SERIES_COLUMNS;
        add_spans(series, workload, outcome, &shares, rows);
        for (uint32_t k = 0; k < count; k++)
            series_finish_row(&rows[k],
                              k < series->bands ? 1 : (double)shares.capacity[k - series->bands],
                              columns + (size_t)k * BR_SERIES_COLUMNS);
        for (uint32_t r = 0; r < shares.resources; r++)
            series->resource[r] = shares.resource[r];
    } else {
        status = br_fail_memory(diag);
    }
    br_shares_finish(&shares);
    return status;
}

void br_series_finish(struct br_series *series)
{
    br_arena_finish(&series->arena);
    *series = (struct br_series){0};
}
