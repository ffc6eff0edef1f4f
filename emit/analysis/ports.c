/* Each row is swept over its events. A piece is cut when something below it comes or goes. */
#include "emit/analysis/ports.h"

#include <assert.h>
#include <stdlib.h>

#include "base/collections/grow.h"
#include "base/numbers/wide.h"

enum {
    MACHINES_MOST = 12, /* with rows of their own */
    PIECES_MOST = 4000, /* of transfers in them */
    COLUMNS = 240,      /* of the row of all ports */
};

/* A piece on the current port. */
struct moving {
    uint32_t transfer;
    int64_t start_ns, end_ns, rate;
    int64_t since_ns, low; /* of the box that is open */
};

static int pictures_ports_by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t pictures_ports_sum_of(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static enum br_status add_box(struct br_port_chart *chart, struct br_port_box box,
                              struct br_diag *diag)
{
    if (box.start_ns >= box.end_ns || box.rate <= 0)
        return BR_OK;
    if (!br_grow(&chart->box, chart->boxes, &chart->room, sizeof *chart->box))
        return br_fail_memory(diag);
    chart->box[chart->boxes++] = box;
    return BR_OK;
}

static int64_t port_rate(const struct br_cluster *cluster, uint32_t machine, bool down)
{
    const struct br_class *cls = &cluster->cls[br_cluster_machine_class(cluster, machine)];
    return down ? cls->down : cls->up;
}

/* Closes the box of the piece that is open. */
static enum br_status close_box(struct br_port_chart *chart, const struct br_transfers *all,
                                const struct moving *m, int64_t end_ns, struct br_diag *diag)
{
    return add_box(chart,
                   (struct br_port_box){.row = chart->rows,
                                        .stage = all->transfer[m->transfer].parent,
                                        .transfer = m->transfer,
                                        .start_ns = m->since_ns,
                                        .end_ns = end_ns,
                                        .low = m->low,
                                        .rate = m->rate},
                   diag);
}

/* Stacks the pieces, which are in the order of their transfers, at every event. Returns the largest
 * total rate. */
static enum br_status pictures_ports_sweep(struct br_port_chart *chart,
                                           const struct br_transfers *all, struct moving *moving,
                                           uint32_t count, int64_t *event, int64_t *peak,
                                           struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < count; k++) {
        event[2 * k] = moving[k].start_ns;
        event[2 * k + 1] = moving[k].end_ns;
        moving[k].low = -1;
    }
    qsort(event, 2 * (size_t)count, sizeof *event, pictures_ports_by_time);
    for (uint32_t e = 0; e < 2 * count && !status; e++) {
        int64_t low = 0;
        if (e > 0 && event[e] == event[e - 1])
            continue;
        for (uint32_t k = 0; k < count && !status; k++) {
            struct moving *m = &moving[k];
            bool open = m->start_ns <= event[e] && event[e] < m->end_ns;
            if (m->low >= 0 && (!open || m->low != low)) {
                status = close_box(chart, all, m, event[e], diag);
                m->low = -1;
            }
            if (!open)
                continue;
            if (m->low < 0) {
                m->low = low;
                m->since_ns = event[e];
            }
            low = pictures_ports_sum_of(low, m->rate);
        }
        *peak = low > *peak ? low : *peak;
    }
    return status;
}

static void pictures_ports_finish_row(struct br_port_chart *chart, struct br_port_row row,
                                      uint32_t first_box, int64_t span_ns)
{
    assert(span_ns > 0 && first_box <= chart->boxes);
    double moved = 0;
    for (uint32_t b = first_box; b < chart->boxes; b++)
        moved +=
            (double)chart->box[b].rate * (double)(chart->box[b].end_ns - chart->box[b].start_ns);
    row.rate = row.rate > 0 ? row.rate : 1;
    row.use = moved / (double)row.rate / (double)span_ns;
    chart->row[chart->rows++] = row;
}

/* A row for each direction of each port in use. */
static enum br_status pictures_ports_lay_machines(struct br_port_chart *chart,
                                                  const struct br_emit_input *input,
                                                  int64_t span_ns, struct br_diag *diag)
{
    const struct br_transfers *all = &input->plan->carried;
    struct moving *moving = calloc((size_t)all->pieces + 1, sizeof *moving);
    int64_t *event = calloc(2 * (size_t)all->pieces + 1, sizeof *event);
    enum br_status status = moving && event ? BR_OK : br_fail_memory(diag);
    for (uint32_t p = 0; p < 2 * input->cluster->machines && !status; p++) {
        struct br_port_row row = {.machine = p / 2, .down = p % 2};
        uint32_t count = 0, first_box = chart->boxes;
        for (uint32_t k = 0; k < all->transfers; k++) {
            const struct br_transfer *x = &all->transfer[k];
            for (uint32_t i = x->first_piece;
                 (row.down ? x->to : x->from) == row.machine && i < x->first_piece + x->pieces; i++)
                moving[count++] = (struct moving){.transfer = k,
                                                  .start_ns = all->piece[i].start_ns,
                                                  .end_ns = all->piece[i].end_ns,
                                                  .rate = all->piece[i].rate};
        }
        if (!count)
            continue;
        row.rate = port_rate(input->cluster, row.machine, row.down);
        status = pictures_ports_sweep(chart, all, moving, count, event, &row.rate, diag);
        if (!status)
            pictures_ports_finish_row(chart, row, first_box, span_ns);
    }
    free(moving);
    free(event);
    return status;
}

