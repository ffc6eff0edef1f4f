/* Alternatives, classes and what is consumed: given in any order, merged with what their stages say
 * when the job is finished. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "planner/model/cluster/amount.h"
#include "planner/model/dag_build.h"

static const char blanks[] = " \t\r\n";

/* Durations of all tasks by all alternatives that one job may have. */
static const uint64_t most_durations = UINT64_C(200000000);

static struct br_alternatives *alternatives_of(struct br_dag *dag)
{
    if (!dag->alternatives)
        dag->alternatives = br_calloc(1, sizeof *dag->alternatives);
    return dag->alternatives;
}

enum br_status br_dag_add_alternative(struct br_dag *dag, uint32_t stage, const char *id,
                                      int64_t duration_ns, uint32_t *alternative,
                                      struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    enum br_status status = br_dag_refuse_stage(dag, stage, diag);
    if (status)
        return status;
    struct br_stage *s = &dag->stage[stage];
    if (!id || !*id || id[strcspn(id, blanks)])
        return br_fail(diag, BR_BAD_INPUT, "give every alternative an id without blanks",
                       "an alternative of stage '%.80s' has the id '%.80s'", s->id, id ? id : "");
    if (duration_ns < 0)
        return br_fail(diag, BR_BAD_INPUT, "durations are 0 or more",
                       "alternative '%.80s' of stage '%.80s' lasts %g s", id, s->id,
                       (double)duration_ns / 1e9);
    if (s->alternatives == BR_MAX_ALTERNATIVES)
        return br_fail(diag, BR_BAD_INPUT, "leave out those that are never better",
                       "alternative '%.80s' is one more of stage '%.80s' than %d, the most that "
                       "are planned",
                       id, s->id, BR_MAX_ALTERNATIVES);
    struct br_alternatives *all = alternatives_of(dag);
    if (!all)
        return br_fail_memory(diag);
    /* Others are found when the job is finished. */
    for (uint32_t k = all->alternatives; k-- > 0 && all->given[k].stage == stage;)
        if (strcmp(all->given[k].id, id) == 0)
            return br_fail(diag, BR_BAD_INPUT, "give every alternative of a stage an id of its own",
                           "stage '%.80s' has two alternatives '%.80s'", s->id, id);
    const char *copy = br_arena_text(&dag->arena, id);
    if (!copy ||
        !br_grow(&all->given, all->alternatives, &all->alternative_room, sizeof *all->given))
        return br_fail_memory(diag);
    all->given[all->alternatives++] =
        (struct br_given_alternative){.stage = stage, .id = copy, .duration_ns = duration_ns};
    if (alternative)
        *alternative = s->alternatives;
    s->alternatives++;
    return BR_OK;
}

void br_dag_set_alternative_pos(struct br_dag *dag, struct br_pos pos)
{
    struct br_alternatives *all = dag->alternatives;
    all->given[all->alternatives - 1].pos = pos;
}

static enum br_status refuse_alternative(const struct br_dag *dag, uint32_t stage,
                                         uint32_t alternative, bool whole, struct br_diag *diag)
{
    enum br_status status = br_dag_refuse_stage(dag, stage, diag);
    if (status || (whole && alternative == BR_WHOLE_STAGE))
        return status;
    if (alternative >= dag->stage[stage].alternatives)
        return br_fail(diag, BR_USAGE, NULL, "stage '%.80s' has no alternative number %" PRIu32,
                       dag->stage[stage].id, alternative);
    return BR_OK;
}

