/* The common part of the files for workflow engines. */
#include "emit/engines/engine.h"
#include "base/text/diag.h"
#include "base/text/shell.h"
#include "base/roles.h"
#include "emit/pictures/picture.h"
#include "planner/model/commands.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Linux takes no argument of 128 KiB or more, and some engines write words of their own before
     * a line. */
    LINE_MOST = 120000,
};

static bool is_cpu(const char *resource)
{
    return br_role_of(resource) == BR_ROLE_CPU;
}

static bool is_mem(const char *resource)
{
    return br_role_of(resource) == BR_ROLE_MEMORY;
}

const char *br_engine_mem_unit(const struct br_dag *dag)
{
    for (uint32_t r = 0; r < dag->resources; r++)
        if (is_mem(dag->resource[r].name))
            return dag->resource[r].unit;
    return NULL;
}

static void measure_stage(struct br_engine *engine, uint32_t s)
{
    const struct br_dag *dag = engine->dag;
    const struct br_stage *stage = &dag->stage[s];
    struct br_engine_need *need = &engine->need[s];
    *need = (struct br_engine_need){.cpus = 1};
    for (uint32_t d = 0; d < stage->demands; d++) {
        const struct br_demand *demand = &dag->demand[stage->first_demand + d];
        const struct br_resource *resource = &dag->resource[demand->resource];
        if (is_cpu(resource->name)) {
            int64_t cpus = br_decimal_ceil(demand->amount);
            need->cpus = cpus < 1 ? 1 : cpus > UINT32_MAX ? UINT32_MAX : (uint32_t)cpus;
        } else if (is_mem(resource->name)) {
            need->mem_bytes = br_role_bytes(demand->amount, resource->unit);
        }
    }
    assert(need->cpus >= 1 && need->mem_bytes >= 0);
    if (!stage->command)
        engine->idle += stage->tasks;
}

static void measure_machines(struct br_engine *engine)
{
    const struct br_cluster *cluster = engine->input->cluster;
    const char *unit = br_engine_mem_unit(engine->dag);
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t k = 0; k < cluster->cls[c].capacities; k++) {
            const struct br_capacity *capacity = &cluster->cls[c].capacity[k];
            int64_t amount =
                br_role_bytes(capacity->amount, is_mem(capacity->resource) ? unit : NULL);
            if (is_cpu(capacity->resource) && capacity->amount.exponent < 0 && amount > 1)
                amount--; /* it was rounded up */
            if (is_cpu(capacity->resource) && amount > engine->cpus)
                engine->cpus = amount > UINT32_MAX ? UINT32_MAX : (uint32_t)amount;
            if (is_mem(capacity->resource) && amount > engine->mem_bytes)
                engine->mem_bytes = amount;
        }
}

