/* The marks of other files, and the commands that read them. */
#include "parsers/other.h"

#include "parsers/plans/plan_forms.h"
#include "parsers/queries/explain.h"
#include "parsers/text/begin.h"

#include <stdio.h>
#include <string.h>

enum { FOLDER_TOLD = 100, FILE_TOLD = 60 };

struct other {
    const char *what;
    const char *command; /* makes a job of the folder; NULL: none does */
    const char *hint;    /* advice if none does */
    bool (*is_it)(const char *text, const char *name);
};

static bool other_ends(const char *name, const char *with)
{
    size_t length = strlen(name), end = strlen(with);
    return length >= end && strcmp(name + length - end, with) == 0;
}

/* Does a line begin with the word and a blank? */
static bool has_line(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (strncmp(at, word, length) == 0 && at[length] == ' ')
            return true;
    return false;
}

static bool is_ninja(const char *text, const char *name)
{
    return other_ends(name, ".ninja") || (has_line(text, "rule") && has_line(text, "build"));
}

static bool other_is_make(const char *text, const char *name)
{
    return strcmp(name, "Makefile") == 0 || strcmp(name, "makefile") == 0 ||
           strcmp(name, "GNUmakefile") == 0 || other_ends(name, ".mk");
}

static bool is_snakefile(const char *text, const char *name)
{
    return strcmp(name, "Snakefile") == 0 || other_ends(name, ".smk");
}

static bool is_wrapped(const char *text, const char *name)
{
    return strcmp(name, "Cargo.toml") == 0 || strcmp(name, "package.json") == 0 ||
           strcmp(name, "MODULE.bazel") == 0;
}

static bool is_compilations(const char *text, const char *name)
{
    return strcmp(name, "compile_commands.json") == 0;
}

static bool is_unbuilt(const char *text, const char *name)
{
    return strcmp(name, "CMakeLists.txt") == 0 || strcmp(name, "meson.build") == 0;
}

static bool is_database(const char *text, const char *name)
{
    return strcmp(text, "SQLite format 3") == 0;
}

static bool is_model(const char *text, const char *name)
{
    return strncmp(text, "br-model", 8) == 0;
}

/* The first line has this word between separators of columns. */
static bool other_has_column(const char *text, const char *word, const char *separators)
{
    for (const char *end = text + strcspn(text, "\r\n"); text < end;) {
        size_t length = strcspn(text, separators);
        if (length == strlen(word) && strncmp(text, word, length) == 0)
            return true;
        text += length + 1;
    }
    return false;
}

/* Its parts have these names, in any order. */
bool br_is_accounting_json(const char *text)
{
    return *br_text_begin(text) == '{' && strstr(text, "\"job_id\"") &&
           strstr(text, "\"restart_cnt\"") && strstr(text, "\"time\"");
}

/* Files for cluster/workload/read: swf, sacct and tables. */
static bool other_is_workload(const char *text, const char *name)
{
    return other_ends(name, ".swf") || other_has_column(text, "JobID", "|\r\n") ||
           other_has_column(text, "arrival", ",\r\n") || br_is_accounting_json(text);
}

/* Names that the command need not be given: it finds them itself, or does not read them. */
static bool is_usual(const char *name)
{
    static const char *const names[] = {"build.ninja", "Makefile",  "makefile",
                                        "GNUmakefile", "Snakefile", "compile_commands.json"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(name, names[k]) == 0)
            return true;
    return false;
}

/* The table that sacct prints by default: names, and below them a line of dashes and blanks. */
static bool is_accounting_table(const char *text)
{
    const char *line = strchr(text, '\n');
    return strncmp(text, "JobID ", 6) == 0 && line && line[1] == '-' &&
           strchr("\r\n", line[1 + strspn(line + 1, "- ")]);
}

/* The first line begins with a job id, and has a time in Slurm's form between bars. */
static bool is_accounting_headless(const char *text)
{
    size_t id = strspn(text, "0123456789_+"), line = strcspn(text, "\r\n");
    unsigned year, month, day;
    if (id == 0 || text[id] != '|')
        return false;
    for (const char *at = text + id; at && at < text + line; at = strchr(at + 1, '|'))
        if (sscanf(at, "|%4u-%2u-%2uT", &year, &month, &day) == 3)
            return true;
    return false;
}

