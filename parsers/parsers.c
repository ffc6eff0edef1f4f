/* The table of job formats, and the recognition of a file's format. */
#include "parsers/parsers.h"
#include "parsers/other.h"
#include "parsers/builders/bazel.h"
#include "parsers/workflows/chakra.h"
#include "parsers/workflows/dagman.h"
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
static bool is_pegasus(const char *text);
static bool is_github(const char *text);
static bool is_gitlab(const char *text);
static bool is_mspdi(const char *text);
static bool is_minizinc(const char *text);
static bool is_flexible(const char *text);
static bool is_turbo(const char *text);
static bool is_nx(const char *text);
static bool is_cargo(const char *text);

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
    {{"bazel", "log of actions executed by Bazel (JSON or compact)"}, br_is_bazel, br_read_bazel},
    {{"chakra", "execution trace of MLCommons' Chakra (.et or JSON)"},
     br_is_chakra,
     br_read_chakra},
    {{"wfformat", "WfCommons workflow instance, WfFormat 1.5 (JSON)"},
     is_wfformat,
     br_read_wfformat},
    {{"snakemake", "what 'bigrocks import snakemake' hears of a workflow (JSON)"},
     is_snakemake,
     br_read_snakemake},
    {{"dagman", "input file of HTCondor's DAGMan (.dag)"}, br_is_dagman, br_read_dagman},
    {{"nextflow", "trace of a run of Nextflow's (trace.txt)"}, br_is_nextflow, br_read_nextflow},
    {{"pegasus", "Pegasus 5 abstract workflow (workflow.yml)"}, is_pegasus, br_read_pegasus},
    {{"github", "workflow of GitHub Actions (YAML)"}, is_github, br_read_github},
    {{"gitlab", "pipeline of GitLab (.gitlab-ci.yml)"}, is_gitlab, br_read_gitlab},
    {{"turbo", "summary of a run of Turborepo's (JSON)"}, is_turbo, br_read_turbo},
    {{"nx", "graph of tasks of Nx's (JSON)"}, is_nx, br_read_nx},
    {{"cargo", "graph of units of Cargo's (JSON)"}, is_cargo, br_read_cargo},
    {{"stg", "Standard Task Graph"}, is_stg, br_read_stg},
    {{"profile", "Spark job with durations by executor count, as of TPC-H"},
     parsers_is_profile,
     br_read_profile},
    {{"psplib", "PSPLIB project (.sm, or .mm with modes), with its pool"},
     is_psplib,
     br_read_psplib},
    {{"mspdi", "project of Microsoft Project's or ProjectLibre's (XML)"}, is_mspdi, br_read_mspdi},
    {{"minizinc", "project for rcpsp.mzn of MiniZinc's (.dzn), with its pool"},
     is_minizinc,
     br_read_minizinc},
    {{"flexible", "flexible job shop (FJSPLib), with its machines"}, is_flexible, br_read_flexible},
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

/* Does a line begin with the key, perhaps in quotation marks, and a colon? */
static bool has_key(const char *text, const char *key)
{
    const size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *at = line + (*line == '\'' || *line == '"');
        if (strncmp(at, key, length) == 0) {
            at += length + (at > line && at[length] == at[-1]);
            if (*at == ':' && strchr(" \t\r\n", at[1]))
                return true;
        }
    }
    return false;
}

static bool is_pegasus(const char *text)
{
    return (has_key(text, "pegasus") || has_key(text, "x-pegasus")) && has_key(text, "jobs");
}

static bool is_github(const char *text)
{
    return has_key(text, "jobs") && (has_key(text, "on") || has_key(text, "true"));
}

/* What a job does stands inside of it. */
static bool is_gitlab(const char *text)
{
    static const char *const marks[] = {
        "\n  script:", "\n    script:", "\n  extends:", "\n  trigger:"};
    bool inside = false;
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        inside |= strstr(text, marks[k]) != NULL;
    return (inside || has_key(text, "include")) && !has_key(text, "jobs") &&
           (has_key(text, "stages") || strstr(text, "\n  stage:") || strstr(text, "\n    stage:") ||
            has_key(text, "include") || has_key(text, "image") || has_key(text, "default"));
}

static bool is_turbo(const char *text)
{
    return *br_text_begin(text) == '{' && strstr(text, "\"turboVersion\"");
}

/* Its graph of projects may come before the tasks, and be longer than the first bytes. Projects
 * that Nx has found by their package.json have no type. */
static bool is_nx(const char *text)
{
    return *br_text_begin(text) == '{' &&
           ((strstr(text, "\"tasks\"") && strstr(text, "\"roots\"")) ||
            (strstr(text, "\"graph\"") && strstr(text, "\"nodes\"") &&
             (strstr(text, "\"projectType\"") ||
              (strstr(text, "\"targets\"") && strstr(text, "\"executor\"")))));
}

static bool is_cargo(const char *text)
{
    return *br_text_begin(text) == '{' && strstr(text, "\"units\"") && strstr(text, "\"pkg_id\"");
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

static bool is_mspdi(const char *text)
{
    char name[16];
    br_xml_root_name(text, name, sizeof name);
    return strcmp(name, "Project") == 0 && strstr(text, "schemas.microsoft.com/project");
}

static bool is_minizinc(const char *text)
{
    const char *p = br_text_begin(text);
    const bool begins = (*p >= 'a' && *p <= 'z') || *p == '%';
    return begins && strstr(text, "n_tasks") && strstr(text, "n_res") && strchr(text, '=');
}

/* Is the line a number of operations, and for each a number of pairs, then those? */
static bool is_flexible_line(const char *line, size_t length)
{
    const char *end = line + length;
    char *at = (char *)line;
    unsigned long operations = strtoul(at, &at, 10), k = 0;
    for (; k < operations && at < end; k++) {
        unsigned long pairs = strtoul(at, &at, 10);
        if (pairs == 0 || pairs > length)
            return false;
        for (unsigned long n = 0; n < 2 * pairs; n++) {
            char *before = at;
            (void)strtoul(before, &at, 10);
            if (at == before || at > end)
                return false;
        }
    }
    return operations > 0 && k == operations && at + strspn(at, " \t\r") == end;
}

/* Jobs, machines and perhaps a mean, then such a line for each job. The text may end early. */
static bool is_flexible(const char *text)
{
    const char *p = br_text_begin(text);
    while (*p == '#')
        p = br_text_begin(p + strcspn(p, "\n"));
    size_t digits = strspn(p, "0123456789"), blanks = strspn(p + digits, " \t");
    size_t line = strcspn(p, "\n");
    unsigned long rows = 0;
    if (digits == 0 || blanks == 0 || p[strspn(p, "0123456789. \t\r")] != '\n' ||
        p[digits + blanks] < '0')
        return false;
    for (p += line + 1; *p; p += line + 1) {
        line = strcspn(p, "\n");
        if (!p[line]) /* perhaps in the middle of the line */
            return rows > 0 || is_flexible_line(p, line);
        if (p[strspn(p, " \t\r")] == '\n')
            continue;
        if (p[strspn(p, "0123456789 \t\r")] != '\n' || !is_flexible_line(p, line))
            return false;
        rows++;
    }
    return rows > 0;
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
