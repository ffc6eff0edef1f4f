/* The plan as a project of Microsoft Project's (MSPDI): a task for each task, a summary around the
 * tasks of a stage with several, links, resources with their units, and the planned starts as dates
 * and as constraints. Elements stand in the order of Microsoft's schema, which readers rely on.
 *
 * Projects have a date where plans have 0: here the first Monday of the year 2000, so that equal
 * plans give equal bytes. Its calendar works at all hours, so that dates are the plan's seconds. */
#include "emit/analysis/parents.h"
#include "emit/write/attributes.h"
#include "emit/write/outputs.h"
#include "emit/write/slack.h"
#include "emit/write/write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"

enum { MONDAY = 946857600, SECOND_NS = 1000000000, CALENDAR = 1 };
#define TENTH_OF_MINUTE_NS INT64_C(6000000000)

/* The ends that a link ties. */
enum { FINISH_START = 1, START_START = 3 };

struct mspdi_writer {
    FILE *out;
    const struct br_emit_input *input;
    struct br_parents parents;
    struct br_task_slack *slack; /* by task; NULL: unknown */
    int64_t *uid;                /* by task */
    int64_t *summary;            /* by stage: the UID of its summary; 0: it has none */
    bool *written;               /* by stage */
    uint32_t rows;
};

/* ---- Times ---- */

static void mspdi_element_date(FILE *out, const char *indent, const char *name, int64_t ns)
{
    const time_t second = (time_t)(MONDAY + ns / SECOND_NS);
    struct tm date;
    char text[32];
    if (!gmtime_r(&second, &date) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &date))
        *text = '\0';
    fprintf(out, "%s<%s>%s</%s>\n", indent, name, text, name);
}

/* Working time: "PT2H0M1.5S". */
static void mspdi_element_duration(FILE *out, const char *indent, const char *name, int64_t ns)
{
    const int64_t minutes = ns / SECOND_NS / 60;
    fprintf(out, "%s<%s>PT%" PRId64 "H%" PRId64 "M", indent, name, minutes / 60, minutes % 60);
    br_write_seconds(out, ns - minutes * 60 * SECOND_NS);
    fprintf(out, "S</%s>\n", name);
}

/* ---- Numbers of tasks ---- */

