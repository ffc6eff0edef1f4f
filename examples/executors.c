/* A scheduler whose executors belong to jobs, as Spark's do, led by a trained model.
 *
 *   cc executors.c $(pkg-config --cflags --libs bigrocks) -o executors && ./executors tpch-50.model
 *
 * A real one has executors that report; here a clock of its own says when they end. Whenever some
 * are idle it tells the decider how far the jobs are, and asks where they go. */
#include <bigrocks/bigrocks.h>
#include <bigrocks/learned.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

enum { EXECUTORS = 12, JOBS = 3, STAGES = 4, SECOND = 1000, MOVING = 2 * SECOND };
#define NONE BR_ANY

/* A stage waits for up to two of those before it; -1: none. */
struct stage {
    const char *id;
    uint32_t tasks;
    int64_t ms;
    int parent[2];
};
static const struct {
    const char *name;
    int64_t arrival;
    struct stage stage[STAGES];
} queries[JOBS] = {
    {"revenue",
     0,
     {{"orders", 40, 3000, {-1, -1}},
      {"parts", 6, 2000, {-1, -1}},
      {"join", 30, 2500, {0, 1}},
      {"sums", 4, 1000, {2, -1}}}},
    {"returns",
     3 * SECOND,
     {{"lines", 8, 1500, {-1, -1}},
      {"sort", 8, 1000, {0, -1}},
      {"merge", 2, 1000, {1, -1}},
      {"top", 1, 500, {2, -1}}}},
    {"stock",
     5 * SECOND,
     {{"supply", 20, 1000, {-1, -1}},
      {"parts", 20, 1000, {-1, -1}},
      {"join", 10, 2000, {0, 1}},
      {"sums", 1, 500, {2, -1}}}},
};

/* Ready: it has come to its stage, or has ended a task of it. */
enum state { IDLE, MOVES, READY, RUNS };

struct executor {
    uint32_t job, stage; /* job: to which it is bound, or moves; NONE: it is free */
    enum state state;
    int64_t until;
};

struct scheduler {
    struct br_learned *learned;
    int64_t now;
    struct executor executor[EXECUTORS];
    bool there[JOBS];      /* has come and not ended */
    uint32_t number[JOBS]; /* of the job in the decider */
    uint32_t started[JOBS][STAGES], ended[JOBS][STAGES];
    uint32_t done;
    int64_t waited; /* sum of completion times */
};

static enum br_status arrive(struct scheduler *on, uint32_t job, struct br_diag *diag)
{
    struct br_dag *dag = br_dag_create(queries[job].name);
    enum br_status status = dag ? BR_OK : BR_SYSTEM;
    for (uint32_t s = 0; s < STAGES && !status; s++) {
        const struct stage *stage = &queries[job].stage[s];
        status = br_dag_add_stage(dag, stage->id, stage->tasks, stage->ms * 1000000, NULL, diag);
        for (int p = 0; p < 2 && !status; p++)
            if (stage->parent[p] >= 0)
                status = br_dag_add_edge(dag, (uint32_t)stage->parent[p], s, BR_BARRIER, diag);
    }
    if (!status)
        status = br_dag_finish(dag, diag);
    if (!status)
        status = br_learned_submit(on->learned, dag, &on->number[job], diag);
    br_dag_destroy(dag); /* the decider has copied what it needs */
    on->there[job] = true;
    return status;
}

/* How far the job is. */
static enum br_status tell(const struct scheduler *on, uint32_t job, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    uint32_t executors = 0;
    for (uint32_t s = 0; s < STAGES && !status; s++) {
        struct br_learned_progress progress = {on->started[job][s], on->ended[job][s], 0};
        for (int e = 0; e < EXECUTORS; e++) {
            const struct executor *at = &on->executor[e];
            progress.coming +=
                at->job == job && at->stage == s && (at->state == MOVES || at->state == READY);
        }
        status = br_learned_set_stage(on->learned, on->number[job], s, progress, diag);
    }
    for (int e = 0; e < EXECUTORS; e++)
        executors += on->executor[e].job == job;
    return status ? status
                  : br_learned_set_executors(on->learned, on->number[job], executors, diag);
}

/* So many idle executors of the job `from` go to the stage. */
static void send(struct scheduler *on, uint32_t from, uint32_t job, uint32_t stage, uint32_t count)
{
    printf("%5.1f s  %2" PRIu32 " to %s of %s\n", (double)on->now / SECOND, count,
           queries[job].stage[stage].id, queries[job].name);
    for (int e = 0; e < EXECUTORS && count; e++) {
        struct executor *at = &on->executor[e];
        if (at->state != IDLE || at->job != from)
            continue;
        at->state = from == job ? READY : MOVES;
        at->job = job;
        at->stage = stage;
        at->until = on->now + MOVING;
        count--;
    }
}

