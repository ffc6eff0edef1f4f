/* Events of HTCondor's jobs, as the log of a DAG's nodes has them. An event begins with a line
 * "001 (CLUSTER.PROCESS.SUBPROCESS) DATE TIME ..." and ends with "...". Submissions (000) name
 * their node in a line "DAG Node: NAME"; a job executes (001), maybe several times, if it is
 * evicted or held in between, and terminates (005). Old logs have dates without a year. Source:
 * HTCondor, manual, "Job Event Log Codes"; src/condor_utils/condor_event.cpp. */
#include "parsers/workflows/dagman_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/index.h"
#include "parsers/text/date.h"
#include "parsers/text/lines.h"
#include "parsers/text/value.h"

enum { LINE_MOST = 1 << 20, SUBMIT = 0, EXECUTE = 1, TERMINATED = 5 };
/* Without a year they are taken for those of one without a leap day. */
static const int64_t year_ns = INT64_C(365) * 86400 * 1000000000;

/* A process of a job. */
struct process {
    uint32_t cluster, number;
    uint32_t stage;             /* UINT32_MAX: none */
    int64_t start_ns, end_ns;   /* of its last execution; -1: not yet */
    bool named, yearless, well; /* it has a node; its dates have no year; it ended well */
};

struct log {
    struct br_dag *dag;
    uint32_t strange;   /* jobs of nodes that the job does not have, such as services */
    int64_t *node_ns;   /* by stage: how long its job ran; -1: none has ended well */
    int64_t elapsed_ns; /* from the first start of a job that counts to the last end; 0: not known
                         */
    struct br_diag *diag;
    struct br_lines lines;
    struct process *process;
    uint32_t processes, room;
    struct br_index by_number;
    /* Of the event that is read. */
    uint32_t code, now; /* now: its process, UINT32_MAX: not wanted */
};

static uint64_t process_hash(const void *context, uint32_t number)
{
    const struct log *log = context;
    const struct process *process = &log->process[number];
    return br_hash_number((uint64_t)process->cluster << 32 | process->number);
}

static bool process_equal(const void *context, uint32_t number, const void *key)
{
    const struct log *log = context;
    const struct process *other = key, *process = &log->process[number];
    return process->cluster == other->cluster && process->number == other->number;
}

static const struct br_index_keys process_keys = {process_hash, process_equal};

/* The process of that number, a new one if there is none; UINT32_MAX when memory is out. */
static uint32_t log_process(struct log *log, struct process wanted)
{
    const uint64_t hash = br_hash_number((uint64_t)wanted.cluster << 32 | wanted.number);
    const uint32_t found = br_index_find(&log->by_number, &process_keys, log, &wanted, hash);
    if (found != UINT32_MAX)
        return found;
    if (!br_grow(&log->process, log->processes, &log->room, sizeof *log->process))
        return UINT32_MAX;
    log->process[log->processes] = wanted;
    return br_index_add(&log->by_number, &process_keys, log, log->processes) ? log->processes++
                                                                             : UINT32_MAX;
}

/* "2025-02-13 10:44:39", or "02/13 10:44:39" without a year. -1: it is no date. */
static int64_t log_date(const char *text, bool *yearless)
{
    char dated[40];
    unsigned month, day;
    char clock[20];
    *yearless = sscanf(text, "%2u/%2u %19[0-9:.]", &month, &day, clock) == 3;
    if (!*yearless)
        return br_date_parse(text);
    snprintf(dated, sizeof dated, "2001-%02u-%02u %s", month % 100, day % 100, clock);
    return br_date_parse(dated);
}

static enum br_status log_fail(const struct log *log)
{
    const struct br_pos pos = {log->lines.number, 1};
    return br_fail_at(log->diag, pos, BR_BAD_INPUT,
                      "give the log of the nodes (.nodes.log) in text form, as HTCondor wrote it",
                      "this is no line of an event such as '001 (12.000.000) 2025-01-31 10:00:00'");
}

/* Reads the head: "001 (12.000.000) 2025-01-31 10:00:00 Job executing ...". */
static bool log_head(const char *line, uint32_t *code, struct process *process, const char **date)
{
    unsigned event;
    unsigned long long cluster, number;
    int read = 0;
    /* Scripts of nodes without a job have process 2147483647. */
    if (sscanf(line, "%3u (%10llu.%10llu.%*10u) %n", &event, &cluster, &number, &read) != 3 ||
        !read || cluster > UINT32_MAX || number > UINT32_MAX)
        return false;
    *code = event;
    *process = (struct process){.cluster = (uint32_t)cluster,
                                .number = (uint32_t)number,
                                .stage = UINT32_MAX,
                                .start_ns = -1,
                                .end_ns = -1};
    *date = line + read;
    return true;
}

static enum br_status log_begin(struct log *log)
{
    struct process wanted;
    const char *date;
    bool yearless;
    if (!log_head(log->lines.line, &log->code, &wanted, &date))
        return log_fail(log);
    const int64_t ns = log_date(date, &yearless);
    if (ns < 0)
        return log_fail(log);
    log->now = UINT32_MAX;
    if (log->code != SUBMIT && log->code != EXECUTE && log->code != TERMINATED)
        return BR_OK;
    log->now = log_process(log, wanted);
    if (log->now == UINT32_MAX)
        return br_fail_memory(log->diag);
    struct process *process = &log->process[log->now];
    process->yearless |= yearless;
    if (log->code == EXECUTE) {
        process->start_ns = ns;
        process->end_ns = -1;
    } else if (log->code == TERMINATED) {
        process->end_ns = ns;
        process->well = false;
    }
    return BR_OK;
}

