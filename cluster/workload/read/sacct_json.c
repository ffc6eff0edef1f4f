/* Slurm's accounting as `sacct --json` prints it, passed to the reader of lines (sacct.c) as lines,
 * each at the place of its job's line as far as there is room. A number is an object of `set`,
 * `infinite` and `number` since Slurm 23.02, and plain before; a state is a list, and a word
 * before. Times are seconds since 1970; 4294967294 and 0 stand for none. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/other.h"
#include "parsers/text/json.h"
#include "cluster/workload/read/formats.h"

enum { TEXT_LIMIT = 1 << 30 };
#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define MARK "\x1f" /* separates columns: no name contains it */
static const int64_t none = -1, no_value = INT64_C(4294967294);

struct reader {
    struct br_json json;
    FILE *out;
    uint32_t line; /* the next one to be written */
};

bool br_is_sacct_json(const char *text)
{
    return br_is_accounting_json(text);
}

/* ---- Values ---- */

/* A known, finite number, else -1. */
static bool sacct_json_read_number(struct reader *r, const struct br_json_field *field,
                                   int64_t *value)
{
    struct br_json_field part[] = {
        {"set", false, NULL}, {"infinite", false, NULL}, {"number", true, NULL}};
    struct br_json *json = &r->json;
    *value = none;
    if (!br_json_go(json, field))
        return !json->status;
    if (br_json_peek(json) == '{') {
        if (!br_json_fields(json, field->name, part, COUNT(part)))
            return false;
        if ((br_json_go(json, &part[0]) && br_json_peek(json) != 't') ||
            (br_json_go(json, &part[1]) && br_json_peek(json) == 't'))
            return true;
        br_json_go(json, &part[2]);
    }
    if (!br_json_number(json, field->name))
        return false;
    *value = strtoll(json->text, NULL, 10);
    return true;
}

/* The text of the field, or the first of a list of them, and then the separator. */
static bool sacct_json_write_text(struct reader *r, const struct br_json_field *field)
{
    struct br_json *json = &r->json;
    if (br_json_go(json, field)) {
        bool list = br_json_peek(json) == '[';
        if (!list || (br_json_array(json, field->name) && br_json_item(json)))
            br_json_string(json, field->name);
        for (const char *p = json->text; !json->status && *p; p++)
            putc((unsigned char)*p < ' ' ? '?' : *p, r->out);
    }
    fputs(MARK, r->out);
    return !json->status;
}

static void sacct_json_write_number(struct reader *r, int64_t value)
{
    if (value >= 0)
        fprintf(r->out, "%" PRId64, value);
    fputs(MARK, r->out);
}

static void write_moment(struct reader *r, int64_t seconds)
{
    if (seconds > 0 && seconds < no_value)
        fprintf(r->out, "%" PRId64 MARK, seconds);
    else
        fputs("Unknown" MARK, r->out);
}

/* ---- A job ---- */

/* "12", "12_3" of an array, "12+1" of a heterogeneous job. */
static bool sacct_json_write_id(struct reader *r, const struct br_json_field *id,
                                const struct br_json_field *array, const struct br_json_field *het)
{
    struct br_json_field of_array[] = {{"job_id", false, NULL}, {"task_id", false, NULL}};
    struct br_json_field of_het[] = {{"job_id", false, NULL}, {"job_offset", false, NULL}};
    int64_t number, leader = none, element = none, whole = none, offset = none;
    struct br_json *json = &r->json;
    if (!sacct_json_read_number(r, id, &number))
        return false;
    if (br_json_go(json, array) && (!br_json_fields(json, "the array", of_array, 2) ||
                                    !sacct_json_read_number(r, &of_array[0], &leader) ||
                                    !sacct_json_read_number(r, &of_array[1], &element)))
        return false;
    if (br_json_go(json, het) && (!br_json_fields(json, "the heterogeneous job", of_het, 2) ||
                                  !sacct_json_read_number(r, &of_het[0], &whole) ||
                                  !sacct_json_read_number(r, &of_het[1], &offset)))
        return false;
    if (leader > 0 && element >= 0 && element < no_value)
        fprintf(r->out, "%" PRId64 "_%" PRId64 MARK, leader, element);
    else if (whole > 0 && offset >= 0 && offset < no_value)
        fprintf(r->out, "%" PRId64 "+%" PRId64 MARK, whole, offset);
    else
        sacct_json_write_number(r, number);
    return !json->status;
}

static bool write_times(struct reader *r, const struct br_json_field *time)
{
    struct br_json_field field[] = {{"submission", true, NULL}, {"eligible", false, NULL},
                                    {"start", true, NULL},      {"end", true, NULL},
                                    {"elapsed", true, NULL},    {"limit", false, NULL}};
    int64_t value;
    br_json_go(&r->json, time);
    if (!br_json_fields(&r->json, "the times", field, COUNT(field)))
        return false;
    for (size_t k = 0; k < COUNT(field); k++) {
        if (!sacct_json_read_number(r, &field[k], &value))
            return false;
        if (k < 4)
            write_moment(r, value);
        else
            sacct_json_write_number(r, value);
    }
    return true;
}

