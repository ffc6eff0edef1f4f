/* Cargo's graph of units ('cargo build --unit-graph'): a unit is one call of the compiler, or of a
 * build script. Their times are in what 'cargo build --timings' writes, as lines of JSON or as a
 * page, and are joined by package, target and mode. */
#include "parsers/reader/formats.h"
#include "parsers/text/json.h"
#include "parsers/text/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"

enum { TEXT_LIMIT = 1 << 30, ID_MOST = 500, PART_MOST = 120 };
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct dependency {
    uint32_t unit, on;
    struct br_pos pos;
};

struct cargo {
    struct br_json json;
    struct br_diag *diag;
    const struct br_parse_options *options;
    struct br_dag *dag;
    uint32_t dependencies, room, unit, times, strange;
    struct dependency *dependency;
};

/* What tells a unit from the others of its package. */
struct unit_name {
    char package[PART_MOST], version[PART_MOST], kind[PART_MOST], target[PART_MOST],
        mode[PART_MOST];
};

static bool cargo_text(struct cargo *cargo, const struct br_json_field *field,
                       char text[static PART_MOST])
{
    *text = 0;
    if (br_json_go(&cargo->json, field) && br_json_peek(&cargo->json) == '"' &&
        br_json_string(&cargo->json, field->name))
        snprintf(text, PART_MOST, "%.*s", PART_MOST - 1, cargo->json.text);
    return !cargo->json.status;
}

/* "SOURCE#NAME@VERSION", "SOURCE/NAME#VERSION", or of old "NAME VERSION (SOURCE)". */
static void split_package(const char *id, struct unit_name *unit)
{
    const char *hash = strrchr(id, '#'), *blank = strchr(id, ' ');
    *unit->package = *unit->version = 0;
    if (hash && strchr(hash, '@')) {
        const char *at = strchr(hash, '@');
        snprintf(unit->package, PART_MOST, "%.*s", (int)(at - hash - 1), hash + 1);
        snprintf(unit->version, PART_MOST, "%.100s", at + 1);
    } else if (hash) {
        const char *end = id + strcspn(id, "?#"), *start = end;
        while (start > id && start[-1] != '/')
            start--;
        snprintf(unit->package, PART_MOST, "%.*s", (int)(end - start), start);
        snprintf(unit->version, PART_MOST, "%.100s", hash + 1);
    } else if (blank) {
        snprintf(unit->package, PART_MOST, "%.*s", (int)(blank - id), id);
        snprintf(unit->version, PART_MOST, "%.*s", (int)strcspn(blank + 1, " "), blank + 1);
    } else {
        snprintf(unit->package, PART_MOST, "%.100s", id);
    }
}

/* As Cargo's page of times has it: 'serde 1.0.0', 'demo 0.1.0 demo "bin"', 'ring 0.17.0
 * build-script (run)'. */
static void name_unit(const struct unit_name *unit, char id[static ID_MOST])
{
    static const char *const modes[][2] = {
        {"test", " (test)"},        {"check", " (check)"},
        {"doc", " (doc)"},          {"run-custom-build", " (run)"},
        {"doctest", " (doc test)"}, {"docscrape", " (doc scrape)"}};
    static const char *const others[] = {"bin", "test", "bench", "example"};
    const bool plain = strcmp(unit->mode, "build") == 0 || strcmp(unit->mode, "check") == 0;
    char target[2 * PART_MOST + 8] = "";
    const char *mode = "";
    if (strcmp(unit->kind, "custom-build") == 0)
        snprintf(target, sizeof target, " build-script");
    else if (!plain)
        snprintf(target, sizeof target, " lib");
    for (size_t k = 0; k < COUNT(others); k++)
        if (strcmp(unit->kind, others[k]) == 0)
            snprintf(target, sizeof target, " %s \"%s\"", unit->target, unit->kind);
    for (size_t k = 0; k < COUNT(modes); k++)
        if (strcmp(unit->mode, modes[k][0]) == 0)
            mode = modes[k][1];
    snprintf(id, ID_MOST, "%s %s%s%s", unit->package, unit->version, target, mode);
}

