/* Projects of Microsoft Project and ProjectLibre (MSPDI). A task is a stage, and lasts as long as
 * its working time: calendars are not read, so that a plan counts working hours from the project's
 * start on. A summary task is no stage: links of it are links of all tasks inside. Work resources
 * are capacities of one machine, of which assignments take their units. */
#include "parsers/projects/mspdi.h"
#include "parsers/reader/formats.h"
#include "parsers/text/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/text/text.h"

static enum br_status mspdi_open(struct mspdi *reader, struct br_xml *xml)
{
    if (reader->part == MSPDI_TASKS) {
        if (!br_grow(&reader->task, reader->tasks, &reader->task_room, sizeof *reader->task))
            return br_fail_memory(xml->diag);
        reader->task[reader->tasks++] = (struct mspdi_task){
            .uid = MSPDI_NO_UID, .name = "", .stage = UINT32_MAX, .pos = xml->pos};
    } else if (reader->part == MSPDI_RESOURCES) {
        if (!br_grow(&reader->resource, reader->resources, &reader->resource_room,
                     sizeof *reader->resource))
            return br_fail_memory(xml->diag);
        reader->resource[reader->resources++] =
            (struct mspdi_resource){.uid = MSPDI_NO_UID, .name = "", .units = {1, 0}, .type = 1};
    } else {
        if (!br_grow(&reader->assignment, reader->assignments, &reader->assignment_room,
                     sizeof *reader->assignment))
            return br_fail_memory(xml->diag);
        reader->assignment[reader->assignments++] =
            (struct mspdi_assignment){MSPDI_NO_UID, MSPDI_NO_UID, {1, 0}, xml->pos};
    }
    return BR_OK;
}

static enum br_status mspdi_start(void *context, struct br_xml *xml)
{
    static const char *const parts[] = {"Tasks", "Resources", "Assignments"};
    static const char *const rows[] = {"Task", "Resource", "Assignment"};
    struct mspdi *reader = context;
    if (xml->depth == 1)
        return strcmp(xml->name, "Project") == 0
                   ? BR_OK
                   : br_fail(xml->diag, BR_BAD_INPUT, "save it as XML in Microsoft Project",
                             "the root element is <%.80s>, not <Project>", xml->name);
    if (xml->depth == 2) {
        reader->part = MSPDI_NOTHING;
        for (int k = 0; k < 3; k++)
            if (strcmp(xml->name, parts[k]) == 0)
                reader->part = (unsigned)k + 1;
        if (reader->part == MSPDI_NOTHING && strcmp(xml->name, "Name") == 0)
            br_xml_keep_text(xml);
        else if (reader->part == MSPDI_NOTHING)
            br_xml_skip(xml);
        return BR_OK;
    }
    if (xml->depth == 3 && reader->part != MSPDI_NOTHING &&
        strcmp(xml->name, rows[reader->part - 1]) == 0)
        return mspdi_open(reader, xml);
    if (xml->depth == 4 && reader->part == MSPDI_TASKS &&
        strcmp(xml->name, "PredecessorLink") == 0) {
        if (!br_grow(&reader->link, reader->links, &reader->link_room, sizeof *reader->link))
            return br_fail_memory(xml->diag);
        reader->link[reader->links++] = (struct mspdi_link){
            reader->tasks - 1, MSPDI_NO_UID, MSPDI_FINISH_START, 0, 0, xml->pos};
        reader->in_link = true;
        return BR_OK;
    }
    if (xml->depth == 4 || (xml->depth == 5 && reader->in_link))
        br_xml_keep_text(xml);
    else
        br_xml_skip(xml);
    return BR_OK;
}

static enum br_status mspdi_number(struct br_xml *xml, const char *text, int64_t *number)
{
    char *end;
    long long value = strtoll(text, &end, 10);
    if (end == text || end[strspn(end, " \t\r\n")] || value > INT64_MAX / 4 ||
        value < INT64_MIN / 4)
        return br_fail(xml->diag, BR_BAD_INPUT, "write a whole number",
                       "%.40s '%.40s' is no number", xml->name, text);
    *number = value;
    return BR_OK;
}

/* "PT16H30M0S". */
static enum br_status mspdi_duration(struct br_xml *xml, const char *text, int64_t *ns)
{
    static const struct {
        char unit;
        int64_t ns;
    } units[] = {
        {'D', 86400000000000}, {'H', 3600000000000}, {'M', 60000000000}, {'S', 1000000000}};
    const char *at = text;
    size_t k = 0;
    bool good = *at++ == 'P';
    *ns = 0;
    while (good && *at) {
        if (*at == 'T') {
            at++;
            k = k > 1 ? k : 1;
            continue;
        }
        char number[24];
        struct br_decimal value;
        int64_t part;
        size_t digits = strspn(at, "0123456789.");
        snprintf(number, sizeof number, "%.*s", digits < 20 ? (int)digits : 20, at);
        at += digits;
        while (k < 4 && units[k].unit != *at)
            k++;
        /* value / (1 / seconds of the unit): rounded up to a nanosecond */
        good = digits > 0 && digits < 20 && k < 4 && !br_decimal_parse_nearest(number, &value) &&
               br_decimal_quotient_ns(value, (struct br_decimal){1, 0}, &part) &&
               !__builtin_mul_overflow(part, units[k].ns / 1000000000, &part) &&
               !__builtin_add_overflow(*ns, part, ns);
        at += good;
        k++;
    }
    return good ? BR_OK
                : br_fail(xml->diag, BR_BAD_INPUT, "write it as PT8H0M0S",
                          "%.40s '%.40s' is no duration", xml->name, text);
}

