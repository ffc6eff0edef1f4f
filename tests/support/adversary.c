#include "tests/support/adversary.h"

#include <string.h>

#include "base/numbers/rng.h"
#include "runtime/enforcer/model.h"

enum { ROOM = 5 };

/* DEAD: it has failed for good, or waits for one that has. */
enum state { WAITS, RUNS, ENDED, DEAD };

struct book {
    const struct adversary *with;
    struct adversary_result *result;
    struct br_runtime *runtime;
    struct br_rng rng;
    uint32_t number[ADVERSARY_JOBS];
    uint8_t state[ADVERSARY_JOBS][FEATURED_ALL];
    bool doomed[ADVERSARY_JOBS][FEATURED_ALL];
    bool lost[ADVERSARY_JOBS][FEATURED_ALL]; /* it made nothing */
    uint32_t machine[ADVERSARY_JOBS][FEATURED_ALL];
    int64_t began_ns[ADVERSARY_JOBS][FEATURED_ALL], ended_ns[ADVERSARY_JOBS][FEATURED_ALL];
    int64_t now_ns;
};

static uint32_t stage_of(const struct featured_job *job, uint32_t task)
{
    uint32_t s = 0;
    while (task >= job->first[s] + job->count[s])
        s++;
    return s;
}

static bool is_over(uint8_t state)
{
    return state == ENDED || state == DEAD;
}

/* Will nothing of the job run any more? */
static bool job_over(const struct book *book, uint32_t j)
{
    for (uint32_t t = 0; t < book->with->job[j].tasks; t++)
        if (!is_over(book->state[j][t]))
            return false;
    return true;
}

/* ---- What is held ---- */

static bool is_read(const struct featured_job *job, uint32_t s, uint32_t o)
{
    for (uint32_t e = 0; e < job->edges; e++)
        if (job->edge[e].parent == s && job->edge[e].reads[o])
            return true;
    return false;
}

/* Does a task that reads the output of the stage's task `index` still have to end? */
static bool has_reader(const struct book *book, uint32_t j, uint32_t s, uint32_t o, uint32_t index)
{
    const struct featured_job *job = &book->with->job[j];
    for (uint32_t e = 0; e < job->edges; e++) {
        const struct featured_edge *edge = &job->edge[e];
        if (edge->parent != s || !edge->reads[o])
            continue;
        for (uint32_t i = 0; i < job->count[edge->child]; i++)
            if ((!edge->one_to_one || i == index) &&
                !is_over(book->state[j][job->first[edge->child] + i]))
                return true;
    }
    return false;
}

static bool holds_output(const struct book *book, uint32_t j, uint32_t s, uint32_t o,
                         uint32_t index)
{
    const struct featured_job *job = &book->with->job[j];
    const struct featured_output *output = &job->output[s][o];
    const uint8_t state = book->state[j][job->first[s] + index];
    if (state == RUNS)
        return !output->from_end;
    if (state != ENDED)
        return false;
    if (is_read(job, s, o))
        return has_reader(book, j, s, o, index);
    return !output->unkept && !job_over(book, j);
}

static void add_up(const struct book *book, int64_t load[FEATURED_MACHINES][FEATURED_RESOURCES])
{
    memset(load, 0, sizeof(int64_t[FEATURED_MACHINES][FEATURED_RESOURCES]));
    for (uint32_t j = 0; j < book->with->jobs; j++) {
        const struct featured_job *job = &book->with->job[j];
        for (uint32_t s = 0; s < job->stages; s++)
            for (uint32_t i = 0; i < job->count[s]; i++) {
                const uint32_t t = job->first[s] + i, m = book->machine[j][t];
                for (int r = 0; r < FEATURED_RESOURCES && book->state[j][t] == RUNS; r++)
                    load[r < FEATURED_OF_MACHINES ? m : 0][r] += job->demand[s][r];
                for (uint32_t o = 0; o < job->outputs[s]; o++) {
                    const int r = job->output[s][o].resource;
                    if (holds_output(book, j, s, o, i))
                        load[r < FEATURED_OF_MACHINES ? m : 0][r] += job->output[s][o].amount;
                }
            }
    }
}

static void check_room(struct book *book)
{
    int64_t load[FEATURED_MACHINES][FEATURED_RESOURCES];
    add_up(book, load);
    for (uint32_t m = 0; m < FEATURED_MACHINES; m++)
        for (int r = 0; r < FEATURED_RESOURCES; r++)
            if (load[m][r] > book->with->cluster->capacity[r])
                book->result->fault = "a place holds more than it can";
}

/* The task that has just started there ends, as planned, before its machine goes, and before there
 * is less than it and those that run then hold, if they last as planned, too. */
