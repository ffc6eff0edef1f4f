/* Reads the plan form urn:bigrocks:plan:1 (docs/schema/plan-1.rng) back into a job, a cluster and a
 * plan, exactly: writing them again gives the same bytes. The values are stored unchecked;
 * br_plan_verify checks them. Transfers are refused, since this form does not have their rates. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/jobs/job_reader.h"
#include "parsers/plans/names.h"
#include "parsers/plans/plan_forms.h"
#include "parsers/plans/put.h"
#include "parsers/text/value.h"
#include "parsers/text/xml_rule.h"
#include "planner/instance/completions.h"

#define BR_PLAN_SPACE "urn:bigrocks:plan:1"

struct xml_plan_reader {
    struct br_source *source;
    struct br_job_reader *job; /* while it is read */
    struct br_input input;
    struct br_class_names classes;
    struct br_plan *plan;
    /* The attributes of <plan>, and trials, until the job is known: the arena's. */
    struct br_arena arena;
    struct br_plan head;
    struct br_plan_stated stated;
    struct br_plan_trial *trial;
    uint32_t trials, trial_room;
};

static enum br_status xml_text(struct xml_plan_reader *r, struct br_xml *xml, const char *name,
                               const char **text)
{
    const char *value = br_xml_attribute(xml, name);
    *text = value ? br_arena_text(&r->arena, value) : NULL;
    return value && !*text ? br_fail_memory(xml->diag) : BR_OK;
}

static enum br_status missing(struct br_xml *xml, const char *name)
{
    return br_fail(xml->diag, BR_BAD_INPUT, BR_PLAN_REWRITE, "<%.30s> has no attribute '%s'",
                   xml->name, name);
}

/* Seconds of an attribute; 0 if it is absent and not needed. */
static enum br_status xml_seconds(struct br_xml *xml, const char *name, bool needed, int64_t *ns)
{
    const char *text = br_xml_attribute(xml, name);
    *ns = 0;
    if (!text)
        return needed ? missing(xml, name) : BR_OK;
    return br_value_seconds(text, name, xml->name, ns, xml->diag);
}

static enum br_status xml_objective(struct xml_plan_reader *r, struct br_xml *xml)
{
    const char *name = br_xml_attribute(xml, "objective");
    const uint32_t k = name ? br_named_find(&br_objectives, name) : 0;
    if (k == BR_NO_ROW)
        return br_fail(xml->diag, BR_BAD_INPUT, BR_PLAN_REWRITE, "there is no objective '%.80s'",
                       name);
    r->head.objective = (enum br_objective)k;
    return BR_OK;
}

static enum br_status xml_start_plan(void *context, struct br_xml *xml)
{
    struct xml_plan_reader *r = context;
    const char *gap = br_xml_attribute(xml, "gap"), *seed = br_xml_attribute(xml, "seed");
    enum br_status status = xml_text(r, xml, "method", &r->head.method);
    if (!status)
        status = xml_text(r, xml, "bound-method", &r->head.bound_method);
    if (!status)
        status = xml_text(r, xml, "note", &r->head.note);
    if (!status)
        status = xml_seconds(xml, "makespan", true, &r->head.makespan_ns);
    if (!status)
        status = xml_seconds(xml, "lower-bound", false, &r->head.lower_bound_ns);
    if (!status)
        status = xml_seconds(xml, "network-bound", false, &r->head.network_bound_ns);
    if (!status)
        status = xml_seconds(xml, "mean-completion", false, &r->head.mean_ns);
    if (!status)
        status = xml_seconds(xml, "mean-bound", false, &r->head.mean_bound_ns);
    if (status || (status = xml_objective(r, xml)))
        return status;
    if (seed) {
        char *end;
        r->head.seed = strtoull(seed, &end, 10);
        if (*end || end == seed || *seed == '-')
            return br_fail(xml->diag, BR_BAD_INPUT, BR_PLAN_REWRITE, "the seed '%.40s' is no count",
                           seed);
    }
    if (gap) {
        r->stated.gap_given = true;
        r->stated.gap = strtod(gap, NULL);
    }
    return BR_OK;
}

static enum br_status xml_start_of_job(void *context, struct br_xml *xml)
{
    struct xml_plan_reader *r = context;
    if (r->input.dag)
        return br_fail(xml->diag, BR_BAD_INPUT, BR_PLAN_REWRITE, "the plan has two jobs");
    r->job = br_job_reader_create(r->source, 1, 0);
    return r->job ? br_job_reader_start(r->job, xml) : br_fail_memory(xml->diag);
}

