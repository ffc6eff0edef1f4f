/* Chakra's traces in JSON: what chakra_jsonizer makes of the binary form, one object after the
 * other, of which the first is of the whole; or one object with a "workload_graph", as Chakra's
 * feeder reads it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "parsers/text/json.h"
#include "parsers/workflows/chakra_forms.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct chakra_json {
    struct br_json json;
    struct chakra *all;
    struct chakra_node node;
    bool control; /* the list that is being read is of such dependencies */
};

/* A whole number, perhaps in quotation marks, as protocol buffers write 64 bits. */
static bool json_whole(struct br_json *json, const char *what, uint64_t *number)
{
    br_json_peek(json);
    const char *at = json->at;
    if (!br_json_scalar(json, what))
        return false;
    const size_t length = strlen(json->text);
    if (length == 0 || length > 19 || json->text[strspn(json->text, "0123456789")])
        return br_json_fail(json, at, "write a whole number", "%s is no whole number", what);
    *number = strtoull(json->text, NULL, 10);
    return true;
}

static bool json_number(struct br_json *json, const struct br_json_field *field, uint64_t *number)
{
    return !br_json_go(json, field) || json_whole(json, field->name, number);
}

/* {"name": "comm_size", "int64Val": "8"}. */
static bool json_attribute(void *context, uint32_t k)
{
    struct chakra_json *file = context;
    struct br_json *json = &file->json;
    struct br_json_field field[] = {{"name", false, NULL},      {"boolVal", false, NULL},
                                    {"int32Val", false, NULL},  {"int64Val", false, NULL},
                                    {"uint32Val", false, NULL}, {"uint64Val", false, NULL}};
    char name[16] = "";
    uint64_t number = 0;
    (void)k;
    if (!br_json_fields(json, "an attribute", field, COUNT(field)))
        return false;
    const char *after = json->at;
    if (br_json_go(json, &field[0]) && br_json_string(json, "a name"))
        snprintf(name, sizeof name, "%.15s", json->text);
    if (br_json_go(json, &field[1]))
        number = br_json_peek(json) == 't';
    if (strcmp(name, "comm_size") == 0) /* others may be negative */
        for (size_t f = 2; f < COUNT(field); f++)
            json_number(json, &field[f], &number);
    chakra_attribute(&file->node, name, number);
    json->at = after;
    return !json->status;
}

static bool json_need(void *context, uint32_t k)
{
    struct chakra_json *file = context;
    uint64_t id = 0;
    (void)k;
    return json_whole(&file->json, "the id of a node", &id) &&
           br_json_take(&file->json, file->json.at, chakra_need(file->all, id, file->control));
}

/* "COMP_NODE", or its number. */
static bool json_type(struct br_json *json, const struct br_json_field *field, uint64_t *type)
{
    static const char *const names[] = {"INVALID_NODE",   "METADATA_NODE", "MEM_LOAD_NODE",
                                        "MEM_STORE_NODE", "COMP_NODE",     "COMM_SEND_NODE",
                                        "COMM_RECV_NODE", "COMM_COLL_NODE"};
    if (!br_json_go(json, field))
        return !json->status;
    if (br_json_peek(json) != '"')
        return json_whole(json, field->name, type);
    if (!br_json_string(json, field->name))
        return false;
    for (size_t k = 0; k < COUNT(names); k++)
        if (strcmp(json->text, names[k]) == 0) {
            *type = k;
            return true;
        }
    return br_json_fail(json, field->at, "nodes are such as COMP_NODE and COMM_COLL_NODE",
                        "there are no nodes of type '%.40s'", json->text);
}

static void json_name(struct br_json *json, const struct br_json_field *field, char *name)
{
    if (!br_json_go(json, field) || !br_json_string(json, "a name"))
        return;
    size_t size = strlen(json->text);
    if (size > CHAKRA_NAME - 1)
        for (size = CHAKRA_NAME - 1; size > 0 && (json->text[size] & 0xc0) == 0x80;)
            size--; /* not within a character */
    memcpy(name, json->text, size);
    name[size] = 0;
    br_text_screen(name);
}