static enum br_status add_amount(struct br_dag *dag, uint32_t stage, uint32_t alternative,
                                 const char *resource, const char *amount, bool consumed,
                                 struct br_diag *diag)
{
    char owner[140];
    struct br_given_amount given = {
        .stage = stage, .alternative = alternative, .consumed = consumed};
    snprintf(owner, sizeof owner, "%s of stage '%.80s'",
             alternative == BR_WHOLE_STAGE ? "a demand" : "an alternative", dag->stage[stage].id);
    enum br_status status = br_amount_read(owner, resource, amount, &given.amount, diag);
    if (!status)
        status = br_dag_demand_resource(dag, resource, amount, &given.resource, diag);
    if (status)
        return status;
    struct br_alternatives *all = alternatives_of(dag);
    if (!all)
        return br_fail_memory(diag);
    for (uint32_t k = all->amounts; k-- > 0;) {
        const struct br_given_amount *other = &all->amount[k];
        if (other->stage != stage || other->alternative != alternative)
            break;
        if (other->resource == given.resource)
            return br_fail(diag, BR_BAD_INPUT,
                           "give each resource once: it is held while a task runs, or consumed",
                           "%s has two amounts of %.80s", owner, resource);
    }
    if (!br_grow(&all->amount, all->amounts, &all->amount_room, sizeof given))
        return br_fail_memory(diag);
    all->amount[all->amounts++] = given;
    return BR_OK;
}

enum br_status br_dag_add_alternative_demand(struct br_dag *dag, uint32_t stage,
                                             uint32_t alternative, const char *resource,
                                             const char *amount, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    enum br_status status = refuse_alternative(dag, stage, alternative, false, diag);
    return status ? status : add_amount(dag, stage, alternative, resource, amount, false, diag);
}

enum br_status br_dag_add_consumed(struct br_dag *dag, uint32_t stage, uint32_t alternative,
                                   const char *resource, const char *amount, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    enum br_status status = refuse_alternative(dag, stage, alternative, true, diag);
    return status ? status : add_amount(dag, stage, alternative, resource, amount, true, diag);
}

enum br_status br_dag_set_classes(struct br_dag *dag, uint32_t stage, uint32_t alternative,
                                  const char *classes, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    enum br_status status = refuse_alternative(dag, stage, alternative, true, diag);
    if (status)
        return status;
    if (!classes || !classes[strspn(classes, blanks)])
        return br_fail(diag, BR_BAD_INPUT, "name a class of machines, or leave it out for any",
                       "stage '%.80s' names no class of machines", dag->stage[stage].id);
    struct br_alternatives *all = alternatives_of(dag);
    const char *copy = br_arena_text(&dag->arena, classes);
    if (!all || !copy ||
        !br_grow(&all->classes, all->given_classes, &all->classes_room, sizeof *all->classes))
        return br_fail_memory(diag);
    all->classes[all->given_classes++] = (struct br_given_classes){stage, alternative, copy};
    return BR_OK;
}

enum br_status br_dag_set_alternative_duration(struct br_dag *dag, uint32_t stage,
                                               uint32_t alternative, uint32_t index,
                                               int64_t duration_ns, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    enum br_status status = refuse_alternative(dag, stage, alternative, false, diag);
    if (status)
        return status;
    const struct br_stage *s = &dag->stage[stage];
    if (index >= s->tasks)
        return br_fail(diag, BR_BAD_INPUT, "indices count from 0",
                       "stage '%.80s' has %" PRIu32 " tasks, there is none with index %" PRIu32,
                       s->id, s->tasks, index);
    if (duration_ns < 0)
        return br_fail(diag, BR_BAD_INPUT, "durations are 0 or more",
                       "task %.80s[%" PRIu32 "] lasts %g s", s->id, index,
                       (double)duration_ns / 1e9);
    struct br_alternatives *all = dag->alternatives;
    if (!br_grow(&all->duration, all->durations, &all->duration_room, sizeof *all->duration))
        return br_fail_memory(diag);
    all->duration[all->durations++] = (struct br_given_way_duration){
        stage, alternative, index, duration_ns, dag->build->overrides};
    return BR_OK;
}

enum br_status br_dag_scale_durations(struct br_dag *dag, const uint32_t *thousandths,
                                      uint32_t most, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t o = 0; o < dag->build->overrides && !status; o++) {
        const struct br_override set = dag->build->override[o];
        uint32_t way = 0;
        for (uint32_t k = 0; k < most && !status; k++) {
            const uint32_t part = thousandths[(size_t)set.stage * most + k];
            if (part)
                status = br_dag_set_alternative_duration(dag, set.stage, way++, set.task_of_stage,
                                                         set.duration_ns / 1000 * part, diag);
        }
    }
    return status;
}

