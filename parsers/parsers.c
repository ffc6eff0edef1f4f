/* The table of job formats, and the recognition of a file's format. */
#include "parsers/parsers.h"
#include "parsers/other.h"
#include "parsers/jobs/dagman.h"
#include "parsers/nextflow/trace.h"
#include "parsers/queries/queries.h"
#include "parsers/spark/log.h"
#include "parsers/reader/formats.h"
#include "parsers/text/begin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_psplib(const char *text);
static bool is_patterson(const char *text);
static bool is_dot(const char *text);
static bool is_job_xml(const char *text);
static bool is_dax(const char *text);
static bool is_wfformat(const char *text);
static bool is_stg(const char *text);
static bool parsers_is_profile(const char *text);
static bool is_snakemake(const char *text);
static bool is_job_shop(const char *text);

static const struct format {
    struct br_named named;
    bool (*recognise)(const char *text); /* decides from the first bytes, NUL-terminated */
    br_read_job *read;
} formats[] = {
    {{"xml", "native job form, <job xmlns=\"" BR_JOB_SPACE "\">"}, is_job_xml, br_read_job_xml},
    {{"dot", "Graphviz digraph, also as SimGrid and daggen write it"}, is_dot, br_read_dot},
    {{"spark", "event log of a Spark application, as one job"}, br_is_spark, br_read_spark_job},
    {{"dax", "Pegasus abstract workflow 2.1 and 3.x, <adag>"}, is_dax, br_read_dax},
    {{"postgres", "PostgreSQL EXPLAIN in any form, as pipelines"},
     br_is_postgres,
     br_read_postgres},
    {{"duckdb", "DuckDB's profile of a query (JSON), as pipelines"}, br_is_duckdb, br_read_duckdb},
    {{"wfformat", "WfCommons workflow instance, WfFormat 1.5 (JSON)"},
     is_wfformat,
     br_read_wfformat},
    {{"snakemake", "what 'bigrocks import snakemake' hears of a workflow (JSON)"},
     is_snakemake,
     br_read_snakemake},
    {{"dagman", "input file of HTCondor's DAGMan (.dag)"}, br_is_dagman, br_read_dagman},
    {{"nextflow", "trace of a run of Nextflow's (trace.txt)"}, br_is_nextflow, br_read_nextflow},
    {{"stg", "Standard Task Graph"}, is_stg, br_read_stg},
    {{"profile", "Spark job with durations by executor count, as of TPC-H"},
     parsers_is_profile,
     br_read_profile},
    {{"psplib", "PSPLIB project (.sm, or .mm with modes), with its pool"},
     is_psplib,
     br_read_psplib},
    {{"jobshop", "job shop (JSPLib, OR-Library), with its machines"}, is_job_shop, br_read_jobshop},
    {{"patterson", "Patterson project (.rcp), with its pool"}, is_patterson, br_read_patterson},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

const struct br_names br_job_formats = {BR_NAMES(formats)};

static bool is_job_xml(const char *text)
{
    char name[16];
    br_xml_root_name(text, name, sizeof name);
    return strcmp(name, "job") == 0;
}

static bool is_dax(const char *text)
{
    char name[16];
    br_xml_root_name(text, name, sizeof name);
    return strcmp(name, "adag") == 0;
}

static bool is_dot(const char *text)
{
    static const char *const words[] = {"strict", "digraph", "graph"};
    const char *p = br_text_begin(text);
    while (p && (*p == '/' || *p == '#')) {
        p = strncmp(p, "/*", 2) == 0 ? br_text_past(p + 2, "*/") : br_text_past(p, "\n");
        p = p ? br_text_begin(p) : NULL;
    }
    for (size_t w = 0; p && w < sizeof words / sizeof words[0]; w++) {
        size_t length = strlen(words[w]);
        if (strncasecmp(p, words[w], length) == 0 && strchr(" \t\r\n{\"/", p[length]))
            return true;
    }
    return false;
}

static bool is_wfformat(const char *text)
{
    return *br_text_begin(text) == '{' && !strstr(text, "\"bigrocks-") &&
           (strstr(text, "\"schemaVersion\"") || strstr(text, "\"specification\""));
}

static bool is_snakemake(const char *text)
{
    return *br_text_begin(text) == '{' && strstr(text, "\"bigrocks-snakemake/");
}

/* The number of tasks alone on its line, then the dummy: number 0, time 0, no predecessors. */
static bool is_stg(const char *text)
{
    const char *p = br_text_begin(text), *digits = p;
    p += strspn(p, "0123456789");
    if (p == digits)
        return false;
    p += strspn(p, " \t\r");
    if (*p++ != '\n')
        return false;
    for (int k = 0; k < 3; k++) {
        p += strspn(p, " \t");
        if (*p++ != '0')
            return false;
    }
    return *p == '\n' || *p == '\r' || *p == ' ' || *p == '\t';
}

/* "query N" alone on the first line, then the size or the number of stages. */
static bool parsers_is_profile(const char *text)
{
    const char *p = br_text_begin(text);
    if (strncmp(p, "query ", 6) != 0)
        return false;
    p += strcspn(p, "\n");
    p += strspn(p, "\r\n");
    return strncmp(p, "size_gb ", 8) == 0 || strncmp(p, "stages ", 7) == 0;
}

static bool is_psplib(const char *text)
{
    return strstr(text, "PRECEDENCE RELATIONS") || strstr(text, "file with basedata");
}

/* The numbers of the line; *p is moved past it. */
static uint32_t count_numbers(const char **p)
{
    uint32_t count = 0;
    for (*p += strspn(*p, " \t\r"); **p >= '0' && **p <= '9'; count++) {
        *p += strspn(*p, "0123456789");
        *p += strspn(*p, " \t\r");
    }
    *p += **p == '\n';
    return count;
}

/* Jobs and machines, then a line for each job with one pair of machine and time per machine. A
 * Patterson file has as many capacities as resources there. The text may end early. */
static bool is_job_shop(const char *text)
{
    const char *p = br_text_begin(text);
    while (*p == '#')
        p = br_text_begin(p + strcspn(p, "\n"));
    const char *first = p;
    unsigned long jobs = strtoul(first, NULL, 10), rows = 0;
    if (count_numbers(&p) != 2)
        return false;
    first += strspn(first, "0123456789");
    unsigned long machines = strtoul(first, NULL, 10);
    while (*p) {
        const char *line = p;
        uint32_t count = count_numbers(&p);
        if (p == line) /* something other than numbers */
            return false;
        bool cut = *p == 0; /* perhaps in the middle of the line */
        if (machines == 0 || (count > 0 && count != 2 * machines && !cut))
            return false;
        rows += count == 2 * machines;
    }
    return rows > 0 && rows <= jobs;
}

static bool is_patterson(const char *text)
{
    const char *p = br_text_begin(text);
    if (is_job_shop(text))
        return false;
    return *p >= '0' && *p <= '9' && text[strspn(text, "0123456789 \t\r\n-")] == 0;
}

static enum br_status parsers_refuse_unknown(const struct br_source *source, bool unnamed,
                                             struct br_diag *diag)
{
    const char *text = source->buffer, *p = br_text_begin(text);
    char name[64], hint[240];
    snprintf(hint, sizeof hint, "%s ",
             unnamed ? "the formats of jobs are" : "name the format by --from:");
    br_named_list(&br_job_formats, hint + strlen(hint), sizeof hint - strlen(hint));
    struct br_pos pos = {1, 1};
    if (source->filled == 0 || (*p == 0 && strlen(text) == source->filled))
        return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, "give it a job", "the file is empty");
    if (strncmp(text, "\xff\xfe", 2) == 0 || strncmp(text, "\xfe\xff", 2) == 0)
        return br_fail_at(diag, pos, BR_BAD_INPUT,
                          unnamed ? "save it as UTF-8"
                                  : "save it as UTF-8, or name the format by --from",
                          "the file is in UTF-16");
    enum br_status status = br_refuse_other(source, diag);
    if (status)
        return status;
    br_xml_root_name(text, name, sizeof name);
    if (strcmp(name, "workload") == 0)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "'bigrocks simulate' takes it",
                          "this is a workload of many jobs, not a job");
    if (strcmp(name, "cluster") == 0)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "give it by --cluster, and a job here",
                          "this is a cluster, not a job");
    if (*name)
        return br_fail_at(diag, pos, BR_BAD_INPUT, hint,
                          "no format for jobs has the root element <%s>", name);
    if (*p == '{')
        return br_fail_at(diag, pos, BR_BAD_INPUT, "give the job that a plan was made from",
                          "this looks like JSON, perhaps a plan, not a job");
    return br_fail_at(diag, pos, BR_BAD_INPUT, hint, "the format of the file is not known");
}