static void check_windows(struct book *book, uint32_t j, uint32_t t)
{
    const struct featured_cluster *cluster = book->with->cluster;
    const uint32_t m = book->machine[j][t];
    int64_t lasts_ns = book->with->job[j].duration_ns[stage_of(&book->with->job[j], t)];
    lasts_ns = lasts_ns ? lasts_ns : 1;
    for (uint32_t k = 0; k < cluster->windows; k++) {
        const struct featured_window *window = &cluster->window[k];
        int64_t cores = 0;
        if (window->machine != m || window->from_ns >= book->now_ns + lasts_ns ||
            window->to_ns <= book->now_ns)
            continue;
        book->result->near++;
        if (window->resource < 0)
            book->result->fault = "a task starts that would last into a window";
        for (uint32_t i = 0; i < book->with->jobs; i++)
            for (uint32_t u = 0; u < book->with->job[i].tasks; u++) {
                const struct featured_job *job = &book->with->job[i];
                const uint32_t s = stage_of(job, u);
                const int64_t least = job->duration_ns[s] ? job->duration_ns[s] : 1;
                if (book->state[i][u] == RUNS && book->machine[i][u] == m &&
                    (window->from_ns <= book->now_ns ||
                     book->began_ns[i][u] + least > window->from_ns))
                    cores += job->demand[s][0];
            }
        if (window->resource == 0 && cores > window->amount &&
            book->with->job[j].demand[stage_of(&book->with->job[j], t)][0] > 0)
            book->result->fault = "a task starts that overlaps a time with fewer cores";
    }
}

static int64_t held_in_all(const struct book *book)
{
    int64_t load[FEATURED_MACHINES][FEATURED_RESOURCES], sum = 0;
    add_up(book, load);
    for (uint32_t m = 0; m < FEATURED_MACHINES; m++)
        sum += load[m][1] + load[m][2];
    return sum;
}

/* ---- When tasks may start and end ---- */

static void check_parents(struct book *book, uint32_t j, uint32_t t)
{
    const struct featured_job *job = &book->with->job[j];
    const uint32_t s = stage_of(job, t), index = t - job->first[s];
    if (book->now_ns < job->release_ns[s])
        book->result->fault = "a task starts before its release";
    for (uint32_t e = 0; e < job->edges; e++) {
        const struct featured_edge *edge = &job->edge[e];
        for (uint32_t i = 0; edge->child == s && i < job->count[edge->parent]; i++) {
            const uint32_t p = job->first[edge->parent] + i;
            if (edge->one_to_one && i != index)
                continue;
            const bool ok = edge->stream
                                ? (book->state[j][p] == RUNS || book->state[j][p] == ENDED) &&
                                      book->now_ns >= book->began_ns[j][p] + edge->lag_ns
                                : book->state[j][p] == ENDED &&
                                      book->now_ns >= book->ended_ns[j][p] + edge->lag_ns;
            if (!ok)
                book->result->fault = "a task starts too early";
        }
    }
}

/* A task that reads a stream ends after those that write it. */
static bool may_end(const struct book *book, uint32_t j, uint32_t t)
{
    const struct featured_job *job = &book->with->job[j];
    const uint32_t s = stage_of(job, t), index = t - job->first[s];
    for (uint32_t e = 0; e < job->edges; e++) {
        const struct featured_edge *edge = &job->edge[e];
        for (uint32_t i = 0; edge->child == s && edge->stream && i < job->count[edge->parent]; i++)
            if ((!edge->one_to_one || i == index) &&
                !is_over(book->state[j][job->first[edge->parent] + i]))
                return false;
    }
    return true;
}

/* Its descendants never run, except those that run already. */
static void doom(struct book *book, uint32_t j, uint32_t t)
{
    const struct featured_job *job = &book->with->job[j];
    const uint32_t s = stage_of(job, t), index = t - job->first[s];
    for (uint32_t e = 0; e < job->edges; e++)
        for (uint32_t i = 0; job->edge[e].parent == s && i < job->count[job->edge[e].child]; i++) {
            const uint32_t c = job->first[job->edge[e].child] + i;
            if ((job->edge[e].one_to_one && i != index) || book->doomed[j][c] ||
                is_over(book->state[j][c]))
                continue;
            book->doomed[j][c] = true;
            if (book->state[j][c] == WAITS)
                book->state[j][c] = DEAD;
            doom(book, j, c);
        }
}

/* ---- The run ---- */

static void start_all(struct book *book)
{
    struct br_decision decision[ROOM];
    uint32_t got = ROOM;
    while (got == ROOM && !book->result->fault) {
        got = br_runtime_decide(book->runtime, BR_ANY, book->now_ns, decision, ROOM);
        for (uint32_t d = 0; d < got; d++) {
            uint32_t j = 0;
            while (book->number[j] != decision[d].job)
                j++;
            const uint32_t t = decision[d].task;
            if (book->state[j][t] != WAITS || book->doomed[j][t])
                book->result->fault = "a task starts that does not wait";
            check_parents(book, j, t);
            book->state[j][t] = RUNS;
            book->machine[j][t] = decision[d].machine;
            book->began_ns[j][t] = book->now_ns;
            book->result->starts++;
            check_room(book);
            check_windows(book, j, t);
        }
    }
}

static int64_t frees(struct book *book, uint32_t j, uint32_t t)
{
    const int64_t before = held_in_all(book);
    book->state[j][t] = ENDED;
    const int64_t freed = before - held_in_all(book);
    book->state[j][t] = RUNS;
    return freed;
}