/* ---- Finishing ---- */

/* What was given, by stage, in the order given. */
struct by_stage {
    uint32_t *amount_first, *classes_first;
    struct br_given_amount *amount;
    struct br_given_classes *classes;
    uint32_t demand_room, consumed_room, class_room, demands, consumed, names;
};

static bool sort_amounts(const struct br_dag *dag, struct by_stage *by)
{
    const struct br_alternatives *all = dag->alternatives;
    uint32_t *first = by->amount_first = br_calloc(br_csr_room(dag->stages), sizeof *first);
    by->amount = br_malloc(((size_t)all->amounts + 1) * sizeof *by->amount);
    if (!first || !by->amount)
        return false;
    for (uint32_t k = 0; k < all->amounts; k++)
        br_csr_count(first, all->amount[k].stage);
    br_csr_sum(first, dag->stages);
    for (uint32_t k = 0; k < all->amounts; k++)
        by->amount[br_csr_place(first, all->amount[k].stage)] = all->amount[k];
    return true;
}

static bool sort_classes(const struct br_dag *dag, struct by_stage *by)
{
    const struct br_alternatives *all = dag->alternatives;
    uint32_t *first = by->classes_first = br_calloc(br_csr_room(dag->stages), sizeof *first);
    by->classes = br_malloc(((size_t)all->given_classes + 1) * sizeof *by->classes);
    if (!first || !by->classes)
        return false;
    for (uint32_t k = 0; k < all->given_classes; k++)
        br_csr_count(first, all->classes[k].stage);
    br_csr_sum(first, dag->stages);
    for (uint32_t k = 0; k < all->given_classes; k++)
        by->classes[br_csr_place(first, all->classes[k].stage)] = all->classes[k];
    return true;
}

/* Lays out the alternatives, grouped by stage: those with names, or the one that a stage is. */
static enum br_status lay_out(struct br_dag *dag, struct br_diag *diag)
{
    struct br_alternatives *all = dag->alternatives;
    uint64_t count = 0, durations = 0;
    for (uint32_t s = 0; s < dag->stages; s++)
        count += dag->stage[s].alternatives ? dag->stage[s].alternatives : 1;
    if (count >= UINT32_MAX)
        return br_fail(diag, BR_BAD_INPUT, "leave some out", "the job has too many alternatives");
    all->count = (uint32_t)count;
    all->alternative = br_calloc((size_t)count + 1, sizeof *all->alternative);
    uint32_t *first = all->stage_first = br_calloc(br_csr_room(dag->stages), sizeof *first);
    if (!all->alternative || !first)
        return br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t k = 0; k == 0 || k < dag->stage[s].alternatives; k++)
            br_csr_count(first, s);
    br_csr_sum(first, dag->stages);
    for (uint32_t k = 0; k < all->alternatives; k++) {
        const struct br_given_alternative *given = &all->given[k];
        const struct br_stage *stage = &dag->stage[given->stage];
        all->alternative[br_csr_place(first, given->stage)] = (struct br_alternative){
            .stage = given->stage,
            .id = given->id,
            .duration_ns =
                given->duration_ns == BR_STAGE_DURATION ? stage->duration_ns : given->duration_ns,
            .first_duration = durations,
            .pos = given->pos.line ? given->pos : stage->pos};
        durations += stage->tasks;
    }
    for (uint32_t s = 0; s < dag->stages; s++)
        if (!dag->stage[s].alternatives)
            all->alternative[br_csr_place(first, s)] = (struct br_alternative){
                .stage = s, .duration_ns = dag->stage[s].duration_ns, .pos = dag->stage[s].pos};
    all->named = all->alternatives > 0;
    if (durations > most_durations)
        return br_fail(diag, BR_BAD_INPUT, "leave some alternatives out",
                       "the tasks of the job have %" PRIu64
                       " durations by alternative, more than %" PRIu64,
                       durations, most_durations);
    all->duration_ns = br_malloc((size_t)(durations + 1) * sizeof *all->duration_ns);
    return all->duration_ns ? BR_OK : br_fail_memory(diag);
}

