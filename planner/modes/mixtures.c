#include "planner/modes/mixtures.h"

#include <string.h>

enum { LOOK = 50, RESTART_FIRST = 64, RESTART_MOST = 1000 };
/* The weight of steps of mixtures and starts against those of multipliers. */
static const double weight = 10;
/* The largest coefficients of the rows. */
static const double most_duration = 10, most_work = 50, most_consumed = 10;

/* ---- The program ---- */

/* Lists the arcs between tasks, if `from` is there; returns their number. */
static uint64_t list_flows(const struct br_modes *modes, uint32_t *from, uint32_t *to)
{
    uint64_t count = 0;
    for (uint32_t s = 0; s < modes->stages; s++) {
        const struct br_stage *of = &modes->dag->stage[s];
        for (uint32_t k = modes->child_first[s]; k < modes->child_first[s + 1]; k++) {
            const struct br_stage *child = &modes->dag->stage[modes->child[k].stage];
            const bool paired = modes->child[k].one_to_one;
            if (!from) {
                count += paired ? of->tasks : (uint64_t)of->tasks * child->tasks;
                continue;
            }
            for (uint32_t i = 0; i < of->tasks; i++)
                for (uint32_t j = paired ? i : 0; j < (paired ? i + 1 : child->tasks); j++) {
                    from[count] = of->first_task + i;
                    to[count++] = child->first_task + j;
                }
        }
    }
    return count;
}

int64_t br_modes_whole_capacity(const struct br_modes *modes, uint32_t resource)
{
    int64_t sum = 0;
    if (modes->shared[resource])
        return modes->shared_capacity[resource];
    for (uint32_t c = 0; c < modes->cluster->classes; c++)
        sum +=
            modes->capacity[(size_t)c * modes->resources + resource] * modes->cluster->cls[c].count;
    return sum;
}

static void fill_ways(struct br_mixtures *d)
{
    const struct br_modes *modes = d->modes;
    uint32_t k = 0;
    double longest = 1;
    for (uint32_t t = 0; t < d->tasks; t++) {
        const uint32_t s = modes->task_stage[t];
        double most = 0;
        d->first[t] = k;
        for (uint32_t w = modes->way_first[s]; w < modes->way_first[s + 1]; w++, k++) {
            const int64_t ticks = br_way_duration(modes, w, t) / d->tick_ns;
            d->duration[k] = (double)ticks;
            most = d->duration[k] > most ? d->duration[k] : most;
            for (uint32_t r = 0; r < modes->resources; r++)
                d->spend[(size_t)k * d->sums + r] =
                    d->duration[k] * (double)modes->demand[(size_t)w * modes->resources + r];
            for (uint32_t b = 0; b < modes->budgets; b++)
                d->spend[(size_t)k * d->sums + modes->resources + b] =
                    (double)modes->consumed[(size_t)w * modes->budgets + b];
        }
        longest = most > longest ? most : longest;
        d->latest += most;
    }
    d->first[d->tasks] = k;
    d->unit = longest / most_duration;
    d->latest /= d->unit;
    for (uint32_t w = 0; w < d->ways; w++)
        d->duration[w] /= d->unit;
}

/* Rows in units of their own, so that coefficients are like each other. */
static void scale_sums(struct br_mixtures *d)
{
    const struct br_modes *modes = d->modes;
    for (uint32_t sum = 0; sum < d->sums; sum++) {
        const bool work = sum < modes->resources;
        double most = 0;
        for (uint32_t w = 0; w < d->ways; w++)
            if (d->spend[(size_t)w * d->sums + sum] > most)
                most = d->spend[(size_t)w * d->sums + sum];
        d->scale[sum] = most > 0 ? most / (work ? most_work : most_consumed) : 1;
        for (uint32_t w = 0; w < d->ways; w++)
            d->spend[(size_t)w * d->sums + sum] /= d->scale[sum];
        if (work)
            d->pace[sum] = (double)br_modes_whole_capacity(modes, sum) * d->unit / d->scale[sum];
        else
            d->limit[sum] = (double)modes->budget[sum - modes->resources] / d->scale[sum];
    }
}

