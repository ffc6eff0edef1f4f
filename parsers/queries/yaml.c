/* EXPLAIN (FORMAT YAML), by libyaml: a list of queries. */
#include <string.h>
#include <yaml.h>

#include "parsers/queries/explain.h"

enum { NAME_ROOM = 64, MOST_NESTED = 30 };

struct reader {
    struct br_explain *explain;
    yaml_parser_t parser;
    yaml_event_t event; /* the last one; owned */
    struct br_pos pos;  /* of it */
};

static struct br_pos yaml_place(yaml_mark_t mark)
{
    return (struct br_pos){(uint32_t)mark.line + 1, (uint32_t)mark.column + 1};
}

/* Moves to the next event. */
static enum br_status yaml_next(struct reader *yaml)
{
    struct br_diag *diag = yaml->explain->diag;
    yaml_event_delete(&yaml->event);
    if (yaml_parser_parse(&yaml->parser, &yaml->event)) {
        yaml->pos = yaml_place(yaml->event.start_mark);
        return yaml->event.type == YAML_ALIAS_EVENT
                   ? br_fail_at(diag, yaml->pos, BR_BAD_INPUT, "write it by EXPLAIN (FORMAT YAML)",
                                "a plan has no aliases")
                   : BR_OK;
    }
    memset(&yaml->event, 0, sizeof yaml->event);
    if (yaml->parser.error == YAML_MEMORY_ERROR)
        return br_fail_memory(diag);
    return br_fail_at(diag, yaml_place(yaml->parser.problem_mark), BR_BAD_INPUT, NULL,
                      "this is no YAML: %.100s",
                      yaml->parser.problem ? yaml->parser.problem : "it ends early");
}

static bool is(const struct reader *yaml, yaml_event_type_t type)
{
    return yaml->event.type == type;
}

static enum br_status yaml_expect(struct reader *yaml, yaml_event_type_t type, const char *what)
{
    return is(yaml, type) ? BR_OK
                          : br_fail_at(yaml->explain->diag, yaml->pos, BR_BAD_INPUT,
                                       "write it by EXPLAIN (FORMAT YAML)", "expected %s", what);
}

static const char *scalar(const struct reader *yaml)
{
    return (const char *)yaml->event.data.scalar.value;
}

/* Moves to the next key of the mapping, and on to its value; *more is false at the end. */
static enum br_status next_member(struct reader *yaml, char name[NAME_ROOM], bool *more)
{
    enum br_status status = yaml_next(yaml);
    *more = !status && !is(yaml, YAML_MAPPING_END_EVENT);
    if (!*more)
        return status;
    status = yaml_expect(yaml, YAML_SCALAR_EVENT, "a name");
    if (status)
        return status;
    size_t length = strlen(scalar(yaml));
    length = length < NAME_ROOM ? length : NAME_ROOM - 1; /* names that count are shorter */
    memcpy(name, scalar(yaml), length);
    name[length] = 0;
    return yaml_next(yaml);
}

/* A value of any kind whose first event is there: a node's property, or one of a query, which is a
 * setting if it is nested. */
static enum br_status yaml_read_value(struct reader *yaml, const char *name, uint32_t depth)
{
    char inner[NAME_ROOM];
    bool more = true;
    enum br_status status = BR_OK;
    if (depth > MOST_NESTED)
        return br_fail_at(yaml->explain->diag, yaml->pos, BR_BAD_INPUT, NULL,
                          "'%s' is nested more than %d deep", name, MOST_NESTED);
    if (is(yaml, YAML_SCALAR_EVENT)) {
        if (yaml->explain->open != BR_NO_NODE)
            return br_explain_property(yaml->explain, yaml->pos, name, scalar(yaml), depth > 0);
        return br_explain_setting(yaml->explain, yaml->pos, name, scalar(yaml));
    }
    if (is(yaml, YAML_MAPPING_START_EVENT)) {
        while (!status && !(status = next_member(yaml, inner, &more)) && more)
            status = yaml_read_value(yaml, inner, depth + 1);
        return status;
    }
    status = yaml_expect(yaml, YAML_SEQUENCE_START_EVENT, "a value");
    while (!status && !(status = yaml_next(yaml)) && !is(yaml, YAML_SEQUENCE_END_EVENT))
        status = yaml_read_value(yaml, "", depth + 1);
    return status;
}