static enum br_status refuse_same_ids(const struct br_dag *dag, struct br_diag *diag)
{
    const struct br_alternatives *all = dag->alternatives;
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t k = 1; k < dag->stage[s].alternatives; k++) {
            const struct br_alternative *a = &all->alternative[all->stage_first[s] + k];
            for (uint32_t o = all->stage_first[s]; o < all->stage_first[s] + k; o++)
                if (strcmp(all->alternative[o].id, a->id) == 0)
                    return br_fail_at(diag, a->pos, BR_BAD_INPUT,
                                      "give every alternative of a stage an id of its own",
                                      "stage '%.80s' has two alternatives '%.80s'",
                                      dag->stage[s].id, a->id);
        }
    return BR_OK;
}

/* Puts the amount into the run that begins at `first`, in place of another of its resource. */
static bool put_amount(struct br_way_amount **list, uint32_t first, uint32_t *count, uint32_t *room,
                       uint32_t resource, struct br_decimal amount)
{
    for (uint32_t k = first; k < *count; k++)
        if ((*list)[k].resource == resource) {
            (*list)[k].amount = amount;
            return true;
        }
    if (!br_grow(list, *count, room, sizeof **list))
        return false;
    (*list)[(*count)++] = (struct br_way_amount){resource, amount};
    return true;
}

/* What the alternative demands and consumes: what the stage says, then what it says itself. */
static bool merge_amounts(struct br_dag *dag, struct by_stage *by, struct br_alternative *a,
                          uint32_t number)
{
    struct br_alternatives *all = dag->alternatives;
    const struct br_stage *stage = &dag->stage[a->stage];
    bool ok = true;
    a->first_demand = by->demands;
    a->first_consumed = by->consumed;
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands && ok; d++)
        ok = put_amount(&all->demand, a->first_demand, &by->demands, &by->demand_room,
                        dag->demand[d].resource, dag->demand[d].amount);
    for (int own = 0; own < 2; own++)
        for (uint32_t k = by->amount_first[a->stage]; k < by->amount_first[a->stage + 1] && ok;
             k++) {
            const struct br_given_amount *given = &by->amount[k];
            if (given->alternative != (own ? number : BR_WHOLE_STAGE))
                continue;
            if (given->consumed)
                ok = put_amount(&all->consumed, a->first_consumed, &by->consumed,
                                &by->consumed_room, given->resource, given->amount);
            else
                ok = put_amount(&all->demand, a->first_demand, &by->demands, &by->demand_room,
                                given->resource, given->amount);
        }
    a->demands = by->demands - a->first_demand;
    a->consumed = by->consumed - a->first_consumed;
    all->any_consumed |= a->consumed > 0;
    return ok;
}

static enum br_status refuse_both(const struct br_dag *dag, const struct br_alternative *a,
                                  struct br_diag *diag)
{
    const struct br_alternatives *all = dag->alternatives;
    for (uint32_t c = a->first_consumed; c < a->first_consumed + a->consumed; c++)
        for (uint32_t d = a->first_demand; d < a->first_demand + a->demands; d++)
            if (all->demand[d].resource == all->consumed[c].resource)
                return br_fail_at(
                    diag, a->pos, BR_BAD_INPUT,
                    "give each resource once: it is held while a task runs, or consumed",
                    "stage '%.80s' both demands and consumes %.80s", dag->stage[a->stage].id,
                    dag->resource[all->demand[d].resource].name);
    return BR_OK;
}