static enum br_status xml_start_trial(void *context, struct br_xml *xml)
{
    struct xml_plan_reader *r = context;
    struct br_plan_trial trial = {0};
    enum br_status status = xml_text(r, xml, "method", &trial.method);
    if (!status && !trial.method)
        status = missing(xml, "method");
    if (!status)
        status = xml_seconds(xml, "makespan", true, &trial.makespan_ns);
    if (status)
        return status;
    if (!br_grow(&r->trial, r->trials, &r->trial_room, sizeof *r->trial))
        return br_fail_memory(xml->diag);
    r->trial[r->trials++] = trial;
    return BR_OK;
}

static enum br_status xml_start_transfer(void *context, struct br_xml *xml)
{
    return br_fail(xml->diag, BR_BAD_INPUT, BR_PLAN_REWRITE,
                   "the plan has transfers, whose rates are in the JSON form alone");
}

/* The job is known: makes room for its plan. */
static enum br_status open_plan(struct xml_plan_reader *r, struct br_diag *diag)
{
    struct br_plan *plan = r->plan = br_plan_empty(r->input.dag);
    if (!plan || !br_class_names_init(&r->classes, r->input.cluster))
        return br_fail_memory(diag);
    const struct br_plan *head = &r->head;
    plan->method = br_arena_text(&plan->arena, head->method ? head->method : "");
    plan->bound_method = br_arena_text(&plan->arena, head->bound_method ? head->bound_method : "");
    plan->note = head->note ? br_arena_text(&plan->arena, head->note) : NULL;
    plan->seed = head->seed;
    plan->makespan_ns = head->makespan_ns;
    plan->lower_bound_ns = head->lower_bound_ns;
    plan->network_bound_ns = head->network_bound_ns;
    plan->objective = head->objective;
    plan->mean_ns = head->mean_ns;
    plan->mean_bound_ns = head->mean_bound_ns;
    plan->stated->status = BR_STATED_UNPROVEN; /* this form has no place for a proof */
    plan->stated->gap_given = r->stated.gap_given;
    plan->stated->gap = r->stated.gap;
    return plan->method && plan->bound_method && (!head->note || plan->note) ? BR_OK
                                                                             : br_fail_memory(diag);
}

static enum br_status xml_start_task(void *context, struct br_xml *xml)
{
    struct xml_plan_reader *r = context;
    struct br_plan_row row = {.subset = br_xml_attribute(xml, "subset")};
    if (!r->input.dag)
        return br_fail(xml->diag, BR_BAD_INPUT, BR_PLAN_REWRITE, "a task comes before the job");
    const char *rank = br_xml_attribute(xml, "rank"), *id = br_xml_attribute(xml, "id");
    const char *machine = br_xml_attribute(xml, "machine");
    const char *priority = br_xml_attribute(xml, "priority");
    if (!id || !machine || !rank)
        return missing(xml, !id ? "id" : !machine ? "machine" : "rank");
    char *copy = strdup(id), *of = strdup(machine);
    row.task = copy ? br_find_task_named(r->input.dag, copy) : 0;
    row.machine = of ? br_find_machine_named(&r->classes, of) : 0;
    const bool room = copy && of;
    free(copy);
    free(of);
    if (!room)
        return br_fail_memory(xml->diag);
    if (row.task == UINT32_MAX)
        return br_fail(xml->diag, BR_BAD_INPUT, BR_PLAN_REWRITE, "the job has no task '%.200s'",
                       id);
    if (row.machine == UINT32_MAX)
        return br_fail(xml->diag, BR_BAD_INPUT, BR_PLAN_REWRITE,
                       "the cluster has no machine '%.200s'", machine);
    uint32_t count = 0;
    enum br_status status = br_value_count(rank, "rank", "a task", &count, xml->diag);
    row.rank = count;
    if (!status)
        status =
            br_plan_find_alternative(r->input.dag, row.task, br_xml_attribute(xml, "alternative"),
                                     &row.alternative, xml->diag);
    if (!status)
        status = xml_seconds(xml, "start", true, &row.start_ns);
    if (!status)
        status = xml_seconds(xml, "end", true, &row.end_ns);
    if (!status)
        status = br_plan_put(r->plan, &row, xml->diag);
    if (!status && priority)
        r->plan->stated->task[row.task].priority = strtod(priority, NULL);
    return status;
}