static enum br_status yaml_read_node(struct reader *yaml)
{
    char name[NAME_ROOM];
    bool more = true;
    enum br_status status = yaml_expect(yaml, YAML_MAPPING_START_EVENT, "a node");
    if (!status)
        status = br_explain_begin_node(yaml->explain, yaml->pos);
    while (!status && !(status = next_member(yaml, name, &more)) && more) {
        /* If it has none of those that it could have, nothing stands behind the name. */
        bool none = is(yaml, YAML_SCALAR_EVENT) && *scalar(yaml) == 0;
        if (strcmp(name, "Plans") != 0 || none) {
            status = yaml_read_value(yaml, name, 0);
            continue;
        }
        status = yaml_expect(yaml, YAML_SEQUENCE_START_EVENT, "the nodes below");
        while (!status && !(status = yaml_next(yaml)) && !is(yaml, YAML_SEQUENCE_END_EVENT))
            status = yaml_read_node(yaml);
    }
    return status ? status : br_explain_end_node(yaml->explain);
}

static enum br_status yaml_read_triggers(struct reader *yaml)
{
    char name[NAME_ROOM];
    bool more = true;
    enum br_status status = yaml_expect(yaml, YAML_SEQUENCE_START_EVENT, "the triggers");
    while (!status && !(status = yaml_next(yaml)) && !is(yaml, YAML_SEQUENCE_END_EVENT)) {
        status = yaml_expect(yaml, YAML_MAPPING_START_EVENT, "a trigger");
        while (!status && !(status = next_member(yaml, name, &more)) && more)
            status = is(yaml, YAML_SCALAR_EVENT)
                         ? br_explain_trigger(yaml->explain, yaml->pos, name, scalar(yaml))
                         : yaml_read_value(yaml, name, 1);
    }
    return status;
}

static enum br_status yaml_read_serialization(struct reader *yaml)
{
    char name[NAME_ROOM];
    bool more = true;
    enum br_status status = BR_OK;
    while (!status && !(status = next_member(yaml, name, &more)) && more)
        status =
            is(yaml, YAML_SCALAR_EVENT) && strcmp(name, "Time") == 0
                ? br_explain_summary(yaml->explain, yaml->pos, "Serialization Time", scalar(yaml))
                : yaml_read_value(yaml, name, 1);
    return status;
}

static enum br_status read_of_query(struct reader *yaml, const char *name)
{
    if (strcmp(name, "Plan") == 0)
        return yaml_read_node(yaml);
    /* If there are none, nothing stands behind the name. */
    if (strcmp(name, "Triggers") == 0 && is(yaml, YAML_SEQUENCE_START_EVENT))
        return yaml_read_triggers(yaml);
    if (strcmp(name, "Serialization") == 0 && is(yaml, YAML_MAPPING_START_EVENT))
        return yaml_read_serialization(yaml);
    if (is(yaml, YAML_SCALAR_EVENT))
        return br_explain_summary(yaml->explain, yaml->pos, name, scalar(yaml));
    return yaml_read_value(yaml, name, 0);
}

static enum br_status yaml_read_query(struct reader *yaml)
{
    char name[NAME_ROOM];
    bool more = true;
    struct br_pos pos = yaml->pos;
    enum br_status status = yaml_expect(yaml, YAML_MAPPING_START_EVENT, "a query");
    if (!status)
        status = br_explain_begin_query(yaml->explain);
    while (!status && !(status = next_member(yaml, name, &more)) && more)
        status = read_of_query(yaml, name);
    return status ? status : br_explain_end_query(yaml->explain, pos);
}

enum br_status br_read_explain_yaml(struct br_explain *explain, char *text, size_t size)
{
    struct reader yaml = {.explain = explain};
    if (!yaml_parser_initialize(&yaml.parser))
        return br_fail_memory(explain->diag);
    yaml_parser_set_input_string(&yaml.parser, (const unsigned char *)text, size);
    yaml_parser_set_encoding(&yaml.parser, YAML_UTF8_ENCODING);
    enum br_status status = yaml_next(&yaml);
    while (!status && !is(&yaml, YAML_STREAM_END_EVENT)) {
        if (is(&yaml, YAML_SEQUENCE_START_EVENT))
            while (!(status = yaml_next(&yaml)) && !is(&yaml, YAML_SEQUENCE_END_EVENT) &&
                   !(status = yaml_read_query(&yaml)))
                ;
        else if (is(&yaml, YAML_MAPPING_START_EVENT)) /* as auto_explain writes it */
            status = yaml_read_query(&yaml);
        else if (is(&yaml, YAML_SCALAR_EVENT))
            status = yaml_expect(&yaml, YAML_SEQUENCE_START_EVENT, "a list of queries");
        if (!status)
            status = yaml_next(&yaml);
    }
    yaml_event_delete(&yaml.event);
    yaml_parser_delete(&yaml.parser);
    return status;
}