/* Steps by the sums of coefficients of rows and columns [Pock11]. */
static void set_steps(struct br_mixtures *d)
{
    const uint32_t end = d->tasks;
    for (uint32_t t = 0; t <= end; t++)
        d->start_step[t] = 0;
    for (uint32_t a = 0; a < d->arcs; a++) {
        d->start_step[d->from[a]]++;
        d->start_step[d->to[a]]++;
    }
    for (uint32_t t = 0; t < d->tasks; t++) {
        const double arcs = d->start_step[t];
        double most = 1e-9, longest = 0;
        for (uint32_t w = d->first[t]; w < d->first[t + 1]; w++) {
            double sum = d->duration[w] * arcs;
            for (uint32_t k = 0; k < d->sums; k++)
                sum += d->spend[(size_t)w * d->sums + k];
            most = sum > most ? sum : most;
            longest = d->duration[w] > longest ? d->duration[w] : longest;
        }
        d->mix_step[t] = weight / most;
        d->out[t] = longest;
    }
    for (uint32_t k = 0; k < d->sums; k++) {
        double sum = d->pace[k] + 1e-9;
        d->start_step[end] += d->pace[k];
        for (uint32_t t = 0; t < d->tasks; t++) {
            double most = 0;
            for (uint32_t w = d->first[t]; w < d->first[t + 1]; w++)
                if (d->spend[(size_t)w * d->sums + k] > most)
                    most = d->spend[(size_t)w * d->sums + k];
            sum += most;
        }
        d->row_step[k] = 1 / (weight * sum);
    }
    for (uint32_t a = 0; a < d->arcs; a++)
        d->row_step[d->sums + a] = 1 / (weight * (2 + d->out[d->from[a]]));
    for (uint32_t t = 0; t <= end; t++)
        d->start_step[t] = weight / (d->start_step[t] > 1 ? d->start_step[t] : 1);
}

static bool point_init(struct br_mixtures *d, struct br_arena *arena, struct br_mixture_point *p)
{
    return BR_ARRAY(arena, (size_t)d->ways + 1, p->mix) &&
           BR_ARRAY(arena, (size_t)d->tasks + 1, p->start) &&
           BR_ARRAY(arena, (size_t)d->rows + 1, p->row);
}

uint64_t br_mixtures_count_arcs(const struct br_modes *modes)
{
    return list_flows(modes, NULL, NULL);
}

bool br_mixtures_init(struct br_mixtures *d, const struct br_modes *modes, int64_t tick_ns)
{
    *d = (struct br_mixtures){.modes = modes, .tasks = modes->tasks, .tick_ns = tick_ns};
    struct br_arena *arena = &d->arena;
    const size_t n = (size_t)d->tasks + 1;
    d->sums = modes->resources + modes->budgets;
    d->arcs = (uint32_t)list_flows(modes, NULL, NULL) + d->tasks;
    d->rows = d->sums + d->arcs;
    for (uint32_t s = 0; s < modes->stages; s++)
        d->ways += (modes->way_first[s + 1] - modes->way_first[s]) * modes->dag->stage[s].tasks;
    if (!BR_ARRAY(arena, n, d->first) || !BR_ARRAY(arena, (size_t)d->ways + 1, d->duration) ||
        !BR_ARRAY(arena, (size_t)d->ways * d->sums + 1, d->spend) ||
        !BR_ARRAY(arena, (size_t)d->sums + 1, d->limit) ||
        !BR_ARRAY(arena, (size_t)d->sums + 1, d->pace) ||
        !BR_ARRAY(arena, (size_t)d->sums + 1, d->scale) ||
        !BR_ARRAY(arena, (size_t)d->arcs + 1, d->from) ||
        !BR_ARRAY(arena, (size_t)d->arcs + 1, d->to) || !BR_ARRAY(arena, n, d->mix_step) ||
        !BR_ARRAY(arena, n, d->start_step) || !BR_ARRAY(arena, (size_t)d->rows + 1, d->row_step) ||
        !BR_ARRAY(arena, n, d->in) || !BR_ARRAY(arena, n, d->out) ||
        !BR_ARRAY(arena, n, d->lasts) || !point_init(d, arena, &d->now) ||
        !point_init(d, arena, &d->next) || !point_init(d, arena, &d->mean) ||
        !BR_ARRAY(arena, (size_t)d->rows + 1, d->best))
        return false;
    const uint32_t listed = (uint32_t)list_flows(modes, d->from, d->to);
    for (uint32_t t = 0; t < d->tasks; t++) {
        d->from[listed + t] = t;
        d->to[listed + t] = d->tasks;
    }
    fill_ways(d);
    scale_sums(d);
    set_steps(d);
    for (uint32_t t = 0; t < d->tasks; t++)
        for (uint32_t w = d->first[t]; w < d->first[t + 1]; w++)
            d->now.mix[w] = 1.0 / (d->first[t + 1] - d->first[t]);
    return true;
}

