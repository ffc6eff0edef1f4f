/* The table of workload formats, and the recognition of a file's format. */
#include "cluster/workload/read/workloads.h"

#include <stdio.h>
#include <string.h>

#include "parsers/spark/log.h"
#include "parsers/text/begin.h"
#include "parsers/text/value.h"
#include "parsers/text/xml.h"
#include "parsers/other.h"
#include "cluster/workload/read/formats.h"

static const struct br_workload_format formats[] = {
    {{"xml", "native form, <workload xmlns=\"" BR_WORKLOAD_SPACE "\">"},
     br_is_workload_xml,
     br_read_workload_xml},
    {{"csv", "the same as a table with commas"}, br_is_workload_csv, br_read_workload_csv},
    {{"tasks", "a table of jobs with the durations of their tasks, and what is known of them"},
     br_is_tasks,
     br_read_tasks},
    {{"swf", "Standard Workload Format, as in the Parallel Workloads Archive"},
     br_is_swf,
     br_read_swf},
    {{"sacct", "Slurm's accounting, as sacct --parsable2 prints it"}, br_is_sacct, br_read_sacct},
    {{"sacct-json", "the same, as sacct --json prints it"}, br_is_sacct_json, br_read_sacct_json},
    {{"spark", "event log of a Spark application"}, br_is_spark, br_read_spark},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

const struct br_names br_workload_formats = {BR_NAMES(formats)};

static enum br_status workloads_refuse_unknown(const struct br_source *source, struct br_diag *diag)
{
    const struct br_pos start = {1, 1};
    char names[160], hint[240];
    const char *text = source->buffer;
    if (text[strspn(text, " \t\r\n\f\v")] == 0 && strlen(text) == source->filled)
        return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, "give it a workload", "the file is empty");
    enum br_status status = br_refuse_accounting(text, diag);
    if (status)
        return status;
    br_xml_root_name(text, names, sizeof names);
    if (strcmp(names, "job") == 0)
        return br_fail_at(diag, start, BR_BAD_INPUT,
                          "'bigrocks workload JOB... -o w.xml' makes a workload of jobs",
                          "this is a job, not a workload of many");
    br_named_list(&br_workload_formats, names, sizeof names);
    snprintf(hint, sizeof hint, "the formats of workloads are %s", names);
    return br_fail_at(diag, start, BR_BAD_INPUT, hint,
                      "the file is in no known format of workloads");
}

static enum br_status workloads_choose(const struct br_source *source, const char *from,
                                       const struct br_workload_format **format,
                                       struct br_diag *diag)
{
    uint32_t k = 0;
    if (from)
        k = br_named_find(&br_workload_formats, from);
    else
        while (k < FORMATS && !formats[k].recognise(source->buffer))
            k++;
    if (k < FORMATS) {
        *format = &formats[k];
        return BR_OK;
    }
    return from ? br_fail_unnamed(diag, &br_workload_formats, from, SIZE_MAX,
                                  "there is no format '%.80s' of workloads", from)
                : workloads_refuse_unknown(source, diag);
}

const char *br_workload_recognise(const char *path)
{
    const struct br_workload_format *format = NULL;
    struct br_source source;
    const char *name = NULL;
    if (br_source_open(&source, path, NULL))
        return NULL;
    if (workloads_choose(&source, NULL, &format, NULL) == BR_OK)
        name = format->named.name;
    br_source_close(&source);
    return name;
}

/* Jobs of a record can be found again in its file by their ids, if it is read in the same way. */
static enum br_status refer(const struct br_source *source,
                            const struct br_workload_options *options, struct br_workload *workload,
                            struct br_diag *diag)
{
    const char *path = source->owned ? br_arena_text(&workload->arena, source->name) : NULL;
    if (!path)
        return source->owned ? br_fail_memory(diag) : BR_OK;
    for (uint32_t j = 0; j < workload->jobs; j++)
        if (!workload->dag[workload->job[j].dag].path && !workload->job[j].entry)
            workload->job[j].entry = workload->job[j].id;
    for (uint32_t d = 0; d < workload->dags; d++) {
        struct br_workload_dag *dag = &workload->dag[d];
        if (dag->path)
            continue;
        dag->path = path;
        dag->cpu_only = options->cpu_only;
        if (options->parallel != BR_PARALLEL_POOL)
            dag->parallel = br_named_name(&br_parallels, options->parallel);
    }
    return BR_OK;
}

/* The length of a note that fits a message: its parts are separated by semicolons, and none is cut.
 */
static int workloads_fitting(const char *note)
{
    size_t length = strlen(note), room = 200;
    if (length <= room)
        return (int)length;
    while (room > 0 && note[room] != ';')
        room--;
    return room > 0 ? (int)room : 200;
}

static enum br_status workloads_read_source(struct br_source *source,
                                            const struct br_workload_options *options,
                                            struct br_workload **workload, struct br_diag *diag)
{
    const struct br_workload_format *format = NULL;
    char stem[256];
    enum br_status status = workloads_choose(source, options->from, &format, diag);
    if (status)
        return status;
    *workload =
        br_workload_create(br_source_stem(source, "workload", stem, sizeof stem), source->name);
    if (!*workload)
        return br_fail_memory(diag);
    (*workload)->ways = options->ways;
    status = format->read(source, options, *workload, diag);
    if (!status && (*workload)->jobs == 0 && (*workload)->note)
        status = br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, "take a record of whole jobs",
                            "the workload has no job: %.*s", workloads_fitting((*workload)->note),
                            (*workload)->note);
    if (!status)
        status = refer(source, options, *workload, diag);
    if (!status && !(*workload)->finished) {
        br_value_place(diag, BR_NO_POS);
        status = br_workload_finish(*workload, diag);
    }
    return status;
}

enum br_status br_parse_workload(const char *path, const struct br_workload_options *options,
                                 struct br_workload **workload, struct br_diag *diag)
{
    static const struct br_workload_table table = {br_workload_recognise, br_parse_workload};
    struct br_workload_options used = options ? *options : br_workload_options_default();
    struct br_source source;
    *workload = NULL;
    br_value_place(diag, BR_NO_POS);
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    used.table = &table;
    status = workloads_read_source(&source, &used, workload, diag);
    br_source_close(&source);
    if (status) {
        br_workload_destroy(*workload);
        *workload = NULL;
    } else {
        br_diag_file(diag, NULL);
    }
    return status;
}
