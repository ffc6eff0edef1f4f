/* Reads the plan form "bigrocks-plan/1" (docs/schema/plan-1.schema.json) back into a job, a cluster
 * and a plan, exactly: writing them again gives the same bytes. Unknown members are skipped, so
 * that plans of later 1.x writers read. The values are stored unchecked; br_plan_verify checks
 * them. This reader refuses only what the structs cannot hold: unknown ids, a missing or repeated
 * task, ranks that are no permutation. */
#include "parsers/plans/plan_forms.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/plans/certificate_json.h"
#include "parsers/plans/plan_reader.h"
#include "parsers/plans/put.h"
#include "planner/instance/completions.h"

static const char format_name[] = "bigrocks-plan/1";

/* A copy of the string at the field in the plan's arena; NULL if absent. */
static bool plan_text(struct br_plan_reader *r, const struct br_json_field *field,
                      const char **text)
{
    if (!br_json_go(&r->json, field))
        return !r->json.status;
    if (!br_json_string(&r->json, field->name))
        return false;
    *text = br_arena_text(&r->plan->arena, r->json.text);
    return *text || br_json_take(&r->json, field->at, br_fail_memory(r->diag));
}

/* The alternative by which the task runs, if the field is there. */
static bool read_alternative(struct br_plan_reader *r, const struct br_json_field *field,
                             struct br_plan_row *row)
{
    struct br_json *json = &r->json;
    const char *id = NULL;
    const char *at = json->at;
    if (br_json_go(json, field) && br_json_string(json, "a task's alternative"))
        id = json->text;
    return !json->status && br_json_take(json, field->at ? field->at : at,
                                         br_plan_find_alternative(r->dag, row->task, id,
                                                                  &row->alternative, r->diag));
}

static bool plans_json_read_task(void *context, uint32_t k)
{
    struct br_plan_reader *r = context;
    enum { ID, START, END, MACHINE, RANK, SUBSET, PRIORITY, SLACK, FREE_SLACK, WAY, FIELDS };
    struct br_json *json = &r->json;
    struct br_plan *plan = r->plan;
    struct br_json_field f[FIELDS] = {
        [ID] = {"id", true, NULL},
        [START] = {"start", true, NULL},
        [END] = {"end", true, NULL},
        [MACHINE] = {"machine", true, NULL},
        [RANK] = {"rank", true, NULL},
        [SUBSET] = {"subset", false, NULL},
        [PRIORITY] = {"priority", false, NULL},
        [SLACK] = {"slack", false, NULL},
        [FREE_SLACK] = {"free_slack", false, NULL},
        [WAY] = {"alternative", false, NULL},
    };
    struct br_plan_row row = {0};
    if (!br_json_fields(json, "a task", f, FIELDS))
        return false;
    const char *after = json->at;
    if (!br_plan_task_named(r, &f[ID], &row.task) ||
        !br_json_optional_seconds(&r->json, &f[START], &row.start_ns) ||
        !br_json_optional_seconds(&r->json, &f[END], &row.end_ns) ||
        !br_plan_machine_named(r, &f[MACHINE], &row.machine) ||
        !br_json_optional_count(&r->json, &f[RANK], plan->tasks, &row.rank) ||
        !read_alternative(r, &f[WAY], &row))
        return false;
    if (br_json_go(json, &f[SUBSET]) && br_json_string(json, "a task's subset"))
        row.subset = json->text;
    if (json->status || !br_json_take(json, f[ID].at, br_plan_put(plan, &row, r->diag)))
        return false;
    struct br_stated_task *stated = &plan->stated->task[row.task];
    br_json_optional_seconds(json, &f[SLACK], &stated->slack_ns);
    br_json_optional_seconds(json, &f[FREE_SLACK], &stated->free_ns);
    if (br_json_go(json, &f[PRIORITY]) && br_json_number(json, "a task's priority"))
        stated->priority = strtod(json->text, NULL);
    json->at = after;
    return !json->status;
}

static bool read_tasks(struct br_plan_reader *r, const struct br_json_field *field)
{
    return br_json_each(&r->json, field, "the tasks", plans_json_read_task, r) &&
           br_json_take(&r->json, field->at, br_plan_check_rows(r->plan, r->dag, r->diag));
}