static bool json_node(void *context, uint32_t k)
{
    struct chakra_json *file = context;
    struct br_json *json = &file->json;
    enum {
        ID,
        OLD_ID,
        NAME,
        OLD_NAME,
        TYPE,
        OLD_TYPE,
        CTRL,
        OLD_CTRL,
        DATA,
        OLD_DATA,
        TIME,
        SAME_TIME,
        OLD_TIME,
        ATTR,
        ON_CPU,
        BYTES
    };
    struct br_json_field field[] = {{"id", false, NULL},
                                    {"Id", false, NULL},
                                    {"name", false, NULL},
                                    {"Name", false, NULL},
                                    {"type", false, NULL},
                                    {"NodeType", false, NULL},
                                    {"ctrlDeps", false, NULL},
                                    {"ctrl_deps", false, NULL},
                                    {"dataDeps", false, NULL},
                                    {"data_deps", false, NULL},
                                    {"durationMicros", false, NULL},
                                    {"duration_micros", false, NULL},
                                    {"runtime", false, NULL},
                                    {"attr", false, NULL},
                                    {"is_cpu_op", false, NULL},
                                    {"comm_size", false, NULL}};
    (void)k;
    br_json_peek(json);
    file->node = (struct chakra_node){0};
    file->node.pos = br_json_pos(json, json->at);
    const char *at = json->at;
    if (!br_json_fields(json, "a node", field, COUNT(field)))
        return false;
    const char *after = json->at;
    for (size_t f = ID; f <= OLD_ID; f++)
        json_number(json, &field[f], &file->node.id);
    for (size_t f = NAME; f <= OLD_NAME; f++)
        json_name(json, &field[f], file->node.name);
    for (size_t f = TYPE; f <= OLD_TYPE; f++)
        json_type(json, &field[f], &file->node.type);
    for (size_t f = CTRL; f <= OLD_DATA; f++) {
        file->control = f <= OLD_CTRL;
        br_json_each(json, &field[f], "the dependencies", json_need, file);
    }
    for (size_t f = TIME; f <= OLD_TIME; f++)
        json_number(json, &field[f], &file->node.micros);
    br_json_each(json, &field[ATTR], "the attributes", json_attribute, file);
    file->node.traced |= field[ON_CPU].at != NULL; /* the feeder's form, which reads no calls */
    if (br_json_go(json, &field[ON_CPU]))
        file->node.on_cpu = br_json_peek(json) == 't';
    json_number(json, &field[BYTES], &file->node.bytes);
    if (json->status)
        return false;
    json->at = after;
    return br_json_take(json, at, chakra_add(file->all, &file->node));
}

/* The object of the whole, or the one that holds all nodes. */
static void json_first(struct chakra_json *file)
{
    struct br_json *json = &file->json;
    struct br_json_field field[] = {{"workload_graph", false, NULL}, {"nodes", false, NULL}};
    br_json_peek(json);
    const char *at = json->at;
    if (!br_json_fields(json, "the trace", field, COUNT(field)))
        return;
    const char *after = json->at;
    if (field[1].at)
        br_json_fail(json, at,
                     "make one of it by chakra_trace_link and chakra_converter PyTorch, which find "
                     "out what waits for what",
                     "this is what PyTorch's profiler writes, not yet a trace of Chakra's");
    br_json_each(json, &field[0], "the nodes", json_node, file);
    json->at = after;
}

enum br_status chakra_read_json(struct chakra *all, const char *text, size_t size)
{
    struct chakra_json file = {.all = all};
    br_json_init(&file.json, text, size, all->diag);
    json_first(&file);
    while (!file.json.status && br_json_peek(&file.json))
        json_node(&file, 0);
    br_json_finish(&file.json);
    return file.json.status;
}