static enum br_status mspdi_units(struct br_xml *xml, const char *text, struct br_decimal *units)
{
    if (br_decimal_parse_nearest(text, units) || units->mantissa < 0)
        return br_fail(xml->diag, BR_BAD_INPUT, "write a number", "%.40s '%.40s' is no number",
                       xml->name, text);
    return BR_OK;
}

static enum br_status read_task_text(struct mspdi *reader, struct br_xml *xml, const char *text)
{
    struct mspdi_task *task = &reader->task[reader->tasks - 1];
    int64_t number;
    enum br_status status = BR_OK;
    if (strcmp(xml->name, "UID") == 0)
        return mspdi_number(xml, text, &task->uid);
    if (strcmp(xml->name, "Duration") == 0)
        return mspdi_duration(xml, text, &task->ns);
    if (strcmp(xml->name, "Name") == 0) {
        task->name = br_arena_text(&reader->arena, text);
        return task->name ? BR_OK : br_fail_memory(xml->diag);
    }
    if (strcmp(xml->name, "OutlineLevel") == 0) {
        status = mspdi_number(xml, text, &number);
        task->level = status || number < 0 ? 0 : (uint32_t)(number < 1000 ? number : 1000);
        return status;
    }
    if (strcmp(xml->name, "ConstraintType") == 0) {
        status = mspdi_number(xml, text, &number);
        task->constrained = !status && number > 0; /* 0: as soon as possible */
        return status;
    }
    task->summary |= strcmp(xml->name, "Summary") == 0 && *text == '1';
    task->empty |= strcmp(xml->name, "IsNull") == 0 && *text == '1';
    task->inactive |= strcmp(xml->name, "Active") == 0 && *text == '0';
    return BR_OK;
}

static enum br_status read_link_text(struct mspdi *reader, struct br_xml *xml, const char *text)
{
    struct mspdi_link *link = &reader->link[reader->links - 1];
    const struct {
        const char *name;
        int64_t *value;
    } field[] = {{"PredecessorUID", &link->before},
                 {"Type", &link->type},
                 {"LinkLag", &link->lag},
                 {"LagFormat", &link->format}};
    for (size_t k = 0; k < sizeof field / sizeof *field; k++)
        if (strcmp(xml->name, field[k].name) == 0)
            return mspdi_number(xml, text, field[k].value);
    return BR_OK;
}

static enum br_status read_resource_text(struct mspdi *reader, struct br_xml *xml, const char *text)
{
    struct mspdi_resource *resource = &reader->resource[reader->resources - 1];
    if (strcmp(xml->name, "UID") == 0)
        return mspdi_number(xml, text, &resource->uid);
    if (strcmp(xml->name, "Type") == 0)
        return mspdi_number(xml, text, &resource->type);
    if (strcmp(xml->name, "MaxUnits") == 0)
        return mspdi_units(xml, text, &resource->units);
    if (strcmp(xml->name, "Name") == 0 && *text && br_text_is_plain(text)) {
        resource->name = br_arena_text(&reader->arena, text);
        return resource->name ? BR_OK : br_fail_memory(xml->diag);
    }
    return BR_OK;
}

static enum br_status read_assignment_text(struct mspdi *reader, struct br_xml *xml,
                                           const char *text)
{
    struct mspdi_assignment *assignment = &reader->assignment[reader->assignments - 1];
    if (strcmp(xml->name, "TaskUID") == 0)
        return mspdi_number(xml, text, &assignment->task);
    if (strcmp(xml->name, "ResourceUID") == 0)
        return mspdi_number(xml, text, &assignment->resource);
    if (strcmp(xml->name, "Units") == 0)
        return mspdi_units(xml, text, &assignment->units);
    return BR_OK;
}

static enum br_status mspdi_end(void *context, struct br_xml *xml, const char *text)
{
    struct mspdi *reader = context;
    if (xml->depth == 2 && text && *text && br_text_is_plain(text)) {
        reader->name = br_arena_text(&reader->arena, text);
        return reader->name ? BR_OK : br_fail_memory(xml->diag);
    }
    if (xml->depth == 4)
        reader->in_link = false;
    if (!text || xml->depth < 4)
        return BR_OK;
    if (xml->depth == 5)
        return read_link_text(reader, xml, text);
    return reader->part == MSPDI_TASKS       ? read_task_text(reader, xml, text)
           : reader->part == MSPDI_RESOURCES ? read_resource_text(reader, xml, text)
                                             : read_assignment_text(reader, xml, text);
}

enum br_status br_read_mspdi(struct br_source *source, const struct br_parse_options *options,
                             struct br_input *input, struct br_diag *diag)
{
    static const struct br_xml_handler handler = {.start = mspdi_start, .end = mspdi_end};
    struct br_diag own = {0};
    struct mspdi reader = {.diag = diag ? diag : &own};
    char stem[256];
    (void)options;
    enum br_status status = br_xml_read(source, &handler, &reader, reader.diag);
    if (!status) {
        const char *name =
            reader.name ? reader.name : br_source_stem(source, "project", stem, sizeof stem);
        input->dag = br_dag_create(name);
        status = input->dag ? br_mspdi_build(&reader, input) : br_fail_memory(reader.diag);
    }
    br_arena_finish(&reader.arena);
    free(reader.task);
    free(reader.link);
    free(reader.resource);
    free(reader.assignment);
    return status;
}