static bool read_target(struct cargo *cargo, const struct br_json_field *at, struct unit_name *unit)
{
    struct br_json *json = &cargo->json;
    struct br_json_field target[] = {{"kind", false, NULL}, {"name", false, NULL}};
    if (!br_json_go(json, at) || !br_json_fields(json, "a target", target, COUNT(target)) ||
        !cargo_text(cargo, &target[1], unit->target))
        return false;
    if (br_json_go(json, &target[0])) {
        br_json_array(json, "the kinds of the target");
        if (br_json_item(json) && br_json_string(json, "a kind"))
            snprintf(unit->kind, PART_MOST, "%.100s", json->text);
    }
    return !json->status;
}

static bool read_dependency(void *context, uint32_t k)
{
    struct cargo *cargo = context;
    struct br_json *json = &cargo->json;
    struct br_json_field field[] = {{"index", true, NULL}};
    uint64_t index;
    (void)k;
    if (!br_json_fields(json, "a dependency", field, COUNT(field)))
        return false;
    const char *after = json->at;
    if (!br_json_go(json, &field[0]) ||
        !br_json_count(json, "the index of a unit", UINT32_MAX - 1, &index))
        return false;
    if (!br_grow(&cargo->dependency, cargo->dependencies, &cargo->room, sizeof *cargo->dependency))
        return br_json_take(json, after, br_fail_memory(cargo->diag));
    cargo->dependency[cargo->dependencies++] =
        (struct dependency){cargo->unit, (uint32_t)index, br_json_pos(json, field[0].at)};
    json->at = after;
    return true;
}

static bool read_unit(void *context, uint32_t k)
{
    struct cargo *cargo = context;
    struct br_json *json = &cargo->json;
    enum { PACKAGE, TARGET, MODE, NEEDS };
    struct br_json_field field[] = {{"pkg_id", true, NULL},
                                    {"target", true, NULL},
                                    {"mode", false, NULL},
                                    {"dependencies", false, NULL}};
    struct unit_name unit = {0};
    char id[ID_MOST];
    br_json_peek(json);
    const struct br_pos pos = br_json_pos(json, json->at);
    if (!br_json_fields(json, "a unit", field, COUNT(field)))
        return false;
    const char *after = json->at;
    if (!br_json_go(json, &field[PACKAGE]) || !br_json_string(json, "the unit's package"))
        return false;
    split_package(json->text, &unit);
    if (!read_target(cargo, &field[TARGET], &unit) || !cargo_text(cargo, &field[MODE], unit.mode))
        return false;
    name_unit(&unit, id);
    if (br_dag_find_stage(cargo->dag, id) != UINT32_MAX)
        snprintf(id + strlen(id), sizeof id - strlen(id), " #%" PRIu32, k);
    br_value_place(cargo->diag, pos);
    enum br_status status = br_dag_add_stage(cargo->dag, id, 1, cargo->options->default_duration_ns,
                                             &cargo->unit, cargo->diag);
    if (!status) {
        br_dag_set_stage_pos(cargo->dag, cargo->unit, pos);
        status = br_dag_add_demand(cargo->dag, cargo->unit, "cpu", "1", cargo->diag);
    }
    if (!br_json_take(json, after, status))
        return false;
    br_json_each(json, &field[NEEDS], "the unit's dependencies", read_dependency, cargo);
    json->at = after;
    return !json->status;
}

static enum br_status link_units(struct cargo *cargo)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < cargo->dependencies && !status; k++) {
        const struct dependency *one = &cargo->dependency[k];
        if (one->on >= cargo->dag->stages)
            return br_fail_at(cargo->diag, one->pos, BR_BAD_INPUT, "write the whole graph again",
                              "there is no unit %" PRIu32, one->on);
        br_value_place(cargo->diag, one->pos);
        status = br_dag_add_edge(cargo->dag, one->on, one->unit, BR_BARRIER, cargo->diag);
        if (!status)
            br_dag_set_edge_pos(cargo->dag, one->pos);
    }
    return status;
}

