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

/* What the proof uses of orders, while it is followed. */
struct busy_use {
    struct br_busy *busy;
    bool failed; /* memory is out */
};

static uint64_t *busy_kept(struct br_busy *busy, uint32_t before, uint32_t after)
{
    uint64_t **kept = &busy->kept[(size_t)before * busy->steps.in->tasks + after];
    if (!*kept)
        *kept = br_arena_array(&busy->steps.arena, (size_t)busy->steps.makespan / 64 + 1,
                               sizeof **kept);
    return *kept;
}

/* Keeps the row of that start, or of the last one, which says that this order cannot be. */
static void busy_use(void *context, uint32_t before, uint32_t after, int64_t start)
{
    struct busy_use *use = context;
    struct br_busy *busy = use->busy;
    int64_t from, to;
    busy_order_span(busy, before, after, &from, &to);
    if (from > to)
        return; /* the edges say as much */
    start = start < from ? from : start > to ? to : start;
    uint64_t *kept = busy_kept(busy, before, after);
    use->failed |= !kept;
    if (kept)
        kept[start / 64] |= UINT64_C(1) << (start % 64);
    const size_t first = before < after ? before : after, second = before < after ? after : before;
    busy->ordered[first * busy->steps.in->tasks + second] = true;
}

static void busy_use_time(void *context, uint32_t resource, int64_t time)
{
    struct br_busy *busy = ((struct busy_use *)context)->busy;
    if (time >= 0 && time < busy->steps.makespan)
        busy->full[(size_t)resource * (size_t)busy->steps.makespan + (size_t)time] = true;
}

static void busy_use_span(void *context, uint32_t clause, const struct br_proof_span *span,
                          uint32_t resource, const int64_t *least, const int64_t *most)
{
    (void)clause, (void)least, (void)most;
    for (int64_t u = span ? span->from : 0; span && u < span->to; u++)
        busy_use_time(context, resource, u);
}

/* Ranks the times that are used. */
static void busy_rank(struct br_busy *busy)
{
    const int64_t makespan = busy->steps.makespan;
    for (int64_t u = 0; u < makespan; u++) {
        bool used = false;
        for (uint32_t r = 0; r < busy->steps.in->resources; r++)
            used |= busy->full[(size_t)r * (size_t)makespan + (size_t)u];
        busy->rank[u + 1] = busy->rank[u] + used;
    }
}

/* Marks the orders of which literals are, and those that the proof uses. */
static enum br_status busy_mark_orders(struct br_busy *busy, const struct br_proof *proof,
                                       struct br_diag *diag)
{
    const struct br_instance *in = busy->steps.in;
    const size_t n = in->tasks;
    struct busy_use use = {.busy = busy};
    const struct br_clauses_watch watch = {
        .context = &use, .follows = busy_use_span, .ordered = busy_use, .full = busy_use_time};
    uint32_t where;
    for (uint32_t k = 0; k < proof->clauses; k++)
        for (uint32_t i = 0; i < proof->clause[k].literals; i++)
            if (proof->clause[k].literal[i].task > n)
                busy->ordered[proof->clause[k].literal[i].task - n - 1] = true;
    const enum br_clauses_answer answer =
        br_clauses_follow(in, proof->bound, proof->clause, proof->clauses, &watch, &where);
    if (use.failed || answer == BR_CLAUSES_MEMORY)
        return br_fail_memory(diag);
    for (size_t k = 0; k < n * n; k++)
        busy->orders += busy->ordered[k];
    return answer == BR_CLAUSES_PROVE
               ? BR_OK
               : br_fail(diag, BR_NO, "leave --proof out: 'bigrocks check --certificate' checks it",
                         "a proof by clauses that needs the order of equal tasks has no form for "
                         "VeriPB yet");
}

static bool busy_keeps(const struct br_busy *busy, uint32_t before, uint32_t after, int64_t start)
{
    const uint64_t *kept = busy->kept[(size_t)before * busy->steps.in->tasks + after];
    return kept && (kept[start / 64] >> (start % 64) & 1);
}

/* How many rows the order has if it is the given one. */
static uint64_t busy_order_rows(const struct br_busy *busy, uint32_t first, uint32_t second)
{
    int64_t from, to;
    uint64_t rows = 0;
    busy_order_span(busy, first, second, &from, &to);
    for (int64_t s = from; s <= to; s++)
        rows += busy_keeps(busy, first, second, s);
    return rows;
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
        if (busy->latest[t] + in->duration[t] <= busy->head[t])
            continue;
        const int64_t times =
            busy->rank[busy->latest[t] + in->duration[t]] - busy->rank[busy->head[t]];
        busy->run[t] = (int64_t)steps->rows + 1 - busy->rank[busy->head[t]];
        steps->rows += (uint64_t)times;
        steps->variables += (uint64_t)times;
        steps->terms += 3 * (uint64_t)times;
    }
    for (uint32_t r = 0; r < in->resources; r++)
        for (int64_t time = 0; time < steps->makespan; time++)
            if (busy->full[(size_t)r * (size_t)steps->makespan + (size_t)time] &&
                busy_demanded(busy, r, time) > in->total[r]) {
                busy->capacity[(size_t)r * (size_t)steps->makespan + (size_t)time] = ++steps->rows;
                steps->terms += in->tasks;
            }
}

static bool busy_allocate(struct br_busy *busy)
{
    struct br_steps *steps = &busy->steps;
    const size_t n = steps->in->tasks;
    const size_t times = (size_t)steps->makespan * steps->in->resources;
    return BR_ARRAY(&steps->arena, n, busy->head) && BR_ARRAY(&steps->arena, n, busy->latest) &&
           BR_ARRAY(&steps->arena, n, busy->run) &&
           BR_ARRAY(&steps->arena, times + 1, busy->full) &&
           BR_ARRAY(&steps->arena, (size_t)steps->makespan + 1, busy->rank) &&
           BR_ARRAY(&steps->arena, n * n, busy->kept) &&
           BR_ARRAY(&steps->arena, n * n, busy->ordered) &&
           BR_ARRAY(&steps->arena, times + 1, busy->capacity);
}

enum br_status br_busy_init(struct br_busy *busy, const struct br_instance *in,
                            const struct br_proof *proof, struct br_diag *diag)
{
    *busy = (struct br_busy){0};
    bool *all = br_malloc(in->tasks + (size_t)1);
    bool *no = br_calloc(in->tasks + in->resources + (size_t)1, 1);
    enum br_status status = all && no ? BR_OK : br_fail_memory(diag);
    for (uint32_t t = 0; !status && t < in->tasks; t++)
        all[t] = true;
    if (!status)
        status = br_steps_init(&busy->steps, in, proof->bound - 1, all, no, no, diag);
    if (!status && !busy_allocate(busy))
        status = br_fail_memory(diag);
    if (!status) {
        busy_windows(busy);
        status = busy_mark_orders(busy, proof, diag);
    }
    if (!status) {
        busy_rank(busy);
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
        if (!busy_keeps(busy, first, second, s))
            continue;
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
            if (busy->rank[u] == busy->rank[u + 1])
                continue;
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
