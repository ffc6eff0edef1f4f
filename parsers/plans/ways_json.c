/* The alternatives of a stage in JSON. */
#include "parsers/plans/plan_reader.h"

#include <stdlib.h>
#include <string.h>

/* Whose amounts or durations are read. */
struct way_of {
    struct br_plan_reader *reader;
    uint32_t stage, alternative; /* BR_WHOLE_STAGE: the stage itself */
    char *classes;               /* names so far, with blanks between them */
};

static bool read_amounts(const struct way_of *way, const struct br_json_field *field, bool consumed)
{
    struct br_plan_reader *r = way->reader;
    struct br_json *json = &r->json;
    if (!br_json_go(json, field))
        return !json->status;
    br_json_object(json, field->name);
    while (br_json_member(json)) {
        br_json_peek(json);
        const char *at = json->at;
        if (br_json_scalar(json, "an amount"))
            br_json_take(json, at,
                         consumed
                             ? br_dag_add_consumed(r->dag, way->stage, way->alternative, json->key,
                                                   json->text, r->diag)
                             : br_dag_add_alternative_demand(r->dag, way->stage, way->alternative,
                                                             json->key, json->text, r->diag));
    }
    return !json->status;
}

static bool read_class_name(void *context, uint32_t k)
{
    struct way_of *way = context;
    struct br_json *json = &way->reader->json;
    if (!br_json_string(json, "a class's name"))
        return false;
    const size_t used = way->classes ? strlen(way->classes) : 0;
    char *longer = realloc(way->classes, used + strlen(json->text) + 2);
    if (!longer)
        return br_json_take(json, json->at, br_fail_memory(way->reader->diag));
    way->classes = longer;
    strcpy(longer + used, k ? " " : "");
    strcat(longer, json->text);
    return true;
}

static bool read_classes(struct way_of *way, const struct br_json_field *field)
{
    struct br_plan_reader *r = way->reader;
    bool ok = br_json_each(&r->json, field, "the classes", read_class_name, way);
    if (ok && field->at)
        ok = br_json_take(
            &r->json, field->at,
            br_dag_set_classes(r->dag, way->stage, way->alternative, way->classes, r->diag));
    free(way->classes);
    way->classes = NULL;
    return ok;
}

static bool read_way_duration(void *context, uint32_t k)
{
    const struct way_of *way = context;
    struct br_plan_reader *r = way->reader;
    struct br_json *json = &r->json;
    struct br_json_field f[] = {{"index", true, NULL}, {"duration", true, NULL}};
    uint64_t index = 0;
    int64_t duration_ns = 0;
    if (!br_json_fields(json, "a duration", f, 2))
        return false;
    const char *after = json->at;
    if (br_json_optional_count(json, &f[0], UINT32_MAX, &index) &&
        br_json_optional_seconds(json, &f[1], &duration_ns))
        br_json_take(json, f[0].at,
                     br_dag_set_alternative_duration(r->dag, way->stage, way->alternative,
                                                     (uint32_t)index, duration_ns, r->diag));
    json->at = after;
    return !json->status;
}

static bool read_way(void *context, uint32_t k)
{
    struct way_of *way = context;
    struct br_plan_reader *r = way->reader;
    struct br_json *json = &r->json;
    enum { ID, DURATION, DEMANDS, DURATIONS, CONSUMED, CLASSES, FIELDS };
    struct br_json_field f[FIELDS] = {
        [ID] = {"id", true, NULL},
        [DURATION] = {"duration", false, NULL},
        [DEMANDS] = {"demands", false, NULL},
        [DURATIONS] = {"durations", false, NULL},
        [CONSUMED] = {"consumed", false, NULL},
        [CLASSES] = {"classes", false, NULL},
    };
    int64_t duration_ns = BR_STAGE_DURATION;
    br_json_peek(json);
    const struct br_pos pos = br_json_pos(json, json->at);
    if (!br_json_fields(json, "an alternative", f, FIELDS))
        return false;
    const char *after = json->at;
    if (!br_json_optional_seconds(json, &f[DURATION], &duration_ns))
        return false;
    if (br_json_go(json, &f[ID]) && br_json_string(json, "an alternative's id"))
        br_json_take(json, f[ID].at,
                     br_dag_add_alternative(r->dag, way->stage, json->text, duration_ns,
                                            &way->alternative, r->diag));
    if (json->status)
        return false;
    br_dag_set_alternative_pos(r->dag, pos);
    if (!read_amounts(way, &f[DEMANDS], false) || !read_amounts(way, &f[CONSUMED], true) ||
        !read_classes(way, &f[CLASSES]) ||
        !br_json_each(json, &f[DURATIONS], "the durations", read_way_duration, way))
        return false;
    json->at = after;
    return !json->status;
}

bool br_plan_read_ways(struct br_plan_reader *r, uint32_t stage,
                       const struct br_json_field field[BR_PLAN_WAYS])
{
    struct way_of whole = {r, stage, BR_WHOLE_STAGE, NULL}, way = whole;
    return read_amounts(&whole, &field[BR_PLAN_CONSUMED], true) &&
           read_classes(&whole, &field[BR_PLAN_CLASSES]) &&
           br_json_each(&r->json, &field[BR_PLAN_ALTERNATIVES], "the alternatives", read_way, &way);
}