static int compare_uids(const void *a, const void *b)
{
    const int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

/* A stage's own UID, as a project that was read has it; 0: none. */
static int64_t mspdi_own_uid(const struct br_attributes *attributes, uint32_t stage)
{
    uint32_t count;
    const struct br_attribute **item = br_attributes_run(attributes, BR_OWNER_STAGE, stage, &count);
    for (uint32_t k = 0; k < count; k++) {
        const char *text = item[k]->value;
        if (strcmp(item[k]->name, "uid") == 0 && strlen(text) < 10 &&
            text[strspn(text, "0123456789")] == '\0')
            return strtoll(text, NULL, 10);
    }
    return 0;
}

/* Are these the UIDs of a project that was read, each of one task? */
static enum br_status mspdi_own_uids(struct mspdi_writer *writer, bool *all, struct br_diag *diag)
{
    const struct br_dag *dag = writer->input->dag;
    struct br_attributes attributes;
    int64_t *sorted = br_malloc(((size_t)dag->stages + 1) * sizeof *sorted);
    enum br_status status = br_attributes_init(&attributes, dag, diag);
    if (!status && !sorted)
        status = br_fail_memory(diag);
    *all = true;
    for (uint32_t s = 0; s < dag->stages && !status; s++) {
        sorted[s] = mspdi_own_uid(&attributes, s);
        *all = *all && sorted[s] > 0 && dag->stage[s].tasks == 1;
        writer->uid[dag->stage[s].first_task] = sorted[s];
    }
    if (!status)
        br_sort_by(sorted, dag->stages, sizeof *sorted, compare_uids);
    for (uint32_t s = 1; s < dag->stages && !status; s++)
        *all = *all && sorted[s] != sorted[s - 1];
    br_attributes_finish(&attributes);
    br_free(sorted);
    return status;
}

/* Otherwise tasks are numbered as they stand in the file: by stage, those that start first first.
 */
static enum br_status mspdi_number_tasks(struct mspdi_writer *writer, struct br_diag *diag)
{
    const struct br_plan *plan = writer->input->plan;
    const struct br_dag *dag = writer->input->dag;
    int64_t next = 1;
    bool own;
    enum br_status status = mspdi_own_uids(writer, &own, diag);
    if (status || own)
        return status;
    memset(writer->uid, 0, (size_t)dag->tasks * sizeof *writer->uid);
    for (uint32_t k = 0; k < plan->tasks; k++) {
        const uint32_t s = br_dag_task_stage(dag, plan->order[k]);
        const struct br_stage *stage = &dag->stage[s];
        if (writer->uid[stage->first_task])
            continue;
        if (stage->tasks > 1)
            writer->summary[s] = next++;
        for (uint32_t i = 0; i < stage->tasks; i++)
            writer->uid[stage->first_task + i] = next++;
    }
    return BR_OK;
}

/* ---- Tasks ---- */

static void mspdi_write_link(FILE *out, int64_t before, struct br_wait wait)
{
    fprintf(out,
            "      <PredecessorLink><PredecessorUID>%" PRId64 "</PredecessorUID><Type>%d</Type>"
            "<CrossProject>0</CrossProject><LinkLag>%" PRId64
            "</LinkLag><LagFormat>3</LagFormat></PredecessorLink>\n",
            before, wait.stream ? START_START : FINISH_START, wait.lag_ns / TENTH_OF_MINUTE_NS);
}

/* The links of a stage as a whole (task: UINT32_MAX) or of one of its tasks. */
static void mspdi_write_links(const struct mspdi_writer *writer, uint32_t stage, uint32_t task)
{
    const struct br_dag *dag = writer->input->dag;
    for (uint32_t k = writer->parents.first[stage]; k < writer->parents.first[stage + 1]; k++) {
        const uint32_t e = writer->parents.edge[k];
        const struct br_edge *edge = &dag->edge[e];
        const struct br_stage *parent = &dag->stage[edge->parent];
        const bool pairs = edge->type == BR_ONE_TO_ONE;
        const struct br_wait wait = br_dag_wait(dag, e);
        if (pairs && task != UINT32_MAX)
            mspdi_write_link(writer->out,
                             writer->uid[parent->first_task + task - dag->stage[stage].first_task],
                             wait);
        else if (!pairs && (task == UINT32_MAX || !writer->summary[stage]))
            mspdi_write_link(writer->out,
                             writer->summary[edge->parent] ? writer->summary[edge->parent]
                                                           : writer->uid[parent->first_task],
                             wait);
    }
}

/* What comes before the name of a task or a summary. */
static void mspdi_open_task(struct mspdi_writer *writer, int64_t uid)
{
    fprintf(writer->out,
            "    <Task>\n      <UID>%" PRId64 "</UID>\n      <ID>%" PRIu32 "</ID>\n      <Name>",
            uid, ++writer->rows);
}

/* Its place in the outline and its times, behind its name. */
static void mspdi_write_span(FILE *out, int level, int64_t start_ns, int64_t end_ns)
{
    fprintf(out,
            "</Name>\n      <Active>1</Active>\n      <Manual>0</Manual>\n      <Type>1</Type>\n"
            "      <IsNull>0</IsNull>\n      <OutlineLevel>%d</OutlineLevel>\n",
            level);
    mspdi_element_date(out, "      ", "Start", start_ns);
    mspdi_element_date(out, "      ", "Finish", end_ns);
    mspdi_element_duration(out, "      ", "Duration", end_ns - start_ns);
    fputs("      <DurationFormat>5</DurationFormat>\n      <EffortDriven>0</EffortDriven>\n"
          "      <Estimated>0</Estimated>\n",
          out);
}

static void mspdi_write_summary(struct mspdi_writer *writer, uint32_t s)
{
    const struct br_plan *plan = writer->input->plan;
    const struct br_stage *stage = &writer->input->dag->stage[s];
    int64_t start_ns = INT64_MAX, end_ns = 0;
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++) {
        start_ns = plan->start_ns[t] < start_ns ? plan->start_ns[t] : start_ns;
        end_ns = plan->end_ns[t] > end_ns ? plan->end_ns[t] : end_ns;
    }
    mspdi_open_task(writer, writer->summary[s]);
    br_write_text(writer->out, BR_QUOTE_XML, stage->id);
    mspdi_write_span(writer->out, 1, start_ns, end_ns);
    fputs("      <Milestone>0</Milestone>\n      <Summary>1</Summary>\n", writer->out);
    mspdi_write_links(writer, s, UINT32_MAX);
    fputs("    </Task>\n", writer->out);
}

