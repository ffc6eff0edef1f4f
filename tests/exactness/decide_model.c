/* The model's state: what is given, and what the events make of it. */
#include "tests/exactness/decide_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/numbers/decimal.h"

/* ---- What is given ---- */

static int64_t scaled(struct br_decimal value, int32_t digits)
{
    int64_t out = 0;
    assert_true(br_decimal_scale(value, digits, &out));
    return out;
}

static double power_of_ten(int32_t exponent)
{
    double out = 1;
    for (; exponent > 0; exponent--)
        out *= 10;
    return out;
}

/* As many digits as sums below an eighth of 2^63 leave room for. */
void model_take_cluster(struct model *m, const struct br_cluster *cluster)
{
    m->cluster = cluster;
    m->slots = cluster->machines;
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t k = 0; k < cluster->cls[c].capacities; k++) {
            const char *name = cluster->cls[c].capacity[k].resource;
            uint32_t r = 0;
            while (r < m->resources && strcmp(m->name[r], name) != 0)
                r++;
            if (r == m->resources)
                m->name[m->resources++] = name;
        }
    for (uint32_t r = 0; r < m->resources; r++)
        for (int32_t digits = 18; !m->total[r] && digits >= -18; digits--) {
            int64_t sum = 0, one;
            bool fits = true;
            for (uint32_t i = 0; i < cluster->machines && fits; i++) {
                struct br_decimal amount =
                    br_cluster_capacity(cluster, br_cluster_machine_class(cluster, i), m->name[r]);
                fits = br_decimal_scale(amount, digits, &one) && one <= INT64_MAX / 8 &&
                       (sum += one) <= INT64_MAX / 8;
                m->capacity[i][r] = m->free[i][r] = one;
            }
            if (!fits)
                continue;
            m->digits[r] = digits;
            m->total[r] = (double)sum;
            if (strcmp(m->name[r], "cpu") == 0 && (double)sum / power_of_ten(digits) >= 1)
                m->slots = (double)sum / power_of_ten(digits);
        }
}

static const struct br_stage *stage_of(const struct model_job *job, uint32_t task)
{
    return &job->dag->stage[br_dag_task_stage(job->dag, task)];
}

static bool parents_done(const struct model_job *job, uint32_t task)
{
    const struct br_dag *dag = job->dag;
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_stage *from = &dag->stage[dag->edge[e].parent];
        if (&dag->stage[dag->edge[e].child] != stage_of(job, task))
            continue;
        for (uint32_t i = 0; i < from->tasks; i++)
            if ((dag->edge[e].type == BR_BARRIER || i == task - stage_of(job, task)->first_task) &&
                job->state[from->first_task + i] != DONE)
                return false;
    }
    return true;
}

static void become_ready(struct model_job *job)
{
    for (uint32_t t = 0; t < job->tasks; t++)
        if (job->state[t] == WAITING && parents_done(job, t))
            job->state[t] = READY;
}

/* The longest path from the task's start to the end of the job, from those of what comes after. */
static int64_t path(const struct model_job *job, uint32_t task, const int64_t *longest)
{
    const struct br_dag *dag = job->dag;
    int64_t most = 0;
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_stage *to = &dag->stage[dag->edge[e].child];
        if (&dag->stage[dag->edge[e].parent] != stage_of(job, task))
            continue;
        for (uint32_t i = 0; i < to->tasks; i++)
            if ((dag->edge[e].type == BR_BARRIER || i == task - stage_of(job, task)->first_task) &&
                longest[to->first_task + i] > most)
                most = longest[to->first_task + i];
    }
    return most + dag->duration_ns[task];
}

/* Stages in topological order, then tasks by number. */
static uint32_t position(const struct br_dag *dag, uint32_t task)
{
    uint32_t k = 0;
    while (dag->topological[k] != br_dag_task_stage(dag, task))
        k++;
    return k * TASKS + task;
}