static const struct br_xml_rule rules[] = {
    {"plan",
     "",
     BR_PLAN_SPACE,
     NULL,
     {"method", "seed", "makespan", "lower-bound", "network-bound", "objective", "mean-completion",
      "mean-bound", "gap", "bound-method", "note"},
     xml_start_plan},
    {"job", "plan", BR_JOB_SPACE, NULL, {"name", "shell"}, xml_start_of_job},
    {"trial", "plan", BR_PLAN_SPACE, NULL, {"method", "makespan"}, xml_start_trial},
    {"transfer",
     "plan",
     BR_PLAN_SPACE,
     NULL,
     {"from", "to", "index", "source", "target", "bytes", "start", "end"},
     xml_start_transfer},
    {"task",
     "plan",
     BR_PLAN_SPACE,
     NULL,
     {"id", "start", "end", "machine", "rank", "priority", "subset", "alternative"},
     xml_start_task},
};

static enum br_status check_root(const struct br_xml *xml)
{
    static const char hint[] = "plans begin with <plan xmlns=\"" BR_PLAN_SPACE "\">";
    if (strcmp(xml->name, "plan") != 0)
        return br_fail(xml->diag, BR_BAD_INPUT, hint, "the root element is <%.80s>, not <plan>",
                       xml->name);
    if (strcmp(xml->space, BR_PLAN_SPACE) != 0)
        return br_fail(xml->diag, BR_BAD_INPUT, hint,
                       "the root element <plan> is in the namespace '%.120s'", xml->space);
    return BR_OK;
}

static enum br_status plan_xml_on_start(void *context, struct br_xml *xml)
{
    struct xml_plan_reader *r = context;
    const struct br_xml_rule *rule;
    if (r->job)
        return br_job_reader_start(r->job, xml);
    enum br_status status = xml->depth == 1 ? check_root(xml) : BR_OK;
    const char *parent = xml->depth == 1 ? "" : xml->depth == 2 ? "plan" : "task";
    return status ? status
                  : br_xml_apply(rules, sizeof rules / sizeof *rules, parent, r, xml, &rule);
}

/* At the end of the job: finishes it, so that tasks can be found. */
static enum br_status plan_xml_on_end(void *context, struct br_xml *xml, const char *text)
{
    struct xml_plan_reader *r = context;
    if (!r->job)
        return BR_OK;
    enum br_status status = br_job_reader_end(r->job, xml, text);
    if (status || xml->depth > 2)
        return status;
    status = br_job_reader_finish(r->job, &r->input, xml->diag);
    br_job_reader_destroy(r->job);
    r->job = NULL;
    if (!status)
        status = br_dag_set_source(r->input.dag, r->source->name, xml->diag);
    if (!status)
        status = br_dag_finish(r->input.dag, xml->diag);
    if (!status && !r->input.cluster)
        status = br_fail_at(xml->diag, xml->pos, BR_BAD_INPUT, BR_PLAN_REWRITE,
                            "the plan has no cluster");
    return status ? status : open_plan(r, xml->diag);
}

static enum br_status close_plan(struct xml_plan_reader *r, struct br_diag *diag)
{
    struct br_plan *plan = r->plan;
    if (!plan)
        return br_fail(diag, BR_BAD_INPUT, BR_PLAN_REWRITE, "the plan has no job");
    plan->trial = br_arena_array(&plan->arena, (size_t)r->trials + 1, sizeof *plan->trial);
    for (uint32_t k = 0; plan->trial && k < r->trials; k++) {
        plan->trial[k] = (struct br_plan_trial){br_arena_text(&plan->arena, r->trial[k].method),
                                                r->trial[k].makespan_ns};
        if (!plan->trial[k].method)
            return br_fail_memory(diag);
    }
    plan->trials = r->trials;
    return plan->trial ? br_plan_check_rows(plan, r->input.dag, diag) : br_fail_memory(diag);
}

enum br_status br_read_plan_xml(struct br_source *source, struct br_input *input,
                                struct br_plan **plan, struct br_diag *diag)
{
    static const struct br_xml_handler handler = {
        .start = plan_xml_on_start, .end = plan_xml_on_end, .only_known = true};
    struct xml_plan_reader r = {.source = source};
    enum br_status status = br_xml_read(source, &handler, &r, diag);
    if (!status) {
        br_value_place(diag, BR_NO_POS);
        status = close_plan(&r, diag);
    }
    br_job_reader_destroy(r.job);
    br_class_names_finish(&r.classes);
    br_arena_finish(&r.arena);
    free(r.trial);
    if (status) {
        br_plan_destroy(r.plan);
        br_input_finish(&r.input);
        r.plan = NULL;
    }
    *input = r.input;
    *plan = r.plan;
    return status;
}
