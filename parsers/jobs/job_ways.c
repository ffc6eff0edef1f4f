/* Alternatives as they are read. */
#include "parsers/jobs/job_ways.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/text/value.h"
#include "planner/model/dag_build.h"

enum br_status br_job_ways_classes(struct br_dag *dag, uint32_t stage, uint32_t alternative,
                                   struct br_xml *xml)
{
    const char *classes = br_xml_attribute(xml, "class");
    return classes ? br_dag_set_classes(dag, stage, alternative, classes, xml->diag) : BR_OK;
}

enum br_status br_job_ways_start(struct br_job_ways *ways, struct br_dag *dag, uint32_t stage,
                                 struct br_xml *xml)
{
    const char *id = br_xml_attribute(xml, "id"), *duration = br_xml_attribute(xml, "duration");
    int64_t ns = BR_STAGE_DURATION;
    char owner[200];
    enum br_status status = BR_OK;
    if (!id)
        return br_fail(xml->diag, BR_BAD_INPUT, "write <alternative id=\"...\">",
                       "an <alternative> of stage '%.80s' has no attribute 'id'",
                       br_dag_stage_id(dag, stage));
    snprintf(owner, sizeof owner, "alternative '%.80s' of stage '%.80s'", id,
             br_dag_stage_id(dag, stage));
    if (duration)
        status = br_value_seconds(duration, "duration", owner, &ns, xml->diag);
    if (!status && duration && ns < 0)
        status = br_fail(xml->diag, BR_BAD_INPUT, "durations are 0 or more", "%s lasts %.40s s",
                         owner, duration);
    if (!status)
        status = br_dag_add_alternative(dag, stage, id, ns, &ways->alternative, xml->diag);
    if (status)
        return status;
    br_dag_set_alternative_pos(dag, xml->pos);
    return br_job_ways_classes(dag, stage, ways->alternative, xml);
}

enum br_status br_job_ways_demand(struct br_dag *dag, uint32_t stage, uint32_t alternative,
                                  struct br_xml *xml)
{
    const char *resource = br_xml_attribute(xml, "resource");
    const char *amount = br_xml_attribute(xml, "amount");
    const char *consume = br_xml_attribute(xml, "consume");
    bool taken = false;
    char owner[100];
    enum br_status status = BR_OK;
    snprintf(owner, sizeof owner, "a demand of stage '%.60s'", br_dag_stage_id(dag, stage));
    if (consume)
        status = br_value_choice(consume, "consume", owner, "yes", "no", &taken, xml->diag);
    if (status)
        return status;
    if (taken)
        return br_dag_add_consumed(dag, stage, alternative, resource, amount, xml->diag);
    if (alternative == BR_WHOLE_STAGE)
        return br_dag_add_demand(dag, stage, resource, amount, xml->diag);
    return br_dag_add_alternative_demand(dag, stage, alternative, resource, amount, xml->diag);
}

enum br_status br_job_ways_duration(struct br_job_ways *ways, struct br_arena *arena,
                                    const struct br_dag *dag, uint32_t stage, uint32_t index,
                                    int64_t duration_ns, struct br_xml *xml)
{
    struct br_waiting_duration waiting = {
        .stage = stage,
        .index = index,
        .alternative = br_arena_text(arena, br_xml_attribute(xml, "alternative")),
        .duration_ns = duration_ns,
        .before = dag->build->overrides,
        .pos = xml->pos};
    if (!waiting.alternative ||
        !br_grow(&ways->duration, ways->durations, &ways->room, sizeof *ways->duration))
        return br_fail_memory(xml->diag);
    ways->duration[ways->durations++] = waiting;
    return BR_OK;
}

/* The number of the alternative in its stage; UINT32_MAX if there is none. */
static uint32_t ways_find(const struct br_dag *dag, uint32_t stage, const char *id, uint32_t *near)
{
    const struct br_alternatives *all = dag->alternatives;
    uint32_t number = 0;
    if (!all)
        return UINT32_MAX;
    /* Those of one stage stand together, since an element is not left before its end. */
    if (*near >= all->alternatives || all->given[*near].stage != stage)
        for (*near = 0; *near < all->alternatives && all->given[*near].stage != stage;)
            ++*near;
    for (uint32_t k = *near; k < all->alternatives && all->given[k].stage == stage; k++, number++)
        if (strcmp(all->given[k].id, id) == 0)
            return number;
    return UINT32_MAX;
}

enum br_status br_job_ways_finish(struct br_job_ways *ways, struct br_dag *dag,
                                  struct br_diag *diag)
{
    enum br_status status = BR_OK;
    uint32_t near = 0;
    for (uint32_t k = 0; k < ways->durations && !status; k++) {
        const struct br_waiting_duration *waiting = &ways->duration[k];
        const uint32_t number = ways_find(dag, waiting->stage, waiting->alternative, &near);
        br_value_place(diag, waiting->pos);
        if (number == UINT32_MAX)
            return br_fail(diag, BR_BAD_INPUT, "name an alternative of its stage",
                           "task %.80s[%" PRIu32 "] has a duration by '%.80s', which is none of "
                           "its stage's alternatives",
                           br_dag_stage_id(dag, waiting->stage), waiting->index,
                           waiting->alternative);
        status = br_dag_set_alternative_duration(dag, waiting->stage, number, waiting->index,
                                                 waiting->duration_ns, diag);
        if (!status)
            dag->alternatives->duration[dag->alternatives->durations - 1].before = waiting->before;
    }
    return status;
}