void model_take_job(struct model *m, uint32_t number, const struct br_dag *dag,
                    const struct br_plan *plan, uint32_t group)
{
    struct model_job *job = &m->job[number];
    *job = (struct model_job){
        .here = true, .dag = dag, .plan = plan, .group = group, .tasks = dag->tasks};
    int64_t longest[TASKS] = {0};
    for (uint32_t p = dag->stages; p-- > 0;) {
        const struct br_stage *s = &dag->stage[dag->topological[p]];
        for (uint32_t i = 0; i < s->tasks; i++)
            longest[s->first_task + i] = path(job, s->first_task + i, longest);
    }
    for (uint32_t t = 0; t < job->tasks; t++) {
        const struct br_stage *s = stage_of(job, t);
        for (uint32_t d = s->first_demand; d < s->first_demand + s->demands; d++) {
            uint32_t r = 0;
            if (!dag->demand[d].amount.mantissa)
                continue;
            while (strcmp(m->name[r], dag->resource[dag->demand[d].resource].name) != 0)
                r++;
            job->demand[t][r] = scaled(dag->demand[d].amount, m->digits[r]);
        }
        for (uint32_t r = 0; r < m->resources; r++) {
            double part = job->demand[t][r] ? (double)job->demand[t][r] / m->total[r] : 0;
            job->work[t] += part;
            job->share[t] = part > job->share[t] ? part : job->share[t];
        }
    }
    for (uint32_t s = 0; s < dag->stages; s++)
        job->mean_packing +=
            dag->stage[s].tasks * job->work[dag->stage[s].first_task] * m->cluster->machines;
    job->mean_packing /= job->tasks;
    for (uint32_t t = 0; t < job->tasks; t++) {
        if (plan) {
            job->rank[plan->order[t]] = t;
            job->due_ns[t] = plan->start_ns[t];
            continue;
        }
        for (uint32_t u = 0; u < job->tasks; u++)
            job->rank[t] += longest[u] > longest[t] ||
                            (longest[u] == longest[t] && position(dag, u) < position(dag, t));
    }
    become_ready(job);
}

/* ---- Events ---- */

uint32_t model_count(const struct model_job *job, uint32_t state)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < job->tasks; t++)
        n += job->state[t] == state;
    return n;
}

uint32_t model_group_count(const struct model *m, uint32_t group, uint32_t state)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < JOBS; j++)
        if (m->job[j].here && m->job[j].group == group)
            n += model_count(&m->job[j], state);
    return n;
}

/* Who wants nothing is owed nothing. */
static void forgive(struct model *m, uint32_t group)
{
    if (!model_group_count(m, group, WAITING) && !model_group_count(m, group, READY) &&
        !model_group_count(m, group, RUNNING))
        m->deficit[group] = 0;
}

void model_begin(struct model *m, struct model_job *job, uint32_t task)
{
    if (job->begun || !job->plan)
        return;
    job->begun = true;
    job->began_ns = m->now_ns - job->due_ns[task];
}

void model_start(struct model *m, uint32_t number, uint32_t task, uint32_t machine)
{
    struct model_job *job = &m->job[number];
    model_begin(m, job, task);
    job->state[task] = RUNNING;
    job->machine[task] = machine;
    job->started_ns[task] = m->now_ns - job->began_ns;
    for (uint32_t r = 0; r < m->resources; r++)
        m->free[machine][r] -= job->demand[task][r];
    forgive(m, job->group);
}

void model_finish(struct model *m, uint32_t number, uint32_t task, uint32_t state)
{
    struct model_job *job = &m->job[number];
    job->state[task] = state;
    for (uint32_t r = 0; r < m->resources; r++)
        m->free[job->machine[task]][r] += job->demand[task][r];
    if (state == READY) {
        /* It is due now, without the rest being late. */
        if (job->due_ns[task] < m->now_ns - job->began_ns)
            job->due_ns[task] = m->now_ns - job->began_ns;
    }
    become_ready(job);
    forgive(m, job->group);
}