static enum br_status parsers_choose(const struct br_source *source,
                                     const struct br_parse_options *options, br_read_job **read,
                                     struct br_diag *diag)
{
    uint32_t k = 0;
    if (options->from)
        k = br_named_find(&br_job_formats, options->from);
    else
        while (k < FORMATS && !formats[k].recognise(source->buffer))
            k++;
    if (k >= FORMATS)
        return options->from ? br_fail_unnamed(diag, &br_job_formats, options->from, SIZE_MAX,
                                               "there is no format '%.80s'", options->from)
                             : parsers_refuse_unknown(source, options->unnamed, diag);
    *read = formats[k].read;
    if (options->reverse && *read != br_read_dot)
        return br_fail_at(diag, BR_NO_POS, BR_USAGE, "leave it out",
                          "--reverse turns the arrows of graphs in DOT, and this is %s",
                          formats[k].named.name);
    if (options->graph && *read != br_read_dot)
        return br_fail_at(diag, BR_NO_POS, BR_USAGE, "leave it out",
                          "--graph chooses of several graphs in DOT, and this is %s",
                          formats[k].named.name);
    if (options->processes && *read != br_read_nextflow)
        return br_fail_at(diag, BR_NO_POS, BR_USAGE, "leave it out",
                          "--processes is for traces of Nextflow's runs, and this is %s",
                          formats[k].named.name);
    if ((options->duration || options->demands || options->skip_self_loops) && *read != br_read_dot)
        return br_fail_at(diag, BR_NO_POS, BR_USAGE, "leave it out",
                          "--duration, --demand and --skip-self-loops are for graphs in DOT, and "
                          "this is %s",
                          formats[k].named.name);
    return BR_OK;
}

const char *br_parse_recognise(const char *path)
{
    struct br_source source;
    const char *name = NULL;
    if (br_source_open(&source, path, NULL))
        return NULL;
    for (size_t k = 0; k < FORMATS && !name; k++)
        if (formats[k].recognise(source.buffer))
            name = formats[k].named.name;
    br_source_close(&source);
    return name;
}

enum br_status br_parse_job(const char *path, const struct br_parse_options *options,
                            struct br_input *input, struct br_diag *diag)
{
    return br_read_whole_job(path, options, parsers_choose, input, diag);
}
