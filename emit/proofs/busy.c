/* The rows of what runs when, numbered in one pass and written in another. */
#include "emit/proofs/busy.h"

#include <inttypes.h>

#include "base/collections/memory.h"
#include "base/text/diag.h"
#include "planner/check/proofs/clauses.h"

/* Windows from edges; a task without a window gets an empty one. */
static void busy_windows(struct br_busy *busy)
{
    const struct br_steps *steps = &busy->steps;
    const struct br_instance *in = steps->in;
    for (uint32_t t = 0; t < in->tasks; t++)
        busy->latest[t] = steps->last[t];
    for (uint32_t k = 0; k < in->stages; k++) {
        const uint32_t s = in->topological[k];
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            for (uint32_t e = steps->edge_first[t]; e < steps->edge_first[t + 1]; e++) {
                int64_t *head = &busy->head[steps->edge[e].to];
                if (*head < busy->head[t] + in->duration[t])
                    *head = busy->head[t] + in->duration[t];
            }
    }
    for (uint32_t k = in->stages; k > 0; k--) {
        const uint32_t s = in->topological[k - 1];
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            for (uint32_t e = steps->edge_first[t]; e < steps->edge_first[t + 1]; e++) {
                const int64_t behind = busy->latest[steps->edge[e].to] - in->duration[t];
                if (behind < busy->latest[t])
                    busy->latest[t] = behind;
            }
    }
}

/* Fills behind[a x tasks + b]: does b wait for a, over any number of edges? */
static void busy_behind(const struct br_steps *steps, bool *behind)
{
    const struct br_instance *in = steps->in;
    const size_t n = in->tasks;
    for (uint32_t k = in->stages; k > 0; k--) {
        const uint32_t s = in->topological[k - 1];
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            for (uint32_t e = steps->edge_first[t]; e < steps->edge_first[t + 1]; e++) {
                const uint32_t u = steps->edge[e].to;
                behind[t * n + u] = true;
                for (uint32_t v = 0; v < n; v++)
                    behind[t * n + v] |= behind[u * n + v];
            }
    }
}

/* The starts s of `first` for which it matters that `second` starts no earlier than s + d. */
static void busy_order_span(const struct br_busy *busy, uint32_t first, uint32_t second,
                            int64_t *from, int64_t *to)
{
    const int64_t d = busy->steps.in->duration[first];
    *from = busy->head[first];
    if (*from < busy->head[second] - d + 1)
        *from = busy->head[second] - d + 1;
    *to = busy->latest[first];
    if (*to > busy->latest[second] - d + 1)
        *to = busy->latest[second] - d + 1;
    if (*to < busy->head[first] && busy->head[first] <= busy->latest[first])
        *from = *to = busy->head[first]; /* never in this order */
}

static bool busy_may_overlap(const struct br_busy *busy, uint32_t a, uint32_t b)
{
    const int64_t *duration = busy->steps.in->duration;
    return busy->head[a] < busy->latest[b] + duration[b] &&
           busy->head[b] < busy->latest[a] + duration[a];
}

/* Marks the orders of which literals are, and those that neither edges nor windows decide. */
static void busy_mark_orders(struct br_busy *busy, const struct br_proof *proof, bool *behind)
{
    const struct br_instance *in = busy->steps.in;
    const size_t n = in->tasks;
    bool any = n <= BR_CLAUSES_ORDERED;
    for (uint32_t k = 0; k < proof->clauses; k++)
        for (uint32_t i = 0; i < proof->clause[k].literals; i++)
            if (proof->clause[k].literal[i].task > n) {
                busy->ordered[proof->clause[k].literal[i].task - n - 1] = true;
                any = true;
            }
    if (any)
        busy_behind(&busy->steps, behind);
    for (uint32_t a = 0; a < n && any; a++)
        for (uint32_t b = a + 1; b < n; b++) {
            busy->ordered[a * n + b] |= !behind[a * n + b] && !behind[b * n + a] &&
                                        br_clauses_rivals(in, a, b) && busy_may_overlap(busy, a, b);
            busy->orders += busy->ordered[a * n + b];
        }
}

/* How many rows the order has if it is the given one. */
static uint64_t busy_order_rows(const struct br_busy *busy, uint32_t first, uint32_t second)
{
    int64_t from, to;
    busy_order_span(busy, first, second, &from, &to);
    return from <= to ? (uint64_t)(to - from) + 1 : 0;
}

static bool busy_number_orders(struct br_busy *busy)
{
    struct br_steps *steps = &busy->steps;
    const uint32_t n = steps->in->tasks;
    uint32_t count = 0;
    if (!BR_ARRAY(&steps->arena, (size_t)busy->orders + 1, busy->order))
        return false;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++)
            if (busy->ordered[(size_t)a * n + b]) {
                const uint64_t rows = busy_order_rows(busy, a, b) + busy_order_rows(busy, b, a);
                busy->order[count++] = (struct br_busy_order){a, b};
                steps->rows += rows;
                steps->terms += 3 * rows;
            }
    steps->variables += busy->orders;
    return true;
}

/* What the tasks that may run at that time demand together. */
static int64_t busy_demanded(const struct br_busy *busy, uint32_t resource, int64_t time)
{
    int64_t sum = 0;
    for (uint32_t t = 0; t < busy->steps.in->tasks; t++)
        if (br_busy_at(busy, t, time))
            sum += br_busy_demand(busy, t, resource);
    return sum;
}