/* The least score ends first; of equal ones any. */
static int64_t score(struct book *book, uint32_t j, uint32_t t)
{
    const struct featured_job *job = &book->with->job[j];
    switch (book->with->kind) {
    case ADVERSARY_HOLDS:
        return frees(book, j, t) * 8 + (int64_t)br_rng_below(&book->rng, 8);
    case ADVERSARY_PLANNED: {
        int64_t end_ns = book->began_ns[j][t] + job->duration_ns[stage_of(job, t)];
        return end_ns > book->now_ns ? end_ns : book->now_ns;
    }
    default:
        return (int64_t)br_rng_below(&book->rng, 1 << 20);
    }
}

static bool choose(struct book *book, uint32_t *job, uint32_t *task, int64_t *least)
{
    bool any = false;
    for (uint32_t j = 0; j < book->with->jobs; j++)
        for (uint32_t t = 0; t < book->with->job[j].tasks; t++) {
            if (book->state[j][t] != RUNS || !may_end(book, j, t))
                continue;
            const int64_t mine = score(book, j, t);
            if (any && mine >= *least)
                continue;
            any = true;
            *job = j;
            *task = t;
            *least = mine;
        }
    return any;
}

static void end_one(struct book *book, uint32_t j, uint32_t t)
{
    const bool fails =
        book->with->kind != ADVERSARY_PLANNED && br_rng_below(&book->rng, 100) < book->with->fails;
    const bool again = fails && br_rng_below(&book->rng, 100) >= book->with->dies;
    if (!fails) {
        book->state[j][t] = ENDED;
        book->ended_ns[j][t] = book->now_ns;
        if (br_runtime_finished(book->runtime, book->number[j], t, NULL))
            book->result->fault = "an end is refused";
    } else {
        book->result->failures++;
        book->state[j][t] = again && !book->doomed[j][t] ? WAITS : DEAD;
        if (book->state[j][t] == DEAD)
            doom(book, j, t);
        if (br_runtime_failed(book->runtime, book->number[j], t, again, NULL))
            book->result->fault = "a failure is refused";
    }
    check_room(book);
}

static bool all_over(const struct book *book)
{
    for (uint32_t j = 0; j < book->with->jobs; j++)
        if (!job_over(book, j))
            return false;
    return true;
}

static void run(struct book *book)
{
    while (!book->result->fault) {
        uint32_t j, t;
        int64_t least = 0;
        start_all(book);
        if (book->result->fault)
            return;
        const int64_t next_ns = br_runtime_next_ns(book->runtime);
        if (!choose(book, &j, &t, &least)) {
            if (all_over(book))
                return;
            if (next_ns == INT64_MAX || next_ns <= book->now_ns) {
                book->result->fault = "dead end";
                return;
            }
            book->now_ns = next_ns;
            continue;
        }
        if (book->with->kind == ADVERSARY_PLANNED) {
            if (next_ns < least && next_ns > book->now_ns) {
                book->now_ns = next_ns;
                continue;
            }
            book->now_ns = least;
        } else {
            book->now_ns += (int64_t)br_rng_below(&book->rng, 4000);
        }
        end_one(book, j, t);
        book->result->makespan_ns = book->now_ns;
    }
}

/* Nothing is held once all have ended. */
static void check_rest(struct book *book)
{
    static const char *const name[FEATURED_OF_MACHINES] = {"cpu", "mem"};
    for (int r = 0; r < FEATURED_OF_MACHINES && !book->result->fault; r++)
        if (br_runtime_used(book->runtime, BR_ANY, name[r]) != 0)
            book->result->fault = "something is held at the end";
    for (uint32_t k = 0; k < book->runtime->pool.resources && !book->result->fault; k++)
        if (book->runtime->pool.held[k])
            book->result->fault = "something shared is held at the end";
}

void adversary_run(const struct adversary *with, struct adversary_result *result)
{
    struct br_cluster *cluster = featured_cluster_real(with->cluster);
    struct book book = {.with = with, .result = result};
    struct br_diag diag = {0};
    memset(result, 0, sizeof *result);
    book.rng = br_rng_seed(with->seed);
    if (!cluster || br_runtime_create(cluster, NULL, &book.runtime, NULL))
        result->fault = "no enforcer";
    for (uint32_t j = 0; j < with->jobs && !result->fault; j++) {
        struct br_dag *dag = featured_job_dag(&with->job[j]);
        if (!dag || br_runtime_submit(book.runtime, dag, with->plan ? with->plan[j] : NULL, 0,
                                      BR_READY_BY_EDGES, &book.number[j], &diag)) {
            static char text[600];
            br_diag_format(&diag, text, sizeof text);
            result->fault = text;
        }
        br_dag_destroy(dag);
    }
    br_cluster_destroy(cluster);
    if (!result->fault)
        run(&book);
    if (!result->fault)
        check_rest(&book);
    if (book.runtime)
        result->forced = book.runtime->pool.forced;
    br_runtime_destroy(book.runtime);
}
