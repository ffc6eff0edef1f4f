/* EXPLAIN (FORMAT JSON): a list of queries, or a single one, as auto_explain writes it; or several
 * such texts in a row. */
#include <string.h>

#include "parsers/queries/explain.h"
#include "parsers/text/json.h"

enum { NAME_ROOM = 64, MOST_NESTED = 30 };

/* Longer names do not matter. */
static void copy_key(const struct br_json *json, char name[NAME_ROOM])
{
    size_t length = strlen(json->key);
    length = length < NAME_ROOM ? length : NAME_ROOM - 1;
    memcpy(name, json->key, length);
    name[length] = 0;
}

/* A string, a number or a word as text, borrowed until the next value is read. */
static bool read_scalar(struct br_json *json, const char **text)
{
    static const char *const words[] = {"true", "false", "null"};
    char first = br_json_peek(json);
    for (size_t w = 0; w < 3; w++)
        if (first == words[w][0]) {
            *text = words[w];
            return br_json_skip(json);
        }
    if (!br_json_scalar(json, "a value"))
        return false;
    *text = json->text;
    return true;
}

static bool queries_json_read_value(struct br_json *json, struct br_explain *explain,
                                    const char *name, uint32_t depth)
{
    char inner[NAME_ROOM], first = br_json_peek(json);
    const char *at = json->at, *text;
    if (depth > MOST_NESTED)
        return br_json_fail(json, at, NULL, "'%s' is nested more than %d deep", name, MOST_NESTED);
    if (first == '{') {
        br_json_object(json, "an object");
        while (br_json_member(json)) {
            copy_key(json, inner);
            queries_json_read_value(json, explain, inner, depth + 1);
        }
    } else if (first == '[') {
        br_json_array(json, "an array");
        while (br_json_item(json))
            queries_json_read_value(json, explain, "", depth + 1);
    } else if (read_scalar(json, &text)) {
        br_json_take(json, at,
                     br_explain_property(explain, br_json_pos(json, at), name, text, depth > 0));
    }
    return !json->status;
}

static bool queries_json_read_node(struct br_json *json, struct br_explain *explain)
{
    char name[NAME_ROOM];
    br_json_peek(json);
    const char *at = json->at;
    if (!br_json_object(json, "a node") ||
        !br_json_take(json, at, br_explain_begin_node(explain, br_json_pos(json, at))))
        return false;
    while (br_json_member(json)) {
        copy_key(json, name);
        if (strcmp(name, "Plans") == 0) {
            br_json_array(json, "the nodes below");
            while (br_json_item(json))
                queries_json_read_node(json, explain);
        } else {
            queries_json_read_value(json, explain, name, 0);
        }
    }
    if (!json->status)
        json->status = br_explain_end_node(explain); /* it has its place */
    return !json->status;
}

static bool queries_json_read_settings(struct br_json *json, struct br_explain *explain)
{
    char name[NAME_ROOM];
    const char *text;
    br_json_object(json, "the settings");
    while (br_json_member(json)) {
        copy_key(json, name);
        br_json_peek(json);
        const char *at = json->at;
        if (read_scalar(json, &text))
            br_json_take(json, at, br_explain_setting(explain, br_json_pos(json, at), name, text));
    }
    return !json->status;
}

static bool queries_json_read_triggers(struct br_json *json, struct br_explain *explain)
{
    char name[NAME_ROOM];
    const char *text;
    br_json_array(json, "the triggers");
    while (br_json_item(json)) {
        br_json_object(json, "a trigger");
        while (br_json_member(json)) {
            copy_key(json, name);
            br_json_peek(json);
            const char *at = json->at;
            if (read_scalar(json, &text))
                br_json_take(json, at,
                             br_explain_trigger(explain, br_json_pos(json, at), name, text));
        }
    }
    return !json->status;
}

static bool queries_json_read_summary(struct br_json *json, struct br_explain *explain,
                                      const char *name)
{
    const char *text;
    br_json_peek(json);
    const char *at = json->at;
    return read_scalar(json, &text) &&
           br_json_take(json, at, br_explain_summary(explain, br_json_pos(json, at), name, text));
}

static bool queries_json_read_serialization(struct br_json *json, struct br_explain *explain)
{
    br_json_object(json, "the serialization");
    while (br_json_member(json)) {
        if (strcmp(json->key, "Time") == 0)
            queries_json_read_summary(json, explain, "Serialization Time");
        else
            br_json_skip(json);
    }
    return !json->status;
}

static bool queries_json_read_query(struct br_json *json, struct br_explain *explain)
{
    br_json_peek(json);
    const char *at = json->at;
    if (!br_json_object(json, "a query") ||
        !br_json_take(json, at, br_explain_begin_query(explain)))
        return false;
    while (br_json_member(json)) {
        if (strcmp(json->key, "Plan") == 0)
            queries_json_read_node(json, explain);
        else if (strcmp(json->key, "Settings") == 0)
            queries_json_read_settings(json, explain);
        else if (strcmp(json->key, "Triggers") == 0)
            queries_json_read_triggers(json, explain);
        else if (strcmp(json->key, "Serialization") == 0)
            queries_json_read_serialization(json, explain);
        else if (strcmp(json->key, "Execution Time") == 0 ||
                 strcmp(json->key, "Total Runtime") == 0)
            queries_json_read_summary(json, explain, "Execution Time");
        else
            br_json_skip(json);
    }
    if (!json->status)
        json->status = br_explain_end_query(explain, br_json_pos(json, at));
    return !json->status;
}

enum br_status br_read_explain_json(struct br_explain *explain, char *text, size_t size)
{
    struct br_json json;
    br_json_init(&json, text, size, explain->diag);
    while (!json.status && br_json_peek(&json)) {
        if (*json.at == '[') {
            br_json_array(&json, "the queries");
            while (br_json_item(&json))
                queries_json_read_query(&json, explain);
        } else {
            queries_json_read_query(&json, explain);
        }
    }
    br_json_finish(&json);
    return json.status;
}