/* A line {"reason": "timing-info", ...}, or an element of the page's UNIT_DATA. */
static bool read_time(void *context, uint32_t k)
{
    struct cargo *cargo = context;
    struct br_json *json = &cargo->json;
    enum { REASON, PACKAGE, TARGET, MODE, SECONDS, NAME, VERSION };
    struct br_json_field field[] = {{"reason", false, NULL},   {"package_id", false, NULL},
                                    {"target", false, NULL},   {"mode", false, NULL},
                                    {"duration", false, NULL}, {"name", false, NULL},
                                    {"version", false, NULL}};
    struct unit_name unit = {0};
    char id[ID_MOST], part[PART_MOST];
    int64_t ns = -1;
    (void)k;
    if (!br_json_fields(json, "a unit", field, COUNT(field)))
        return false;
    const char *after = json->at;
    if (br_json_go(json, &field[PACKAGE]) && br_json_string(json, "the unit's package"))
        split_package(json->text, &unit);
    if (!br_json_optional_seconds(json, &field[SECONDS], &ns) ||
        !cargo_text(cargo, &field[MODE], unit.mode) || !cargo_text(cargo, &field[REASON], part))
        return false;
    if (field[NAME].at) {
        cargo_text(cargo, &field[NAME], unit.package);
        cargo_text(cargo, &field[VERSION], unit.version);
        cargo_text(cargo, &field[TARGET], part);
        snprintf(id, sizeof id, "%s %s%s", unit.package, unit.version, part);
    } else if (field[TARGET].at && ns >= 0) {
        if (!read_target(cargo, &field[TARGET], &unit))
            return false;
        name_unit(&unit, id);
    } else {
        json->at = after;
        return !json->status;
    }
    uint32_t stage = br_dag_find_stage(cargo->dag, id);
    cargo->times++;
    cargo->strange += stage == UINT32_MAX;
    if (stage != UINT32_MAX && ns >= 0)
        br_dag_set_stage_duration(cargo->dag, stage, ns);
    json->at = after;
    return !json->status;
}

/* Returns false if the file is no record of times, but a table. */
static bool read_timings(struct cargo *cargo, const char *text)
{
    struct br_json *json = &cargo->json;
    const char *page = strstr(text, "UNIT_DATA = [");
    text = page ? page + strlen("UNIT_DATA = ") : text + strspn(text, " \t\r\n");
    if (*text != '{' && *text != '[')
        return false;
    br_json_finish(json);
    br_json_init(json, text, strlen(text), cargo->diag);
    if (*text == '[') {
        br_json_array(json, "the units");
        for (uint32_t k = 0; br_json_item(json); k++)
            read_time(cargo, k);
    } else {
        while (!json->status && br_json_peek(json))
            read_time(cargo, 0);
    }
    return true;
}

static enum br_status cargo_times(struct cargo *cargo, struct br_source *source, bool *timed)
{
    struct br_source record;
    char *text = NULL;
    br_value_place(cargo->diag, BR_NO_POS);
    enum br_status status = br_source_open(&record, cargo->options->durations, cargo->diag);
    if (status)
        return status;
    status = br_source_text(&record, TEXT_LIMIT, "cargo", &text, cargo->diag);
    if (!status && read_timings(cargo, text)) {
        *timed = true;
        status = cargo->json.status;
        if (!status && cargo->times == cargo->strange)
            status = br_fail_at(cargo->diag, BR_NO_POS, BR_BAD_INPUT,
                                "write both of the same build, with the same options",
                                "the times of no unit of the graph are in the record");
    }
    free(text);
    br_source_close(&record);
    if (!status)
        br_diag_file(cargo->diag, source->name);
    return status || !cargo->strange
               ? status
               : br_dag_add_doubt(cargo->dag, cargo->diag,
                                  "%" PRIu32 " units of the record are not in the graph",
                                  cargo->strange);
}

enum br_status br_read_cargo(struct br_source *source, const struct br_parse_options *options,
                             struct br_input *input, struct br_diag *diag)
{
    struct br_diag own = {0};
    struct cargo cargo = {.options = options, .diag = diag ? diag : &own};
    struct br_json_field top[] = {{"version", false, NULL}, {"units", true, NULL}};
    char stem[256], *text;
    enum br_status status = br_source_text(source, TEXT_LIMIT, "cargo", &text, cargo.diag);
    if (status)
        return status;
    br_json_init(&cargo.json, text, strlen(text), cargo.diag);
    cargo.dag = input->dag = br_dag_create(br_source_stem(source, "cargo", stem, sizeof stem));
    if (!input->dag) {
        status = br_fail_memory(cargo.diag);
    } else {
        (void)(br_json_fields(&cargo.json, "a graph of units", top, COUNT(top)) &&
               br_json_done(&cargo.json) &&
               br_json_each(&cargo.json, &top[1], "the units", read_unit, &cargo));
        status = cargo.json.status;
    }
    if (!status)
        status = link_units(&cargo);
    if (!status && options->durations)
        status = cargo_times(&cargo, source, &input->timed);
    br_json_finish(&cargo.json);
    free(cargo.dependency);
    free(text);
    return status;
}
