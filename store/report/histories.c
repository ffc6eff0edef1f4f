/* Histories as a table for people, and as JSON (docs/schema/history-1.schema.json). */
#include "store/report/histories.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <stdlib.h>
#include <time.h>

#include "base/roles.h"
#include "base/text/diag.h"
#include "store/report/histories_outputs.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"

enum { NAME_LEAST = 12, NAME_MOST = 40, TIME_TEXT = 40 };

/* "2026-11-23 05:21 UTC"; for programs "2026-11-23T05:21:07Z". */
static void histories_write_time(FILE *out, int64_t began_s, const char *form)
{
    const time_t began = (time_t)began_s;
    char text[TIME_TEXT] = "-";
    struct tm parts;
    if (gmtime_r(&began, &parts) && !strftime(text, sizeof text, form, &parts))
        text[0] = '\0';
    fputs(text, out);
}

static void histories_write_name(FILE *out, const char *name, int width)
{
    char *text = NULL;
    size_t size;
    FILE *cell = open_memstream(&text, &size);
    if (cell) {
        br_write_cut(cell, BR_QUOTE_LINE, name, (uint32_t)width);
        fclose(cell);
    }
    /* A cut path may be shorter than the column. */
    const int pad = text ? width - (int)br_text_length(text) : 0;
    fprintf(out, "%s%*s", text ? text : "-", pad > 0 ? pad : 0, "");
    free(text);
}

static int histories_widen(int width, const char *name)
{
    const int own = (int)br_text_length(name);
    return own <= width ? width : own < NAME_MOST ? own : NAME_MOST;
}

static void histories_write_jobs(const struct br_gathered *gathered, FILE *out)
{
    int width = NAME_LEAST;
    for (uint32_t j = 0; j < gathered->jobs; j++)
        width = histories_widen(width, gathered->job[j].name);
    fprintf(out, "%-*s  runs  stages    tasks  last run\n", width, "job");
    for (uint32_t j = 0; j < gathered->jobs; j++) {
        const struct br_gathered_job *job = &gathered->job[j];
        uint64_t tasks = 0;
        for (uint32_t r = 0; r < job->runs; r++)
            tasks += job->run[r].samples;
        histories_write_name(out, job->name, width);
        fprintf(out, "  %4" PRIu32 "  %6" PRIu32 "  %7" PRIu64 "  ", job->runs, job->stages, tasks);
        assert(job->runs > 0);
        histories_write_time(out, job->run[job->runs - 1].began_s, "%Y-%m-%d %H:%M UTC");
        putc('\n', out);
    }
    if (gathered->queries)
        fprintf(out,
                "\n%" PRIu32 " %s that ran: what a unit of cost lasts, for 'bigrocks import "
                "queries --history'\n",
                gathered->queries, gathered->queries == 1 ? "query" : "queries");
}

/* Seconds or a share, aligned by the decimal point, with three decimals. */
static void write_milli(FILE *out, int64_t milli)
{
    if (milli < 0)
        fprintf(out, "  %10s", "-");
    else
        fprintf(out, "  %6" PRId64 ".%03d", milli / 1000, (int)(milli % 1000));
}

static void histories_write_stage(FILE *out, const struct br_gathered_stage *stage, int width)
{
    const struct br_history_estimate *known = &stage->estimate;
    char bytes[BR_ROLE_AMOUNT_TEXT] = "-";
    if (known->samples && known->mem_bytes >= 0)
        br_role_bytes_text(known->mem_bytes, bytes);
    histories_write_name(out, stage->label, width);
    fprintf(out, "  %4" PRIu32 "  %6" PRIu32, known->runs, known->samples);
    write_milli(out, known->samples ? known->wall_ns / 1000000 : -1);
    write_milli(out, known->samples ? known->spread_ns / 1000000 : -1);
    write_milli(out, known->cpu_milli);
    fprintf(out, "  %s\n", bytes);
}

static void write_one(const struct br_gathered_job *job, FILE *out)
{
    int width = NAME_LEAST;
    for (uint32_t s = 0; s < job->stages; s++)
        width = histories_widen(width, job->stage[s].label);
    fputs("job    ", out);
    br_write_text(out, BR_QUOTE_LINE, job->name);
    fprintf(out, "\nruns   %" PRIu32 ", ", job->runs);
    assert(job->runs > 0);
    if (job->runs > 1) {
        fputs("from ", out);
        histories_write_time(out, job->run[0].began_s, "%Y-%m-%d %H:%M UTC");
        fputs(" to ", out);
    }
    histories_write_time(out, job->run[job->runs - 1].began_s, "%Y-%m-%d %H:%M UTC");
    fprintf(out, "\n\n%-*s  runs   tasks    median s   +/- half       cores  most memory\n", width,
            "stage");
    for (uint32_t s = 0; s < job->stages; s++)
        histories_write_stage(out, &job->stage[s], width);
    fprintf(out,
            "\nof the last %d runs of each stage, memory of all; +/- half: half of the tasks are "
            "as near "
            "to the median\n",
            BR_HISTORY_RECENT);
}

