/* GitHub: {"jobs": [...]} of /actions/runs/ID/jobs, or of 'gh run view --json jobs', whose names
 * are spelt otherwise. GitLab: the array of /pipelines/ID/jobs. Pages may follow each other. */
#include "parsers/pipelines/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/text/date.h"
#include "parsers/text/json.h"
#include "parsers/text/source.h"
#include "parsers/text/value.h"

enum { TEXT_LIMIT = 256 << 20 };
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct run_reader {
    struct br_json json;
    struct br_forge_run *run;
    struct br_diag *diag;
};

static bool read_pages(struct run_reader *reader, uint32_t depth);

/* The first of two fields that is there, as a date; -1: none is. */
static bool run_date(struct run_reader *reader, const struct br_json_field *field, int64_t *ns)
{
    struct br_json *json = &reader->json;
    *ns = -1;
    for (int k = 0; k < 2 && *ns < 0; k++)
        if (br_json_go(json, &field[k]) && br_json_peek(json) == '"' &&
            br_json_string(json, "a date"))
            *ns = br_date_parse(json->text);
    return !json->status;
}

static bool did_run(const char *state)
{
    static const char *const not_run[] = {"skipped", "canceled", "cancelled", "created",  "manual",
                                          "pending", "waiting",  "queued",    "scheduled"};
    for (size_t k = 0; k < COUNT(not_run); k++)
        if (strcmp(state, not_run[k]) == 0)
            return false;
    return true;
}

/* An object that has a name is a job, one that has jobs a page of them. */
static bool read_run_job(struct run_reader *reader, uint32_t depth)
{
    struct br_json *json = &reader->json;
    struct br_forge_run *run = reader->run;
    enum {
        NAME,
        JOBS,
        STARTED,
        STARTED_CLI,
        ENDED,
        ENDED_GITLAB,
        ENDED_CLI,
        SECONDS,
        STATE,
        STATUS
    };
    struct br_json_field field[] = {{"name", false, NULL},         {"jobs", false, NULL},
                                    {"started_at", false, NULL},   {"startedAt", false, NULL},
                                    {"completed_at", false, NULL}, {"finished_at", false, NULL},
                                    {"completedAt", false, NULL},  {"duration", false, NULL},
                                    {"conclusion", false, NULL},   {"status", false, NULL}};
    struct br_forge_job job = {.duration_ns = -1};
    if (!br_json_fields(json, "a job", field, COUNT(field)))
        return false;
    const char *after = json->at;
    if (field[JOBS].at) {
        br_json_go(json, &field[JOBS]);
        read_pages(reader, depth + 1);
    } else if (br_json_go(json, &field[NAME]) && br_json_string(json, "the job's name")) {
        job.name = br_arena_text(&run->arena, json->text);
        run_date(reader, &field[STARTED], &job.started_ns);
        run_date(reader, &field[ENDED], &job.ended_ns);
        if (job.ended_ns < 0)
            run_date(reader, &field[ENDED_GITLAB], &job.ended_ns);
        if (job.started_ns >= 0 && job.ended_ns >= job.started_ns)
            job.duration_ns = job.ended_ns - job.started_ns;
        if (br_json_go(json, &field[SECONDS]) && br_json_peek(json) != 'n')
            br_json_seconds(json, "duration", &job.duration_ns);
        for (int k = STATE; k <= STATUS; k++)
            if (br_json_go(json, &field[k]) && br_json_peek(json) == '"' &&
                br_json_string(json, "the job's state") && !did_run(json->text))
                job.duration_ns = -1;
        if (!json->status &&
            (!job.name || !br_grow(&run->job, run->jobs, &run->room, sizeof *run->job)))
            return br_json_take(json, json->at, br_fail_memory(reader->diag));
        if (!json->status)
            run->job[run->jobs++] = job;
    }
    json->at = after;
    return !json->status;
}

static bool read_pages(struct run_reader *reader, uint32_t depth)
{
    struct br_json *json = &reader->json;
    if (depth > 3)
        return br_json_fail(json, json->at, "give what the API answers",
                            "jobs are nested too deep");
    if (br_json_peek(json) != '[')
        return read_run_job(reader, depth);
    br_json_array(json, "the jobs");
    while (br_json_item(json))
        read_pages(reader, depth + 1);
    return !json->status;
}

enum br_status br_forge_run_read(const char *path, struct br_forge_run *run, struct br_diag *diag)
{
    struct run_reader reader = {.run = run, .diag = diag};
    struct br_source source;
    char *text = NULL;
    br_value_place(diag, BR_NO_POS);
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    const char *start = source.buffer + strspn(source.buffer, " \t\r\n");
    if (*start == '{' || *start == '[') {
        status = br_source_text(&source, TEXT_LIMIT, "the record of a run", &text, diag);
        if (!status) {
            br_json_init(&reader.json, text, strlen(text), diag);
            while (!reader.json.status && br_json_peek(&reader.json))
                read_pages(&reader, 0);
            status = reader.json.status;
            br_json_finish(&reader.json);
        }
        if (!status && run->jobs == 0)
            status = br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT,
                                "give what the API answers when asked for the jobs of a run",
                                "the record has no jobs");
    }
    free(text);
    br_source_close(&source);
    return status;
}

void br_forge_run_finish(struct br_forge_run *run)
{
    br_arena_finish(&run->arena);
    free(run->job);
    *run = (struct br_forge_run){0};
}