/* Number of elements of the array, small enough for one allocation. */
static bool count_items(struct br_plan_reader *r, const struct br_json_field *field,
                        uint32_t *count)
{
    struct br_json *json = &r->json;
    *count = 0;
    if (!br_json_go(json, field))
        return !json->status;
    br_json_array(json, field->name);
    while (br_json_item(json))
        if (br_json_skip(json))
            ++*count;
    return !json->status;
}

static bool read_trial(void *context, uint32_t k)
{
    struct br_plan_reader *r = context;
    struct br_json *json = &r->json;
    struct br_json_field f[] = {{"method", true, NULL}, {"makespan", true, NULL}};
    assert(k < r->plan->trials);
    struct br_plan_trial *trial = &r->plan->trial[k];
    if (!br_json_fields(json, "a trial", f, 2))
        return false;
    const char *after = json->at;
    plan_text(r, &f[0], &trial->method);
    br_json_optional_seconds(&r->json, &f[1], &trial->makespan_ns);
    json->at = after;
    return !json->status;
}

static bool read_noise(void *context, uint32_t k)
{
    struct br_plan_reader *r = context;
    struct br_json *json = &r->json;
    struct br_json_field f[] = {
        {"percent", true, NULL}, {"runs", true, NULL}, {"makespan", true, NULL}};
    struct br_plan_noise noise = {0};
    if (k == BR_PLAN_NOISES)
        return br_json_fail(json, json->at, BR_PLAN_REWRITE, "'noise' has more than %d entries",
                            BR_PLAN_NOISES);
    if (!br_json_fields(json, "what noise does", f, 3))
        return false;
    const char *after = json->at;
    br_json_optional_count32(json, &f[0], &noise.percent);
    br_json_optional_count32(json, &f[1], &noise.runs);
    br_json_optional_seconds(json, &f[2], &noise.mean_ns);
    json->at = after;
    r->plan->noise[k] = noise;
    r->plan->noises = k + 1;
    return !json->status;
}

/* A score, or null for none. It was written with nine decimals, so reading is exact. */
static bool read_score(struct br_plan_reader *r, const struct br_json_field *field, double *score)
{
    int64_t ns;
    *score = (double)NAN;
    if (!br_json_go(&r->json, field))
        return !r->json.status;
    if (br_json_peek(&r->json) == 'n')
        return br_json_skip(&r->json);
    if (!br_json_seconds(&r->json, field->name, &ns))
        return false;
    *score = (double)ns / 1e9;
    return true;
}

static bool read_subsets(struct br_plan_reader *r, const struct br_json_field *field,
                         struct br_plan_part *part)
{
    struct br_json_field f[] = {
        {"T", false, NULL}, {"S", false, NULL}, {"P", false, NULL}, {"C", false, NULL}};
    if (!br_json_go(&r->json, field))
        return !r->json.status;
    return br_json_fields(&r->json, "the sizes of the subsets", f, 4) &&
           br_json_optional_count32(&r->json, &f[0], &part->t) &&
           br_json_optional_count32(&r->json, &f[1], &part->s) &&
           br_json_optional_count32(&r->json, &f[2], &part->p) &&
           br_json_optional_count32(&r->json, &f[3], &part->c);
}