static void mspdi_write_task(struct mspdi_writer *writer, uint32_t task)
{
    FILE *out = writer->out;
    const struct br_dag *dag = writer->input->dag;
    const struct br_plan *plan = writer->input->plan;
    const uint32_t s = br_dag_task_stage(dag, task);
    const int64_t deadline_ns = br_dag_deadline(dag, task);
    mspdi_open_task(writer, writer->uid[task]);
    br_write_task(out, BR_QUOTE_XML, dag, task);
    mspdi_write_span(out, writer->summary[s] ? 2 : 1, plan->start_ns[task], plan->end_ns[task]);
    fprintf(out, "      <Milestone>%d</Milestone>\n      <Summary>0</Summary>\n",
            plan->start_ns[task] == plan->end_ns[task]);
    if (writer->slack)
        fprintf(out, "      <Critical>%d</Critical>\n      <TotalSlack>%" PRId64 "</TotalSlack>\n",
                writer->slack[task].total_ns == 0,
                writer->slack[task].total_ns / TENTH_OF_MINUTE_NS);
    fputs("      <PercentComplete>0</PercentComplete>\n"
          "      <ActualDuration>PT0H0M0S</ActualDuration>\n",
          out);
    mspdi_element_duration(out, "      ", "RemainingDuration",
                           plan->end_ns[task] - plan->start_ns[task]);
    fprintf(out, /* no earlier than planned */
            "      <ConstraintType>4</ConstraintType>\n      <CalendarUID>%d</CalendarUID>\n",
            CALENDAR);
    mspdi_element_date(out, "      ", "ConstraintDate", plan->start_ns[task]);
    if (deadline_ns != INT64_MAX)
        mspdi_element_date(out, "      ", "Deadline", deadline_ns);
    fputs("      <IgnoreResourceCalendar>1</IgnoreResourceCalendar>\n", out);
    mspdi_write_links(writer, s, task);
    fputs("    </Task>\n", out);
}

static void mspdi_write_tasks(struct mspdi_writer *writer)
{
    const struct br_dag *dag = writer->input->dag;
    const struct br_plan *plan = writer->input->plan;
    fputs("  <Tasks>\n", writer->out);
    for (uint32_t k = 0; k < plan->tasks && !ferror(writer->out); k++) {
        const uint32_t s = br_dag_task_stage(dag, plan->order[k]);
        if (writer->written[s])
            continue;
        writer->written[s] = true;
        if (writer->summary[s])
            mspdi_write_summary(writer, s);
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++)
            mspdi_write_task(writer, dag->stage[s].first_task + i);
    }
    fputs("  </Tasks>\n", writer->out);
}

/* ---- Resources ---- */

/* The UID of what a machine has of the resource; what all machines share has the first. */
static uint64_t mspdi_resource_uid(const struct mspdi_writer *writer, uint32_t resource,
                                   uint32_t machine)
{
    const struct br_cluster *cluster = writer->input->cluster;
    const bool shared =
        br_cluster_shared(cluster, writer->input->dag->resource[resource].name) != NULL;
    return (uint64_t)resource * cluster->machines + (shared ? 0 : machine) + 1;
}

static void mspdi_write_resource(struct mspdi_writer *writer, uint32_t r, uint32_t machine,
                                 struct br_decimal amount, bool named)
{
    FILE *out = writer->out;
    fprintf(out,
            "    <Resource>\n      <UID>%" PRIu64 "</UID>\n      <ID>%" PRIu32
            "</ID>\n      <Name>",
            mspdi_resource_uid(writer, r, machine), ++writer->rows);
    br_write_text(out, BR_QUOTE_XML, writer->input->dag->resource[r].name);
    if (named) {
        fputs(" of ", out);
        br_write_machine(out, BR_QUOTE_XML, writer->input->cluster, machine);
    }
    fputs("</Name>\n      <Type>1</Type>\n      <IsNull>0</IsNull>\n      <MaxUnits>", out);
    br_write_decimal(out, amount);
    fputs("</MaxUnits>\n    </Resource>\n", out);
}

static void mspdi_write_resources(struct mspdi_writer *writer)
{
    const struct br_dag *dag = writer->input->dag;
    const struct br_cluster *cluster = writer->input->cluster;
    writer->rows = 0;
    fputs("  <Resources>\n", writer->out);
    for (uint32_t r = 0; r < dag->resources; r++) {
        const char *name = dag->resource[r].name;
        const struct br_capacity *shared = br_cluster_shared(cluster, name);
        if (shared)
            mspdi_write_resource(writer, r, 0, shared->amount, false);
        for (uint32_t m = 0; m < cluster->machines && !shared && !ferror(writer->out); m++) {
            const uint32_t class = br_cluster_machine_class(cluster, m);
            const struct br_decimal amount = br_cluster_capacity(cluster, class, name);
            if (amount.mantissa > 0)
                mspdi_write_resource(writer, r, m, amount, cluster->machines > 1);
        }
    }
    fputs("  </Resources>\n", writer->out);
}