enum br_status br_refuse_accounting(const char *text, struct br_diag *diag)
{
    static const struct {
        const char *what;
        bool (*is_it)(const char *text);
    } forms[] = {
        {"this is the table that sacct prints", is_accounting_table},
        {"these are lines of sacct without the names of its columns", is_accounting_headless},
    };
    const struct br_pos start = {1, 1};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (forms[k].is_it(text))
            return br_fail_at(
                diag, start, BR_BAD_INPUT,
                "write it by 'sacct --parsable2 --allocations --format=" BR_SACCT_USUAL "'", "%s",
                forms[k].what);
    return BR_OK;
}

/* The output of EXPLAIN (COSTS OFF): arrows before names in capitals, or a scan alone. */
static bool is_bare_plan(const char *text, const char *name)
{
    if (br_table_refuse_page(text, NULL))
        return false;
    for (const char *at = strstr(text, "->  "); at; at = strstr(at + 1, "->  "))
        if (at[4] >= 'A' && at[4] <= 'Z')
            return true;
    const char *scan = strstr(br_text_begin(text), " Scan on ");
    return scan && !memchr(text, '\n', (size_t)(scan - text));
}

/* What DuckDB's shell draws for EXPLAIN: boxes with lines between them. */
static bool is_drawn_plan(const char *text, const char *name)
{
    return strstr(text, "\u250c\u2500\u2500\u2500") &&
           (strstr(text, "Physical Plan") || strstr(text, "\u252c\u2500\u2500\u2500"));
}

static bool is_plan_order(const char *text, const char *name)
{
    return br_is_plan_order(text);
}

static const struct other others[] = {
    {"this is a plan in the form 'order', which does not carry its job", NULL,
     "give the job, and this by --order or, to 'bigrocks run', --plan", is_plan_order},
    {"this is a plan of PostgreSQL's without times and costs", NULL,
     "write it by EXPLAIN (ANALYZE)", is_bare_plan},
    {"this is a plan as DuckDB draws it", NULL,
     "write it by PRAGMA enable_profiling = 'json', or by EXPLAIN (ANALYZE, FORMAT JSON)",
     is_drawn_plan},
    {"this is a build of ninja's", "import ninja", NULL, is_ninja},
    {"this is a build of make's", "import make", NULL, other_is_make},
    {"this is a workflow of Snakemake's", "import snakemake", NULL, is_snakefile},
    {"this lists compilations without their dependencies", "import ninja", NULL, is_compilations},
    {"a build is configured from this file", NULL,
     "configure it for ninja in a folder of its own, and give that: 'bigrocks build -C FOLDER'",
     is_unbuilt},
    {"this says what to build, and not in which order", NULL,
     "let its own tool run under 'bigrocks serve', see docs/build.md", is_wrapped},
    {"this is a database, not a job", NULL,
     "a history of runs is given by --history, a store of plans by --store", is_database},
    {"this is a workload of many jobs, not a job", NULL, "'bigrocks simulate' takes it",
     other_is_workload},
    {"this is a learned policy, not a job", NULL,
     "'bigrocks simulate --policy learned --model' takes it", is_model},
};

enum br_status br_refuse_other(const struct br_source *source, struct br_diag *diag)
{
    const struct br_pos start = {1, 1};
    const char *slash = strrchr(source->name, '/'), *name = slash ? slash + 1 : source->name;
    const char *folder = slash ? source->name : ".";
    size_t length = slash > source->name ? (size_t)(slash - source->name) : 1;
    enum br_status status = br_refuse_accounting(source->buffer, diag);
    if (status)
        return status;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        if (!others[k].is_it(source->buffer, name))
            continue;
        if (!others[k].command)
            return br_fail_at(diag, start, BR_BAD_INPUT, others[k].hint, "%s", others[k].what);
        char hint[256];
        bool named = !is_usual(name) && strlen(name) <= FILE_TOLD;
        snprintf(hint, sizeof hint, "'bigrocks %s -C %.*s%s%s' makes a job of it",
                 others[k].command, length > FOLDER_TOLD ? 3 : (int)length,
                 length > FOLDER_TOLD ? "DIR" : folder, named ? " --file " : "", named ? name : "");
        return br_fail_at(diag, start, BR_BAD_INPUT, hint, "%s", others[k].what);
    }
    return br_table_refuse_page(source->buffer, diag);
}