static bool plans_json_read_part(void *context, uint32_t k)
{
    struct br_plan_reader *r = context;
    enum {
        PART_STAGES,
        PART_TASKS,
        START,
        PART_MAKESPAN,
        BOUND,
        PART_METHOD,
        BYPASS,
        ORDER,
        LONG_SCORE,
        FRAG_SCORE,
        SUBSETS,
        PAIRS,
        DISTINCT,
        DUPLICATE,
        PRUNED,
        VARIANTS,
        FIELDS
    };
    struct br_json *json = &r->json;
    struct br_json_field f[FIELDS] = {
        [PART_STAGES] = {"stages", false, NULL},    [PART_TASKS] = {"tasks", false, NULL},
        [START] = {"start", false, NULL},           [PART_MAKESPAN] = {"makespan", false, NULL},
        [BOUND] = {"lower_bound", false, NULL},     [PART_METHOD] = {"method", false, NULL},
        [BYPASS] = {"bypass", false, NULL},         [ORDER] = {"order", false, NULL},
        [LONG_SCORE] = {"long_score", false, NULL}, [FRAG_SCORE] = {"frag_score", false, NULL},
        [SUBSETS] = {"subsets", false, NULL},       [PAIRS] = {"pairs", false, NULL},
        [DISTINCT] = {"distinct", false, NULL},     [DUPLICATE] = {"duplicate", false, NULL},
        [PRUNED] = {"pruned", false, NULL},         [VARIANTS] = {"variants", false, NULL},
    };
    assert(k < r->plan->parts);
    struct br_plan_part *part = &r->plan->part[k];
    if (!br_json_fields(json, "a part", f, FIELDS))
        return false;
    const char *after = json->at;
    br_json_optional_count32(&r->json, &f[PART_STAGES], &part->stages);
    br_json_optional_count32(&r->json, &f[PART_TASKS], &part->tasks);
    br_json_optional_seconds(&r->json, &f[START], &part->start_ns);
    br_json_optional_seconds(&r->json, &f[PART_MAKESPAN], &part->makespan_ns);
    br_json_optional_seconds(&r->json, &f[BOUND], &part->lower_bound_ns);
    plan_text(r, &f[PART_METHOD], &part->method);
    plan_text(r, &f[BYPASS], &part->bypass);
    plan_text(r, &f[ORDER], &part->order);
    read_score(r, &f[LONG_SCORE], &part->long_score);
    read_score(r, &f[FRAG_SCORE], &part->frag_score);
    read_subsets(r, &f[SUBSETS], part);
    br_json_optional_count(&r->json, &f[PAIRS], UINT64_MAX, &part->pairs);
    br_json_optional_count(&r->json, &f[DISTINCT], UINT64_MAX, &part->distinct);
    br_json_optional_count(&r->json, &f[DUPLICATE], UINT64_MAX, &part->duplicate);
    br_json_optional_count(&r->json, &f[PRUNED], UINT64_MAX, &part->pruned);
    br_json_optional_count(&r->json, &f[VARIANTS], UINT64_MAX, &part->variants);
    json->at = after;
    return !json->status;
}

static bool read_search(struct br_plan_reader *r, const struct br_json_field *top)
{
    struct br_plan *plan = r->plan;
    if (!count_items(r, &top[BR_PLAN_TRIALS], &plan->trials) ||
        !count_items(r, &top[BR_PLAN_PARTS], &plan->parts))
        return false;
    plan->trial = br_arena_array(&plan->arena, plan->trials, sizeof *plan->trial);
    plan->part = br_arena_array(&plan->arena, plan->parts, sizeof *plan->part);
    if (!plan->trial || !plan->part)
        return br_json_take(&r->json, r->json.at, br_fail_memory(r->diag));
    return br_json_each(&r->json, &top[BR_PLAN_TRIALS], "the trials", read_trial, r) &&
           br_json_each(&r->json, &top[BR_PLAN_PARTS], "the parts", plans_json_read_part, r);
}

static bool read_format(struct br_plan_reader *r, const struct br_json_field *format)
{
    struct br_json *json = &r->json;
    if (!format->at)
        return br_json_fail(json, json->start, BR_PLAN_REWRITE,
                            "this is no plan: it has no 'format'");
    if (!br_json_go(json, format) || !br_json_string(json, "the format's name"))
        return false;
    if (strcmp(json->text, format_name) == 0)
        return true;
    return br_json_fail(json, format->at,
                        strncmp(json->text, format_name, sizeof format_name - 2) == 0
                            ? "read it with the version of bigrocks that wrote it"
                            : BR_PLAN_REWRITE,
                        "the format is '%s', not '%s'", json->text, format_name);
}

static bool read_objective(struct br_plan_reader *r, const struct br_json_field *field)
{
    const char *name = br_named_name(&br_objectives, 0);
    char known[80];
    if (!plan_text(r, field, &name))
        return false;
    uint32_t k = br_named_find(&br_objectives, name);
    if (k != BR_NO_ROW) {
        r->plan->objective = (enum br_objective)k;
        return true;
    }
    br_named_list(&br_objectives, known, sizeof known);
    return br_json_fail(&r->json, field->at, known, "there is no objective '%s'", name);
}