static bool write_resource(void *context, uint32_t k)
{
    struct reader *r = context;
    struct br_json_field field[] = {
        {"type", true, NULL}, {"name", false, NULL}, {"count", true, NULL}};
    struct br_json *json = &r->json;
    char type[16] = "";
    int64_t count;
    if (!br_json_fields(json, "a resource", field, COUNT(field)))
        return false;
    const char *end = json->at;
    br_json_go(json, &field[0]);
    if (!br_json_string(json, "the type"))
        return false;
    snprintf(type, sizeof type, "%s", json->text);
    if (!sacct_json_read_number(r, &field[2], &count))
        return false;
    bool generic = strcmp(type, "gres") == 0 && br_json_go(json, &field[1]) &&
                   br_json_string(json, "the name") && strcmp(json->text, "gpu") == 0;
    if (count >= 0 && (generic || strcmp(type, "cpu") == 0 || strcmp(type, "node") == 0))
        fprintf(r->out, "%s%s%s=%" PRId64, k ? "," : "", type, generic ? "/gpu" : "", count);
    else if (count >= 0 && strcmp(type, "mem") == 0)
        fprintf(r->out, "%smem=%" PRId64 "M", k ? "," : "", count);
    else
        fprintf(r->out, "%sbilling=0", k ? "," : ""); /* irrelevant here, and a list has no gaps */
    json->at = end;
    return !json->status;
}

static bool write_sizes(struct reader *r, const struct br_json_field *tres,
                        const struct br_json_field *required)
{
    struct br_json_field list[] = {{"allocated", false, NULL}};
    struct br_json_field cpus[] = {{"CPUs", false, NULL}};
    int64_t count = none;
    if (br_json_go(&r->json, tres) &&
        (!br_json_fields(&r->json, "the resources", list, 1) ||
         !br_json_each(&r->json, &list[0], "the allocated resources", write_resource, r)))
        return false;
    fputs(MARK, r->out);
    if (br_json_go(&r->json, required) && (!br_json_fields(&r->json, "what is required", cpus, 1) ||
                                           !sacct_json_read_number(r, &cpus[0], &count)))
        return false;
    sacct_json_write_number(r, count);
    return !r->json.status;
}

static bool write_state(struct reader *r, const struct br_json_field *state)
{
    struct br_json_field current[] = {{"current", true, NULL}};
    br_json_go(&r->json, state);
    return br_json_fields(&r->json, "the state", current, 1) &&
           sacct_json_write_text(r, &current[0]);
}

static bool sacct_json_write_job(void *context, uint32_t k)
{
    struct reader *r = context;
    enum { ID, ARRAY, HET, USER, ACCOUNT, PARTITION, STATE, TIME, TRES, REQUIRED };
    struct br_json_field field[] = {{"job_id", true, NULL},   {"array", false, NULL},
                                    {"het", false, NULL},     {"user", false, NULL},
                                    {"account", false, NULL}, {"partition", false, NULL},
                                    {"state", true, NULL},    {"time", true, NULL},
                                    {"tres", false, NULL},    {"required", false, NULL}};
    struct br_json *json = &r->json;
    (void)k;
    br_json_peek(json);
    uint32_t line = br_json_pos(json, json->at).line;
    if (!br_json_fields(json, "a job", field, COUNT(field)))
        return false;
    const char *end = json->at;
    for (; r->line < line; r->line++)
        putc('\n', r->out);
    if (!sacct_json_write_id(r, &field[ID], &field[ARRAY], &field[HET]) ||
        !sacct_json_write_text(r, &field[USER]) || !sacct_json_write_text(r, &field[ACCOUNT]) ||
        !sacct_json_write_text(r, &field[PARTITION]) || !write_state(r, &field[STATE]) ||
        !write_times(r, &field[TIME]) || !write_sizes(r, &field[TRES], &field[REQUIRED]))
        return false;
    putc('\n', r->out);
    r->line++;
    json->at = end;
    return !json->status;
}

/* ---- The whole ---- */

static enum br_status sacct_json_write_lines(const char *text, FILE *out, struct br_diag *diag)
{
    struct reader r = {.out = out, .line = 2};
    struct br_json_field top[] = {{"jobs", true, NULL}};
    br_json_init(&r.json, text, strlen(text), diag);
    fputs("JobID" MARK "User" MARK "Account" MARK "Partition" MARK "State" MARK "Submit" MARK
          "Eligible" MARK "Start" MARK "End" MARK "ElapsedRaw" MARK "TimelimitRaw" MARK
          "AllocTRES" MARK "ReqCPUS" MARK "\n",
          out);
    if (br_json_fields(&r.json, "the accounting", top, 1) && br_json_done(&r.json))
        br_json_each(&r.json, &top[0], "the jobs", sacct_json_write_job, &r);
    enum br_status status = r.json.status;
    br_json_finish(&r.json);
    return status;
}

enum br_status br_read_sacct_json(struct br_source *source,
                                  const struct br_workload_options *options,
                                  struct br_workload *workload, struct br_diag *diag)
{
    struct br_diag own = {0};
    char *text = NULL, *lines = NULL;
    size_t size = 0;
    enum br_status status = br_source_text(source, TEXT_LIMIT, "sacct-json", &text, diag);
    FILE *out = status ? NULL : open_memstream(&lines, &size);
    if (!status)
        status = out ? sacct_json_write_lines(text, out, diag ? diag : &own) : br_fail_memory(diag);
    bool failed = out && ferror(out);
    if (out && fclose(out) != 0)
        failed = true;
    if (!status && (failed || !lines))
        status = br_fail_memory(diag);
    if (!status) {
        struct br_source written = br_source_of_text(lines, size);
        status = br_read_sacct(&written, options, workload, diag);
    }
    free(text);
    free(lines);
    return status;
}