static void histories_write_text(const struct br_gathered *gathered, FILE *out)
{
    if (gathered->jobs && gathered->job[0].stage)
        write_one(&gathered->job[0], out);
    else
        histories_write_jobs(gathered, out);
}

#define HISTORY_STAGE_FIGURES(FIGURE, LINE)                                                        \
    FIGURE(id, row->name)                                                                          \
    FIGURE(runs, row->estimate.runs)                                                               \
    FIGURE(samples, row->estimate.samples)                                                         \
    FIGURE(duration, br_figure_time(row->estimate.wall_ns))                                        \
    FIGURE(spread, br_figure_time(row->estimate.spread_ns))
BR_FIGURES(history_stage_figures, struct br_gathered_stage, HISTORY_STAGE_FIGURES);

static void write_stages_json(const struct br_gathered_job *job, FILE *out)
{
    fputs(", \"of_stages\": [", out);
    for (uint32_t s = 0; s < job->stages; s++) {
        const struct br_gathered_stage *stage = &job->stage[s];
        const struct br_history_estimate *known = &stage->estimate;
        br_write_figures_keys(out, s ? ",\n   {" : "\n   {", &history_stage_figures, stage, "");
        if (stage->alternative)
            br_write_text_key(out, ", ", "alternative", stage->alternative);
        if (stage->cls) {
            br_write_text_key(out, ", ", "class", stage->cls);
            fputs(", \"speed\": ", out);
            br_write_decimal(out, stage->speed);
        }
        if (known->cpu_milli >= 0) {
            fputs(", \"cpu\": ", out);
            br_write_ratio(out, known->cpu_milli, 1000);
        }
        if (known->mem_bytes >= 0)
            fprintf(out, ", \"mem\": %" PRId64, known->mem_bytes);
        fputs(",\n    \"sample\": [", out);
        for (uint32_t k = 0; k < stage->samples && !ferror(out); k++) {
            fprintf(out, "%s[%" PRIu32 ", ", k ? ", " : "", stage->sample[k].run);
            br_write_seconds(out, stage->sample[k].wall_ns);
            putc(']', out);
        }
        fputs("]}", out);
    }
    putc(']', out);
}

static void histories_write_json(const struct br_gathered *gathered, FILE *out)
{
    fputs("{\"format\": \"bigrocks-history/1\", \"jobs\": [", out);
    for (uint32_t j = 0; j < gathered->jobs; j++) {
        const struct br_gathered_job *job = &gathered->job[j];
        br_write_text_key(out, j ? ",\n {" : "\n {", "name", job->name);
        fprintf(out, ", \"stages\": %" PRIu32 ",\n  \"runs\": [", job->stages);
        for (uint32_t r = 0; r < job->runs; r++) {
            fprintf(out, "%s{\"began\": \"", r ? ",\n   " : "\n   ");
            histories_write_time(out, job->run[r].began_s, "%Y-%m-%dT%H:%M:%SZ");
            fprintf(out, "\", \"tasks\": %" PRIu32 ", \"work\": ", job->run[r].samples);
            br_write_figure(out, job->run[r].work_s, "0");
            putc('}', out);
        }
        putc(']', out);
        if (job->stage)
            write_stages_json(job, out);
        putc('}', out);
    }
    fprintf(out, "], \"queries\": %" PRIu32 "}\n", gathered->queries);
}

static const struct {
    struct br_named named;
    void (*write)(const struct br_gathered *gathered, FILE *out);
} formats[] = {
    {{"text", "a table for people (the default)"}, histories_write_text},
    {{"json", "all runs, and of one job all samples, for other programs"}, histories_write_json},
    {{"svg", "a picture: durations run by run, of each stage or of each job"}, br_histories_svg},
};

const struct br_names br_histories_formats = {BR_NAMES(formats)};

enum br_status br_emit_history(const char *format, const struct br_gathered *gathered, FILE *out,
                               struct br_diag *diag)
{
    uint32_t k = br_named_find(&br_histories_formats, format);
    if (k == BR_NO_ROW)
        return br_fail_unnamed(diag, &br_histories_formats, format, SIZE_MAX,
                               "histories have no output '%.100s'", format);
    formats[k].write(gathered, out);
    return br_write_finish(out, diag);
}