static int by_time(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static enum br_status measure_width(struct br_engine *engine, struct br_diag *diag)
{
    const struct br_plan *plan = engine->input->plan;
    int64_t *ends = malloc(((size_t)plan->tasks + 1) * sizeof *ends);
    uint32_t ended = 0;
    if (!ends)
        return br_fail_memory(diag);
    memcpy(ends, plan->end_ns, plan->tasks * sizeof *ends);
    qsort(ends, plan->tasks, sizeof *ends, by_time);
    for (uint32_t k = 0; k < plan->tasks; k++) { /* ranks follow the starts */
        while (ended < k && ends[ended] <= plan->start_ns[plan->order[k]])
            ended++;
        assert(ended <= k);
        if (k + 1 - ended > engine->most_at_once)
            engine->most_at_once = k + 1 - ended;
    }
    free(ends);
    return BR_OK;
}

enum br_status br_engine_init(struct br_engine *engine, const struct br_emit_input *input,
                              struct br_diag *diag)
{
    const struct br_dag *dag = input->dag;
    *engine = (struct br_engine){.input = input, .dag = dag};
    engine->need = calloc((size_t)dag->stages + 1, sizeof *engine->need);
    engine->has_joint = calloc((size_t)dag->stages + 1, sizeof *engine->has_joint);
    enum br_status status = br_parents_init(&engine->parents, dag, diag);
    if (!status && (!engine->need || !engine->has_joint))
        status = br_fail_memory(diag);
    if (status) {
        br_engine_finish(engine);
        return status;
    }
    for (uint32_t s = 0; s < dag->stages; s++)
        measure_stage(engine, s);
    measure_machines(engine);
    for (uint32_t e = 0; e < dag->edges; e++)
        engine->has_joint[dag->edge[e].parent] |= br_engine_is_joined(dag, &dag->edge[e]);
    status = measure_width(engine, diag);
    if (!status)
        status = br_limits_init(&engine->limits, dag, input->cluster, diag);
    if (status)
        br_engine_finish(engine);
    return status;
}

enum br_status br_engine_chain(struct br_engine *engine, enum br_chain_place place, unsigned keeps,
                               struct br_diag *diag)
{
    return br_chain_init(&engine->chain, &engine->limits, engine->input, &engine->parents, place,
                         keeps, diag);
}

static enum br_status refuse_held(const struct br_engine *engine, const char *who,
                                  struct br_diag *diag)
{
    const struct br_storage *storage = engine->dag->storage;
    const struct br_cluster *cluster = engine->input->cluster;
    for (uint32_t o = 0; storage && o < storage->outputs; o++)
        if (storage->output[o].release)
            return br_fail(diag, BR_BAD_INPUT, "let the last reader's command do it",
                           "%s runs no command that frees the output '%.80s'", who,
                           storage->output[o].id);
    for (uint32_t k = 0; k < cluster->shareds; k++) {
        const char *name = cluster->shared[k].resource;
        if (br_role_of(name) == BR_ROLE_CPU || br_role_of(name) == BR_ROLE_MEMORY)
            return br_fail(diag, BR_BAD_INPUT, "give it another name",
                           "%s cannot share '%.80s' between machines", who, name);
    }
    return BR_OK;
}

enum br_status br_engine_hand_over(struct br_engine *engine, const char *who, struct br_diag *diag)
{
    enum br_status status = refuse_held(engine, who, diag);
    if (status || !engine->dag->storage)
        return status;
    return br_handover_init(&engine->handover, engine->dag, engine->input->cluster,
                            engine->input->plan, who, diag);
}

bool br_engine_is_held(const struct br_engine *engine, uint32_t resource)
{
    const struct br_storage *storage = engine->dag->storage;
    for (uint32_t o = 0; storage && o < storage->outputs; o++)
        if (storage->output[o].resource == resource && storage->output[o].amount.mantissa > 0)
            return true;
    return false;
}

enum br_status br_engine_init_commands(struct br_engine *engine, const struct br_emit_input *input,
                                       struct br_diag *diag)
{
    enum br_status status = br_engine_init(engine, input, diag);
    if (status)
        return status;
    status = br_dag_commands(&engine->arena, input->dag, input->shell, &engine->command, diag);
    if (status)
        br_engine_finish(engine);
    return status;
}

void br_engine_finish(struct br_engine *engine)
{
    br_arena_finish(&engine->arena);
    free(engine->need);
    br_parents_finish(&engine->parents);
    free(engine->has_joint);
    br_limits_finish(&engine->limits);
    br_chain_finish(&engine->chain);
    br_handover_finish(&engine->handover);
    *engine = (struct br_engine){0};
}

enum kept { KEPT, KEPT_WHERE, NOT_KEPT };

static enum kept how_kept(const struct br_engine *engine, const struct br_limit *limit,
                          unsigned keeps)
{
    if (!br_limit_is_kept(limit, keeps))
        return NOT_KEPT;
    bool counted = engine->is_counted && engine->is_counted(engine, limit);
    return engine->others_where && br_limit_is_other(limit) && !counted ? KEPT_WHERE : KEPT;
}

/* A limit for people. For the set-up of an engine it is exact: the engine's name for the resource,
 * and the amount of all machines in the whole numbers in which the file counts it. */
static void write_limit(FILE *out, const struct br_engine *engine, const struct br_limit *limit,
                        enum kept kept)
{
    const struct br_resource *resource = &engine->dag->resource[limit->resource];
    char amount[BR_ROLE_AMOUNT_TEXT];
    if (kept == KEPT_WHERE) {
        br_engine_resource(out, engine, limit);
        fprintf(out, " %" PRId64, limit->total);
        return;
    }
    br_write_cut(out, BR_QUOTE_TABS, resource->name, 40);
    br_role_amount(br_decimal_unscale(limit->most, limit->digits), resource->name, resource->unit,
                   amount);
    fprintf(out, " %s", amount);
}

/* "cpu 6, mem 3 GiB": the limits that are kept this way, or of those that are not kept only the
 * ones that can run short. Empty if there are none. */
static void write_limits(FILE *out, const struct br_engine *engine, unsigned keeps, enum kept kept,
                         const char *before, const char *after)
{
    bool any = false;
    for (uint32_t l = 0; l < engine->limits.count; l++) {
        const struct br_limit *limit = &engine->limits.limit[l];
        if (how_kept(engine, limit, keeps) != kept || !(kept == KEPT || limit->scarce))
            continue;
        fputs(any ? ", " : before, out);
        write_limit(out, engine, limit, kept);
        any = true;
    }
    if (any)
        fputs(after, out);
}

void br_engine_note(const struct br_engine *engine, unsigned keeps)
{
    struct br_emit_note *note = engine->input->note;
    char before[160];
    if (!note)
        return;
    FILE *text = fmemopen(note->text, sizeof note->text, "w");
    if (!text)
        return; /* the file itself says it, too */
    if (engine->others_where) {
        snprintf(before, sizeof before,
                 "limits that are kept only where %s: ", engine->others_where);
        write_limits(text, engine, keeps, KEPT_WHERE, before, "");
    }
    write_limits(text, engine, keeps, NOT_KEPT, "limits that are not kept: ", "");
    fclose(text);
    note->text[sizeof note->text - 1] = '\0';
}

void br_engine_header(FILE *out, const char *comment, const struct br_engine *engine,
                      const char *const *usage, unsigned keeps, const char *const *left_out)
{
    char before[160];
    fprintf(out, "%s ", comment);
    br_write_headline(out, BR_QUOTE_TABS, engine->input);
    /* The full stop protects the next line: a backslash at the end would join it to this one. */
    fprintf(out, ".\n%s Written by bigrocks render.\n", comment);
    for (; *usage; usage++)
        fprintf(out, "%s %s\n", comment, *usage);
    snprintf(before, sizeof before, "%s Keeps the limits of a machine: ", comment);
    write_limits(out, engine, keeps, KEPT, before, ".\n");
    if (engine->others_where) {
        snprintf(before, sizeof before, "%s Keeps, where %s: ", comment, engine->others_where);
        write_limits(out, engine, keeps, KEPT_WHERE, before, ".\n");
    }
    snprintf(before, sizeof before, "%s DOES NOT KEEP the limits: ", comment);
    write_limits(out, engine, keeps, NOT_KEPT, before, ".\n");
    br_engine_note(engine, keeps);
    fprintf(out, "%s Not honoured:\n", comment);
    for (; *left_out; left_out++)
        fprintf(out, "%s - %s\n", comment, *left_out);
    if (engine->idle)
        fprintf(out, "%s %" PRIu32 " of %" PRIu32 " tasks have no command; they do nothing.\n",
                comment, engine->idle, engine->dag->tasks);
}

/* ---- Commands ---- */

static bool put_file(void *to, const char *text, size_t size)
{
    return fwrite(text, 1, size, to) == size;
}

/* Do the two characters begin something for an engine: a macro, a variable, a template? */
static bool is_pair(char a, char b)
{
    return (a == '$' && (b == '$' || b == '(' || b == '{')) || (a == '{' && b == '{');
}

/* A part of a word. Line ends are written as parameters, which the line sets. Between the two
 * characters of a pair the quotes end and begin again. */
static void put_part(FILE *out, const char *text, size_t size)
{
    if (br_shell_is_plain(text, size)) {
        put_file(out, text, size);
        return;
    }
    for (size_t n; size > 0; text += n, size -= n) {
        for (n = 0; n < size && text[n] != '\n' && text[n] != '\r'; n++)
            if (n > 0 && is_pair(text[n - 1], text[n]))
                break;
        if (n > 0) {
            br_shell_quote(text, n, put_file, out);
        } else {
            fputs(*text == '\n' ? "\"$1\"" : "\"$2\"", out);
            n = 1;
        }
        assert(n > 0 && n <= size);
    }
}

static void put_word(FILE *out, const char *word, const char *index)
{
    static const char index_mark[] = "{index}";
    if (!*word)
        fputs("''", out);
    for (const char *mark; (mark = strstr(word, index_mark)); word = mark + sizeof index_mark - 1) {
        put_part(out, word, (size_t)(mark - word));
        fputs(index, out);
    }
    put_part(out, word, strlen(word));
}

static void put_command(FILE *out, const struct br_command *command, const char *index)
{
    bool breaks = false;
    for (uint32_t w = 0; w < command->words; w++)
        breaks |= command->word[w][strcspn(command->word[w], "\r\n")];
    if (breaks) /* the x, since substitution drops the line breaks at the end */
        fputs("set -- \"$(printf '\\nx')\" \"$(printf '\\r')\"; set -- \"${1%x}\" \"$2\"; ", out);
    bool dash = command->word[0][0] == '-'; /* shells differ about exec -- */
    fputs(dash ? "''" : "exec ", out);
    for (uint32_t w = 0; w < command->words; w++) {
        put_word(out, command->word[w], index);
        putc(' ', out);
    }
    fputs("</dev/null", out);
}

enum br_status br_engine_line(const struct br_engine *engine, uint32_t stage, const char *index,
                              char **line, struct br_diag *diag)
{
    static const char *const nothing[] = {"true"};
    static const struct br_command idle = {1, (const char **)nothing};
    const struct br_command *command = &engine->command[stage];
    size_t size;
    FILE *out = open_memstream(line, &size);
    if (!out)
        return br_fail_memory(diag);
    put_command(out, command->words ? command : &idle, index);
    bool failed = ferror(out);
    /* fclose returns 0 even if the C library lacked memory for the end of the text. */
    if (fclose(out) != 0 || failed || !*line) {
        free(*line);
        return br_fail_memory(diag);
    }
    if (size <= LINE_MOST)
        return BR_OK;
    free(*line);
    return br_fail_at(diag, engine->dag->stage[stage].pos, BR_BAD_INPUT,
                      "put it into a script, and call that",
                      "the command of stage '%.80s' has %zu bytes as a line of shell, and engines "
                      "pass no more than %d",
                      engine->dag->stage[stage].id, size, LINE_MOST);
}

enum br_status br_engine_task_line(const struct br_engine *engine, uint32_t task, char **line,
                                   struct br_diag *diag)
{
    uint32_t stage = br_dag_task_stage(engine->dag, task);
    char index[16];
    snprintf(index, sizeof index, "%" PRIu32, task - engine->dag->stage[stage].first_task);
    return br_engine_line(engine, stage, index, line, diag);
}