/* Asks about the idle executors of the job, or of none. */
static enum br_status place(struct scheduler *on, uint32_t from, struct br_diag *diag)
{
    const struct br_learned_decision *decision;
    uint32_t idle = 0, count;
    for (int e = 0; e < EXECUTORS; e++)
        idle += on->executor[e].state == IDLE && on->executor[e].job == from;
    if (!idle)
        return BR_OK;
    struct br_learned_group group = {idle, from == NONE ? BR_ANY : on->number[from], idle};
    enum br_status status = br_learned_decide(on->learned, group, &decision, &count, diag);
    for (uint32_t k = 0; k < count && !status; k++)
        for (uint32_t job = 0; job < JOBS; job++)
            if (on->there[job] && on->number[job] == decision[k].job)
                send(on, from, job, decision[k].stage, decision[k].executors);
    return status;
}

/* Executors that are at their stage start a task of it, once its parents have ended. */
static void start(struct scheduler *on)
{
    for (int e = 0; e < EXECUTORS; e++) {
        struct executor *at = &on->executor[e];
        bool open = true;
        if (at->state != READY)
            continue;
        const struct stage *stage = &queries[at->job].stage[at->stage];
        for (int p = 0; p < 2; p++)
            if (stage->parent[p] >= 0)
                open &= on->ended[at->job][stage->parent[p]] ==
                        queries[at->job].stage[stage->parent[p]].tasks;
        if (open && on->started[at->job][at->stage] < stage->tasks) {
            on->started[at->job][at->stage]++;
            at->state = RUNS;
            at->until = on->now + stage->ms;
        } else if (open) {
            at->state = IDLE;
        }
    }
}

static enum br_status end_job(struct scheduler *on, uint32_t job, struct br_diag *diag)
{
    int64_t took = on->now - queries[job].arrival;
    printf("%5.1f s  %s has ended, after %.1f s\n", (double)on->now / SECOND, queries[job].name,
           (double)took / SECOND);
    on->there[job] = false;
    on->done++;
    on->waited += took;
    for (int e = 0; e < EXECUTORS; e++)
        if (on->executor[e].job == job)
            on->executor[e] = (struct executor){.job = NONE};
    return br_learned_retire(on->learned, on->number[job], diag);
}

/* All that happens at the next moment. */
static enum br_status advance(struct scheduler *on, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    int64_t next = INT64_MAX;
    for (int e = 0; e < EXECUTORS; e++)
        if ((on->executor[e].state == MOVES || on->executor[e].state == RUNS) &&
            on->executor[e].until < next)
            next = on->executor[e].until;
    for (uint32_t job = 0; job < JOBS; job++)
        if (queries[job].arrival > on->now && queries[job].arrival < next)
            next = queries[job].arrival;
    on->now = next;
    for (int e = 0; e < EXECUTORS; e++) {
        struct executor *at = &on->executor[e];
        if ((at->state != MOVES && at->state != RUNS) || at->until > next)
            continue;
        on->ended[at->job][at->stage] += at->state == RUNS;
        at->state = READY;
    }
    for (uint32_t job = 0; job < JOBS && !status; job++) {
        if (on->there[job] && on->ended[job][STAGES - 1] == queries[job].stage[STAGES - 1].tasks)
            status = end_job(on, job, diag);
        if (queries[job].arrival == next && !on->there[job] && !on->started[job][0] && !status)
            status = arrive(on, job, diag);
    }
    return status;
}

static enum br_status run(struct scheduler *on, struct br_diag *diag)
{
    enum br_status status = arrive(on, 0, diag);
    for (int e = 0; e < EXECUTORS; e++)
        on->executor[e].job = NONE;
    while (!status && on->done < JOBS) {
        start(on);
        for (uint32_t job = 0; job < JOBS && !status; job++)
            if (on->there[job])
                status = tell(on, job, diag);
        for (uint32_t job = 0; job < JOBS && !status; job++)
            if (on->there[job])
                status = place(on, job, diag);
        if (!status)
            status = place(on, NONE, diag);
        start(on);
        if (!status)
            status = advance(on, diag);
    }
    return status;
}

int main(int arguments, char **argument)
{
    struct scheduler on = {0};
    struct br_model *model = NULL;
    struct br_diag diag = {.what = "out of memory"};
    enum br_status status =
        br_model_load(arguments > 1 ? argument[1] : "tpch-50.model", &model, &diag);
    if (!status) {
        struct br_model_facts facts = br_model_facts(model);
        printf("a model of %" PRIu32 " parameters, trained on %" PRIu32 " executors\n",
               facts.parameters, facts.executors);
        status = br_learned_create(model, EXECUTORS, &on.learned, &diag);
    }
    if (!status)
        status = run(&on, &diag);
    if (!status) {
        printf("mean completion time %.1f s\n", (double)on.waited / JOBS / SECOND);
    } else {
        char text[1400];
        br_diag_format(&diag, text, sizeof text);
        fprintf(stderr, "executors: %s\n", text);
    }
    br_learned_destroy(on.learned);
    br_model_destroy(model);
    return (int)status;
}