/* The names of the classes: the alternative's own, or else the stage's. */
static bool split_classes(struct br_dag *dag, struct by_stage *by, struct br_alternative *a,
                          uint32_t number)
{
    struct br_alternatives *all = dag->alternatives;
    const char *names = NULL;
    bool own = false;
    for (uint32_t k = by->classes_first[a->stage]; k < by->classes_first[a->stage + 1]; k++) {
        const bool is_own = by->classes[k].alternative != BR_WHOLE_STAGE;
        if (is_own ? by->classes[k].alternative != number : own)
            continue;
        names = by->classes[k].names;
        own |= is_own;
    }
    a->first_class = by->names;
    for (const char *name = names; name && *(name += strspn(name, blanks));) {
        const size_t length = strcspn(name, blanks);
        char *copy = br_arena_alloc(&dag->arena, length + 1);
        if (!copy || !br_grow(&all->class_name, by->names, &by->class_room, sizeof copy))
            return false;
        memcpy(copy, name, length);
        copy[length] = '\0';
        all->class_name[by->names++] = copy;
        name += length;
    }
    a->classes = by->names - a->first_class;
    all->any_class |= a->classes > 0;
    return true;
}

static void put_duration(const struct br_dag *dag, uint32_t stage, uint32_t number, uint32_t index,
                         int64_t duration_ns)
{
    const struct br_alternatives *all = dag->alternatives;
    all->duration_ns[all->alternative[all->stage_first[stage] + number].first_duration + index] =
        duration_ns;
}

/* Durations by alternative, in the order in which they were set, and each task's shortest. */
static void spread_durations(struct br_dag *dag)
{
    const struct br_alternatives *all = dag->alternatives;
    const struct br_dag_build *build = dag->build;
    for (uint32_t a = 0; a < all->count; a++) {
        const struct br_alternative *way = &all->alternative[a];
        for (uint32_t i = 0; way->id && i < dag->stage[way->stage].tasks; i++)
            all->duration_ns[way->first_duration + i] = way->duration_ns;
    }
    for (uint32_t o = 0, k = 0; o <= build->overrides; o++) {
        for (; k < all->durations && all->duration[k].before <= o; k++)
            put_duration(dag, all->duration[k].stage, all->duration[k].alternative,
                         all->duration[k].index, all->duration[k].duration_ns);
        const struct br_override *set = o < build->overrides ? &build->override[o] : NULL;
        for (uint32_t n = 0; set && n < dag->stage[set->stage].alternatives; n++)
            put_duration(dag, set->stage, n, set->task_of_stage, set->duration_ns);
    }
    for (uint32_t a = 0; a < all->count; a++) {
        const struct br_alternative *way = &all->alternative[a];
        const struct br_stage *stage = &dag->stage[way->stage];
        for (uint32_t i = 0; way->id && i < stage->tasks; i++) {
            const int64_t ns = all->duration_ns[way->first_duration + i];
            int64_t *least = &dag->duration_ns[stage->first_task + i];
            if (a == all->stage_first[way->stage] || ns < *least)
                *least = ns;
        }
    }
}

static enum br_status merge_all(struct br_dag *dag, struct by_stage *by, struct br_diag *diag)
{
    struct br_alternatives *all = dag->alternatives;
    enum br_status status = BR_OK;
    for (uint32_t a = 0; a < all->count && !status; a++) {
        struct br_alternative *way = &all->alternative[a];
        const uint32_t number = a - all->stage_first[way->stage];
        if (!merge_amounts(dag, by, way, number) || !split_classes(dag, by, way, number))
            return br_fail_memory(diag);
        status = refuse_both(dag, way, diag);
    }
    return status;
}

enum br_status br_dag_finish_alternatives(struct br_dag *dag, struct br_diag *diag)
{
    struct by_stage by = {0};
    enum br_status status = lay_out(dag, diag);
    if (!status)
        status = refuse_same_ids(dag, diag);
    if (!status && (!sort_amounts(dag, &by) || !sort_classes(dag, &by)))
        status = br_fail_memory(diag);
    if (!status)
        status = merge_all(dag, &by, diag);
    if (!status)
        spread_durations(dag);
    br_free(by.amount_first);
    br_free(by.amount);
    br_free(by.classes_first);
    br_free(by.classes);
    const struct br_alternatives *all = dag->alternatives;
    if (!status && !all->named && !all->any_class && !all->any_consumed) {
        br_alternatives_destroy(dag->alternatives);
        dag->alternatives = NULL;
    }
    return status;
}