static void busy_number(struct br_busy *busy)
{
    struct br_steps *steps = &busy->steps;
    const struct br_instance *in = steps->in;
    for (uint32_t t = 0; t < in->tasks; t++) {
        const int64_t times = busy->latest[t] + in->duration[t] - busy->head[t];
        if (times <= 0)
            continue;
        busy->run[t] = (int64_t)steps->rows + 1 - busy->head[t];
        steps->rows += (uint64_t)times;
        steps->variables += (uint64_t)times;
        steps->terms += 3 * (uint64_t)times;
    }
    for (uint32_t r = 0; r < in->resources; r++)
        for (int64_t time = 0; time < steps->makespan; time++)
            if (busy_demanded(busy, r, time) > in->total[r]) {
                busy->capacity[(size_t)r * (size_t)steps->makespan + (size_t)time] = ++steps->rows;
                steps->terms += in->tasks;
            }
}

static bool busy_allocate(struct br_busy *busy, bool **behind)
{
    struct br_steps *steps = &busy->steps;
    const size_t n = steps->in->tasks;
    const size_t times = (size_t)steps->makespan * steps->in->resources;
    return BR_ARRAY(&steps->arena, n, busy->head) && BR_ARRAY(&steps->arena, n, busy->latest) &&
           BR_ARRAY(&steps->arena, n, busy->run) && BR_ARRAY(&steps->arena, n * n, *behind) &&
           BR_ARRAY(&steps->arena, n * n, busy->ordered) &&
           BR_ARRAY(&steps->arena, times + 1, busy->capacity);
}

enum br_status br_busy_init(struct br_busy *busy, const struct br_instance *in,
                            const struct br_proof *proof, struct br_diag *diag)
{
    *busy = (struct br_busy){0};
    bool *all = br_malloc(in->tasks + (size_t)1);
    bool *no = br_calloc(in->tasks + in->resources + (size_t)1, 1), *behind;
    enum br_status status = all && no ? BR_OK : br_fail_memory(diag);
    for (uint32_t t = 0; !status && t < in->tasks; t++)
        all[t] = true;
    if (!status)
        status = br_steps_init(&busy->steps, in, proof->bound - 1, all, no, no, diag);
    if (!status && !busy_allocate(busy, &behind))
        status = br_fail_memory(diag);
    if (!status) {
        busy_windows(busy);
        busy_mark_orders(busy, proof, behind);
        busy_number(busy);
        status = busy_number_orders(busy) ? BR_OK : br_fail_memory(diag);
    }
    if (!status && busy->steps.terms > BR_STEPS_TERMS)
        status = br_steps_too_many(diag);
    br_free(all);
    br_free(no);
    return status;
}

void br_busy_finish(struct br_busy *busy)
{
    br_steps_finish(&busy->steps);
}

static void busy_write_y(const struct br_busy *busy, const char *sign, uint32_t task, int64_t s,
                         FILE *out)
{
    if (br_steps_free(&busy->steps, task, s))
        fprintf(out, "1 %sy%" PRIu32 "_%" PRId64 " ", sign, br_steps_name(&busy->steps, task), s);
}

static void busy_write_order(const struct br_busy *busy, const struct br_busy_order *order,
                             bool turned, FILE *out)
{
    const uint32_t first = turned ? order->second : order->first;
    const uint32_t second = turned ? order->first : order->second;
    int64_t from, to;
    busy_order_span(busy, first, second, &from, &to);
    for (int64_t s = from; s <= to; s++) {
        fprintf(out, "1 %so%" PRIu32 "_%" PRIu32 " ", turned ? "" : "~",
                br_steps_name(&busy->steps, order->first),
                br_steps_name(&busy->steps, order->second));
        busy_write_y(busy, "~", first, s, out);
        busy_write_y(busy, "", second, s + busy->steps.in->duration[first], out);
        fputs(">= 1 ;\n", out);
    }
}

static void busy_write_capacity(const struct br_busy *busy, uint32_t r, int64_t time, FILE *out)
{
    for (uint32_t t = 0; t < busy->steps.in->tasks; t++)
        if (br_busy_at(busy, t, time) && br_busy_demand(busy, t, r) > 0)
            fprintf(out, "%" PRId64 " ~x%" PRIu32 "_%" PRId64 " ", br_busy_demand(busy, t, r),
                    br_steps_name(&busy->steps, t), time);
    fprintf(out, ">= %" PRId64 " ;\n", busy_demanded(busy, r, time) - busy->steps.in->total[r]);
}

void br_busy_write(const struct br_busy *busy, FILE *out)
{
    const struct br_instance *in = busy->steps.in;
    br_steps_write(&busy->steps, out);
    for (uint32_t t = 0; t < in->tasks; t++)
        for (int64_t u = busy->head[t]; u < busy->latest[t] + in->duration[t]; u++) {
            fprintf(out, "1 x%" PRIu32 "_%" PRId64 " ", br_steps_name(&busy->steps, t), u);
            busy_write_y(busy, "~", t, u - in->duration[t] + 1, out);
            busy_write_y(busy, "", t, u + 1, out);
            fputs(">= 1 ;\n", out);
        }
    for (uint32_t r = 0; r < in->resources; r++)
        for (int64_t time = 0; time < busy->steps.makespan; time++)
            if (busy->capacity[(size_t)r * (size_t)busy->steps.makespan + (size_t)time])
                busy_write_capacity(busy, r, time, out);
    for (uint32_t k = 0; k < busy->orders; k++) {
        busy_write_order(busy, &busy->order[k], false, out);
        busy_write_order(busy, &busy->order[k], true, out);
    }
}