/* Adds the bytes moved by the piece to the columns. */
static void pictures_ports_add_piece(double *column, const struct br_piece *piece, int64_t span_ns)
{
    double wide = (double)span_ns / COLUMNS;
    double from = (double)piece->start_ns / wide, to = (double)piece->end_ns / wide;
    to = to < COLUMNS ? to : COLUMNS;
    for (uint32_t c = from > 0 ? (uint32_t)from : 0; c < COLUMNS && c < to; c++) {
        double low = from > c ? from : c, high = to < c + 1 ? to : c + 1;
        if (high > low)
            column[c] += (double)piece->rate * (high - low);
    }
}

/* One row: the mean rate in each column, by the stage that has produced the bytes. */
static enum br_status lay_all(struct br_port_chart *chart, const struct br_emit_input *input,
                              int64_t span_ns, struct br_diag *diag)
{
    const struct br_transfers *all = &input->plan->carried;
    const struct br_cluster *cluster = input->cluster;
    double *column = calloc((size_t)input->dag->stages * COLUMNS + 1, sizeof *column);
    int64_t low[COLUMNS] = {0}, up = 0, down = 0;
    enum br_status status = column ? BR_OK : br_fail_memory(diag);
    for (uint32_t k = 0; k < all->transfers && !status; k++) {
        const struct br_transfer *x = &all->transfer[k];
        for (uint32_t i = x->first_piece; i < x->first_piece + x->pieces; i++)
            pictures_ports_add_piece(column + (size_t)x->parent * COLUMNS, &all->piece[i], span_ns);
    }
    for (uint32_t s = 0; s < input->dag->stages && !status; s++)
        for (uint32_t c = 0; c < COLUMNS && !status; c++) {
            double mean = column[(size_t)s * COLUMNS + c] + 0.5;
            int64_t rate = mean < 9e18 ? (int64_t)mean : INT64_MAX / 2;
            status = add_box(
                chart,
                (struct br_port_box){.stage = s,
                                     .transfer = BR_PORT_ALL,
                                     .start_ns = (int64_t)((br_wide)span_ns * c / COLUMNS),
                                     .end_ns = (int64_t)((br_wide)span_ns * (c + 1) / COLUMNS),
                                     .low = low[c],
                                     .rate = rate},
                diag);
            low[c] = pictures_ports_sum_of(low[c], rate);
        }
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t k = 0; k < cluster->cls[c].count; k++) {
            up = pictures_ports_sum_of(up, cluster->cls[c].up);
            down = pictures_ports_sum_of(down, cluster->cls[c].down);
        }
    struct br_port_row row = {.machine = BR_PORT_ALL, .rate = up < down ? up : down};
    for (uint32_t c = 0; c < COLUMNS; c++)
        row.rate = low[c] > row.rate ? low[c] : row.rate;
    if (!status)
        pictures_ports_finish_row(chart, row, 0, span_ns);
    free(column);
    return status;
}

enum br_status br_port_chart_init(struct br_port_chart *chart, const struct br_emit_input *input,
                                  struct br_diag *diag)
{
    const struct br_transfers *all = &input->plan->carried;
    int64_t span_ns = input->plan->makespan_ns > 0 ? input->plan->makespan_ns : 1;
    bool each = input->cluster->machines <= MACHINES_MOST && all->pieces <= PIECES_MOST;
    uint32_t rows = each ? 2 * input->cluster->machines : 1;
    *chart = (struct br_port_chart){.row = calloc((size_t)rows + 1, sizeof *chart->row)};
    if (!chart->row)
        return br_fail_memory(diag);
    if (!all->transfers)
        return BR_OK;
    chart->moves = calloc(input->dag->stages, sizeof *chart->moves);
    if (!chart->moves)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < all->transfers; k++)
        chart->moves[all->transfer[k].parent] = true;
    return each ? pictures_ports_lay_machines(chart, input, span_ns, diag)
                : lay_all(chart, input, span_ns, diag);
}

void br_port_chart_finish(struct br_port_chart *chart)
{
    free(chart->row);
    free(chart->box);
    free(chart->moves);
    *chart = (struct br_port_chart){0};
}