static bool json_read_plan(struct br_plan_reader *r, const char *file)
{
    struct br_json *json = &r->json;
    struct br_json_field top[BR_PLAN_FIELDS] = {
        [BR_PLAN_FORMAT] = {"format", false, NULL},
        [BR_PLAN_JOB] = {"job", false, NULL},
        [BR_PLAN_METHOD] = {"method", false, NULL},
        [BR_PLAN_SEED] = {"seed", false, NULL},
        [BR_PLAN_MAKESPAN] = {"makespan", true, NULL},
        [BR_PLAN_LOWER_BOUND] = {"lower_bound", false, NULL},
        [BR_PLAN_NETWORK_BOUND] = {"network_bound", false, NULL},
        [BR_PLAN_GAP] = {"gap", false, NULL},
        [BR_PLAN_OBJECTIVE] = {"objective", false, NULL},
        [BR_PLAN_MEAN] = {"mean_completion", false, NULL},
        [BR_PLAN_MEAN_BOUND] = {"mean_bound", false, NULL},
        [BR_PLAN_BOUND_METHOD] = {"bound_method", false, NULL},
        [BR_PLAN_BOUND_STATUS] = {"bound_status", false, NULL},
        [BR_PLAN_CERTIFICATE] = {"certificate", false, NULL},
        [BR_PLAN_PLACEMENTS] = {"placements", false, NULL},
        [BR_PLAN_NOTE] = {"note", false, NULL},
        [BR_PLAN_NOISE] = {"noise", false, NULL},
        [BR_PLAN_ATTRIBUTES] = {"attributes", false, NULL},
        [BR_PLAN_RESOURCES] = {"resources", false, NULL},
        [BR_PLAN_STAGES] = {"stages", true, NULL},
        [BR_PLAN_EDGES] = {"edges", false, NULL},
        [BR_PLAN_CLUSTER] = {"cluster", true, NULL},
        [BR_PLAN_TRIALS] = {"trials", false, NULL},
        [BR_PLAN_PARTS] = {"parts", false, NULL},
        [BR_PLAN_TRANSFERS] = {"transfers", false, NULL},
        [BR_PLAN_TASKS] = {"tasks", true, NULL},
    };
    if (!br_json_fields(json, "the plan", top, BR_PLAN_FIELDS) || !br_json_done(json) ||
        !read_format(r, &top[BR_PLAN_FORMAT]) || !br_plan_read_job(r, top, file) ||
        !br_plan_read_cluster(r, &top[BR_PLAN_CLUSTER]) || !br_plan_index_classes(r))
        return false;
    r->plan = br_plan_empty(r->dag);
    if (!r->plan)
        return br_json_take(json, json->start, br_fail_memory(r->diag));
    return br_plan_read_gap(r, &top[BR_PLAN_GAP]) &&
           br_plan_read_status(r, &top[BR_PLAN_BOUND_STATUS]) &&
           plan_text(r, &top[BR_PLAN_METHOD], &r->plan->method) &&
           plan_text(r, &top[BR_PLAN_BOUND_METHOD], &r->plan->bound_method) &&
           plan_text(r, &top[BR_PLAN_NOTE], &r->plan->note) &&
           br_json_optional_count(&r->json, &top[BR_PLAN_SEED], UINT64_MAX, &r->plan->seed) &&
           br_json_optional_count(&r->json, &top[BR_PLAN_PLACEMENTS], UINT64_MAX,
                                  &r->plan->placements) &&
           br_json_optional_seconds(&r->json, &top[BR_PLAN_MAKESPAN], &r->plan->makespan_ns) &&
           br_json_optional_seconds(&r->json, &top[BR_PLAN_LOWER_BOUND],
                                    &r->plan->lower_bound_ns) &&
           br_json_optional_seconds(&r->json, &top[BR_PLAN_NETWORK_BOUND],
                                    &r->plan->network_bound_ns) &&
           read_objective(r, &top[BR_PLAN_OBJECTIVE]) &&
           br_json_optional_seconds(&r->json, &top[BR_PLAN_MEAN], &r->plan->mean_ns) &&
           br_json_optional_seconds(&r->json, &top[BR_PLAN_MEAN_BOUND], &r->plan->mean_bound_ns) &&
           br_read_certificate(&r->json, &top[BR_PLAN_CERTIFICATE], r->dag,
                               &r->plan->certificate) &&
           br_json_each(&r->json, &top[BR_PLAN_NOISE], "the noise", read_noise, r) &&
           read_search(r, top) && br_plan_read_transfers(r, &top[BR_PLAN_TRANSFERS]) &&
           read_tasks(r, &top[BR_PLAN_TASKS]);
}

enum br_status br_read_plan_json(struct br_source *source, struct br_input *input,
                                 struct br_plan **plan, struct br_diag *diag)
{
    struct br_plan_reader r = {.diag = diag};
    enum br_status status = br_plan_read_source(&r, source, "plan", json_read_plan, input);
    *plan = r.plan;
    return status;
}