/* A line of the event after its head. */
static void log_detail(struct log *log, const char *line)
{
    static const char node[] = "DAG Node: ", well[] = "(1) Normal termination (return value 0)";
    line += strspn(line, " \t");
    if (log->now == UINT32_MAX)
        return;
    struct process *process = &log->process[log->now];
    if (log->code == SUBMIT && strncmp(line, node, sizeof node - 1) == 0 && !process->named) {
        process->stage = br_dag_find_stage(log->dag, line + sizeof node - 1);
        process->named = true;
        log->strange += process->stage == UINT32_MAX;
    } else if (log->code == TERMINATED && strncmp(line, well, sizeof well - 1) == 0) {
        process->well = true;
    }
}

static enum br_status log_read(struct log *log)
{
    bool more, inside = false;
    enum br_status status;
    while (!(status = br_lines_next(&log->lines, &more, log->diag)) && more) {
        const char *line = log->lines.line;
        if (inside && strcmp(line, "...") == 0)
            inside = false;
        else if (inside)
            log_detail(log, line);
        else if (line[strspn(line, " \t")]) {
            status = log_begin(log);
            inside = true;
        }
        if (status)
            return status;
    }
    /* DAGMan may still be writing: an event without an end is left out. */
    if (!status && inside && log->code == TERMINATED && log->now != UINT32_MAX)
        log->process[log->now].well = false;
    return status;
}

/* What counts of each node: all processes of its last job, if they ended well. */
static void log_take(struct log *log)
{
    int64_t first_ns = INT64_MAX, last_ns = -1;
    bool over_year = false;
    for (uint32_t k = 0, end; k < log->processes; k = end) {
        const struct process *job = &log->process[k];
        int64_t start_ns = INT64_MAX, end_ns = -1;
        bool well = job->stage != UINT32_MAX;
        for (end = k; end < log->processes && log->process[end].cluster == job->cluster; end++) {
            const struct process *one = &log->process[end];
            int64_t ended_ns = one->end_ns;
            well &= one->well && one->start_ns >= 0 && ended_ns >= 0;
            if (one->yearless && ended_ns >= 0 && ended_ns < one->start_ns) {
                ended_ns += year_ns;
                over_year = true;
            }
            start_ns = one->start_ns < start_ns ? one->start_ns : start_ns;
            end_ns = ended_ns > end_ns ? ended_ns : end_ns;
        }
        if (!well)
            continue;
        log->node_ns[job->stage] = end_ns > start_ns ? end_ns - start_ns : 0;
        first_ns = start_ns < first_ns ? start_ns : first_ns;
        last_ns = end_ns > last_ns ? end_ns : last_ns;
    }
    log->elapsed_ns = last_ns > first_ns && !over_year ? last_ns - first_ns : 0;
}

/* Gives the times to the stages, and says what has none. */
static enum br_status log_give(const struct log *log, uint32_t done)
{
    struct br_dag *dag = log->dag;
    uint32_t idle = 0;
    for (uint32_t s = 0; s < dag->stages; s++) {
        if (log->node_ns[s] >= 0)
            br_dag_set_stage_duration(dag, s, log->node_ns[s]);
        idle += log->node_ns[s] < 0;
    }
    if (idle == dag->stages)
        return br_fail_at(log->diag, BR_NO_POS, BR_BAD_INPUT,
                          "give the log of a run of this file's nodes",
                          "the log has no node of this file whose job ended well");
    enum br_status status = BR_OK;
    if (idle > done)
        status = br_dag_add_doubt(dag, log->diag,
                                  "%" PRIu32 " nodes have not ended well in the log: they take "
                                  "--default-duration",
                                  idle - done);
    else
        dag->recorded_ns = log->elapsed_ns;
    if (!status && log->strange)
        status = br_dag_add_doubt(dag, log->diag,
                                  "%" PRIu32 " jobs of the log are of no node that is read",
                                  log->strange);
    return status;
}

static enum br_status log_read_all(struct log *log, uint32_t done)
{
    log->node_ns = br_malloc(((size_t)log->dag->stages + 1) * sizeof *log->node_ns);
    for (uint32_t s = 0; log->node_ns && s < log->dag->stages; s++)
        log->node_ns[s] = -1;
    enum br_status status = log->node_ns ? log_read(log) : br_fail_memory(log->diag);
    if (status)
        return status;
    log_take(log);
    return log_give(log, done);
}

enum br_status br_dagman_take_run(const char *path, const char *file, uint32_t done,
                                  struct br_input *input, struct br_diag *diag)
{
    struct br_source source;
    struct process first;
    uint32_t code;
    const char *date;
    if (!path || strcmp(path, "-") == 0) /* standard input is read once: as a table */
        return BR_OK;
    br_value_place(diag, BR_NO_POS);
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    struct log log = {.dag = input->dag, .diag = diag, .lines = br_lines_of(&source, LINE_MOST)};
    const char *start = source.buffer + strspn(source.buffer, " \t\r\n");
    if (*start == '<' || *start == '{' || *start == '[')
        status = br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT,
                            "give the log of the nodes that DAGMan keeps (.nodes.log)",
                            "logs in XML and JSON are not read");
    input->timed = !status && log_head(start, &code, &first, &date);
    if (input->timed)
        status = log_read_all(&log, done);
    if (!status)
        br_diag_file(diag, file);
    br_lines_finish(&log.lines);
    br_index_finish(&log.by_number);
    br_free(log.process);
    br_free(log.node_ns);
    br_source_close(&source);
    return status;
}