static void mspdi_write_assignments(struct mspdi_writer *writer)
{
    FILE *out = writer->out;
    const struct br_dag *dag = writer->input->dag;
    const struct br_plan *plan = writer->input->plan;
    uint64_t uid = 1;
    fputs("  <Assignments>\n", out);
    for (uint32_t k = 0; k < plan->tasks && !ferror(out); k++) {
        const uint32_t task = plan->order[k];
        const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, task)];
        for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++) {
            if (dag->demand[d].amount.mantissa == 0)
                continue;
            fprintf(out,
                    "    <Assignment>\n      <UID>%" PRIu64 "</UID>\n      <TaskUID>%" PRId64
                    "</TaskUID>\n      <ResourceUID>%" PRIu64 "</ResourceUID>\n",
                    uid++, writer->uid[task],
                    mspdi_resource_uid(writer, dag->demand[d].resource, plan->machine[task]));
            mspdi_element_date(out, "      ", "Finish", plan->end_ns[task]);
            mspdi_element_date(out, "      ", "Start", plan->start_ns[task]);
            fputs("      <Units>", out);
            br_write_decimal(out, dag->demand[d].amount);
            fputs("</Units>\n    </Assignment>\n", out);
        }
    }
    fputs("  </Assignments>\n", out);
}

/* ---- The project ---- */

static void mspdi_write_head(const struct mspdi_writer *writer)
{
    FILE *out = writer->out;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
          "<Project xmlns=\"http://schemas.microsoft.com/project\">\n"
          "  <SaveVersion>14</SaveVersion>\n  <Name>",
          out);
    br_write_text(out, BR_QUOTE_XML, writer->input->dag->name);
    fputs("</Name>\n  <ScheduleFromStart>1</ScheduleFromStart>\n", out);
    mspdi_element_date(out, "  ", "StartDate", 0);
    mspdi_element_date(out, "  ", "FinishDate", writer->input->plan->makespan_ns);
    fprintf(out,
            "  <CalendarUID>%d</CalendarUID>\n  <DefaultStartTime>00:00:00</DefaultStartTime>\n"
            "  <DefaultFinishTime>00:00:00</DefaultFinishTime>\n"
            "  <MinutesPerDay>1440</MinutesPerDay>\n  <MinutesPerWeek>10080</MinutesPerWeek>\n"
            "  <DaysPerMonth>30</DaysPerMonth>\n  <Calendars>\n    <Calendar>\n"
            "      <UID>%d</UID>\n      <Name>24 Hours</Name>\n"
            "      <IsBaseCalendar>1</IsBaseCalendar>\n"
            "      <BaseCalendarUID>-1</BaseCalendarUID>\n      <WeekDays>\n",
            CALENDAR, CALENDAR);
    for (int day = 1; day <= 7; day++)
        fprintf(out,
                "        <WeekDay><DayType>%d</DayType><DayWorking>1</DayWorking><WorkingTimes>"
                "<WorkingTime><FromTime>00:00:00</FromTime><ToTime>00:00:00</ToTime></WorkingTime>"
                "</WorkingTimes></WeekDay>\n",
                day);
    fputs("      </WeekDays>\n    </Calendar>\n  </Calendars>\n", out);
}

enum br_status br_emit_mspdi(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    const struct br_dag *dag = input->dag;
    struct mspdi_writer writer = {.out = out, .input = input};
    enum br_status status = br_parents_init(&writer.parents, dag, diag);
    writer.uid = br_calloc((size_t)dag->tasks + 1, sizeof *writer.uid);
    writer.summary = br_calloc((size_t)dag->stages + 1, sizeof *writer.summary);
    writer.written = br_calloc((size_t)dag->stages + 1, sizeof *writer.written);
    if (!status && (!writer.uid || !writer.summary || !writer.written))
        status = br_fail_memory(diag);
    if (!status)
        status = br_emit_slack(input, &writer.slack, diag);
    if (!status)
        status = mspdi_number_tasks(&writer, diag);
    if (!status) {
        mspdi_write_head(&writer);
        mspdi_write_tasks(&writer);
        mspdi_write_resources(&writer);
        mspdi_write_assignments(&writer);
        fputs("</Project>\n", out);
    }
    br_parents_finish(&writer.parents);
    free(writer.slack);
    br_free(writer.uid);
    br_free(writer.summary);
    br_free(writer.written);
    return status;
}