void br_mixtures_finish(struct br_mixtures *d)
{
    br_arena_finish(&d->arena);
}

/* ---- Rounds ---- */

/* Sets values to the nearest that are none below 0 and have the sum 1. */
static void project(double *value, uint32_t count)
{
    double sorted[BR_MIXTURE_WAYS_MAX], sum = 0, shift = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t j = k;
        for (; j > 0 && sorted[j - 1] < value[k]; j--)
            sorted[j] = sorted[j - 1];
        sorted[j] = value[k];
    }
    for (uint32_t k = 0; k < count; k++) {
        sum += sorted[k];
        if (sorted[k] - (sum - 1) / (k + 1) > 0)
            shift = (sum - 1) / (k + 1);
    }
    for (uint32_t k = 0; k < count; k++)
        value[k] = value[k] > shift ? value[k] - shift : 0;
}

/* By task what flows in and out by the multipliers; that of the makespan last. */
static void sum_flows(const struct br_mixtures *d, const double *row)
{
    memset(d->in, 0, ((size_t)d->tasks + 1) * sizeof *d->in);
    memset(d->out, 0, ((size_t)d->tasks + 1) * sizeof *d->out);
    for (uint32_t a = 0; a < d->arcs; a++) {
        d->out[d->from[a]] += row[d->sums + a];
        d->in[d->to[a]] += row[d->sums + a];
    }
}

static void step_mixtures(struct br_mixtures *d)
{
    const double *row = d->now.row;
    double pace = 0;
    sum_flows(d, row);
    for (uint32_t t = 0; t < d->tasks; t++) {
        for (uint32_t w = d->first[t]; w < d->first[t + 1]; w++) {
            double cost = d->out[t] * d->duration[w];
            for (uint32_t k = 0; k < d->sums; k++)
                cost += row[k] * d->spend[(size_t)w * d->sums + k];
            d->next.mix[w] = d->now.mix[w] - d->mix_step[t] * cost;
        }
        project(d->next.mix + d->first[t], d->first[t + 1] - d->first[t]);
    }
    for (uint32_t k = 0; k < d->sums; k++)
        pace += row[k] * d->pace[k];
    for (uint32_t t = 0; t <= d->tasks; t++) {
        const double slope = t < d->tasks ? d->out[t] - d->in[t] : 1 - pace - d->in[t];
        const double start = d->now.start[t] - d->start_step[t] * slope;
        d->next.start[t] = start < 0 ? 0 : start > d->latest ? d->latest : start;
    }
}

static void step_rows(struct br_mixtures *d)
{
    double *lasts = d->lasts; /* by task, of the point beyond the next one */
    for (uint32_t k = 0; k < d->sums; k++)
        d->next.row[k] =
            d->pace[k] * (2 * d->next.start[d->tasks] - d->now.start[d->tasks]) + d->limit[k];
    for (uint32_t t = 0; t < d->tasks; t++) {
        lasts[t] = 0;
        for (uint32_t w = d->first[t]; w < d->first[t + 1]; w++) {
            const double mix = 2 * d->next.mix[w] - d->now.mix[w];
            lasts[t] += mix * d->duration[w];
            for (uint32_t k = 0; k < d->sums; k++)
                d->next.row[k] -= mix * d->spend[(size_t)w * d->sums + k];
        }
    }
    for (uint32_t a = 0; a < d->arcs; a++) {
        const uint32_t from = d->from[a], to = d->to[a];
        d->next.row[d->sums + a] = 2 * d->next.start[to] - d->now.start[to] -
                                   (2 * d->next.start[from] - d->now.start[from]) - lasts[from];
    }
    for (uint32_t k = 0; k < d->rows; k++) {
        const double row = d->now.row[k] - d->row_step[k] * d->next.row[k];
        d->next.row[k] = row > 0 ? row : 0;
    }
}

/* The bound by these multipliers, in units of time. What flows into a task and not out of it goes
 * on to the makespan. */
static double bound_by(const struct br_mixtures *d, const double *row)
{
    double sum = 0, pace = 0;
    sum_flows(d, row);
    for (uint32_t t = 0; t < d->tasks; t++) {
        const double on = d->in[t] > d->out[t] ? d->in[t] - d->out[t] : 0;
        double least = 0;
        for (uint32_t w = d->first[t]; w < d->first[t + 1]; w++) {
            double cost = (d->out[t] + on) * d->duration[w];
            for (uint32_t k = 0; k < d->sums; k++)
                cost += row[k] * d->spend[(size_t)w * d->sums + k];
            least = w == d->first[t] || cost < least ? cost : least;
        }
        pace += on;
        sum += least;
    }
    pace += d->in[d->tasks];
    for (uint32_t k = 0; k < d->sums; k++) {
        pace += row[k] * d->pace[k];
        sum -= row[k] * d->limit[k];
    }
    return pace > 1e-12 ? sum / pace : 0;
}

static void point_copy(const struct br_mixtures *d, struct br_mixture_point *to,
                       const struct br_mixture_point *from)
{
    memcpy(to->mix, from->mix, d->ways * sizeof *to->mix);
    memcpy(to->start, from->start, ((size_t)d->tasks + 1) * sizeof *to->start);
    memcpy(to->row, from->row, d->rows * sizeof *to->row);
}

static void into_mean(double *mean, const double *value, size_t count, uint32_t points)
{
    for (size_t k = 0; k < count; k++)
        mean[k] += (value[k] - mean[k]) / points;
}

/* The mean of the points since the last restart
 * is often nearer to the solution than any of them; it is gone on from now and then. */
void br_mixtures_descend(struct br_mixtures *d, uint32_t rounds, const struct br_stop *stop)
{
    double best = 0;
    uint32_t points = 0, restart = RESTART_FIRST;
    for (uint32_t k = 1; k <= rounds && !br_stopped(stop); k++) {
        step_mixtures(d);
        step_rows(d);
        const struct br_mixture_point swap = d->now;
        d->now = d->next;
        d->next = swap;
        points++;
        into_mean(d->mean.mix, d->now.mix, d->ways, points);
        into_mean(d->mean.start, d->now.start, (size_t)d->tasks + 1, points);
        into_mean(d->mean.row, d->now.row, d->rows, points);
        if (k % LOOK && k < rounds)
            continue;
        const double now = bound_by(d, d->now.row), mean = bound_by(d, d->mean.row);
        if (now > best || mean > best) {
            best = now > mean ? now : mean;
            memcpy(d->best, now > mean ? d->now.row : d->mean.row, d->rows * sizeof *d->best);
        }
        if (points < restart)
            continue;
        if (mean > now)
            point_copy(d, &d->now, &d->mean);
        points = 0;
        restart = 2 * restart < RESTART_MOST ? 2 * restart : RESTART_MOST;
    }
}
