/* Workflow instances in WfFormat 1.5 and 1.6 [Coleman22]: a specification (tasks, their parents and
 * files) and, joined by the tasks' ids, a recorded execution (runtimes, cores, memory, commands,
 * the machines). Recorders omit values that they did not see, or write 0; both count as unknown. */
#include "parsers/reader/formats.h"
#include "parsers/text/json.h"
#include "parsers/jobs/transfer.h"
#include "parsers/workflows/uses.h"
#include "parsers/text/value.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/arena.h"
#include "base/collections/grow.h"
#include "base/text/shell.h"
#include "base/text/text.h"

enum { TEXT_LIMIT = 1 << 30 };
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A task in the record of an execution; 0 and NULL: not given. */
struct record {
    int64_t duration_ns, cores, mem_bytes;
    struct br_decimal share; /* cores to the thousandth; 0: whole ones */
    char *command;           /* on the heap */
};

struct file {
    const char *name;
    int64_t bytes;
};

/* A name in `parents` or `children`; the task may come later. */
struct reference {
    const char *name;
    uint32_t stage;
    bool is_parent;
    struct br_pos pos; /* of the task that names it */
};

struct machine {
    const char *name;
    int64_t cores, mem_bytes;
};

struct wfformat {
    struct br_json json;
    struct br_diag *diag;
    const struct br_parse_options *options;
    struct br_input *input;
    struct br_dag *dag;
    struct br_arena arena; /* names of files, references and machines */

    uint32_t stage; /* of the task that is being read */
    struct br_pos pos;
    bool is_parent;   /* the list of references that is being read */
    int direction;    /* the list of files that is being read */
    uint32_t records; /* stages of the specification; transfers add more */
    struct record *record;
    char *command; /* of the record that is being read */
    size_t command_size, command_room;

    struct br_uses uses;
    uint32_t references, reference_room, files, file_room, machines, machine_room;
    struct reference *reference;
    struct file *file;
    struct machine *machine;
};

static bool jobs_wfformat_no_memory(struct wfformat *wf)
{
    return br_json_take(&wf->json, wf->json.at, br_fail_memory(wf->diag));
}

/* The string just read, valid as long as the reader. */
static const char *jobs_wfformat_keep(struct wfformat *wf)
{
    const char *kept = br_arena_text(&wf->arena, wf->json.text);
    if (!kept)
        jobs_wfformat_no_memory(wf);
    return kept;
}

/* A number of 0 or more, rounded up to a whole one; negative and too large ones become 0. Null,
 * which some recorders write, counts as missing. */
static bool optional_whole(struct wfformat *wf, const struct br_json_field *field, int64_t *value)
{
    struct br_decimal number;
    if (!br_json_go(&wf->json, field))
        return !wf->json.status;
    if (br_json_peek(&wf->json) == 'n')
        return br_json_skip(&wf->json);
    if (!br_json_number(&wf->json, field->name))
        return false;
    if (br_decimal_parse_nearest(wf->json.text, &number) ||
        !br_decimal_quotient_ns(number, (struct br_decimal){1, 9}, value))
        *value = 0;
    return true;
}

static bool read_reference(void *context, uint32_t k)
{
    struct wfformat *wf = context;
    (void)k;
    if (!br_json_string(&wf->json, "the id of a task"))
        return false;
    struct reference reference = {jobs_wfformat_keep(wf), wf->stage, wf->is_parent, wf->pos};
    if (!reference.name)
        return false;
    if (!br_grow(&wf->reference, wf->references, &wf->reference_room, sizeof *wf->reference))
        return jobs_wfformat_no_memory(wf);
    wf->reference[wf->references++] = reference;
    return true;
}

static bool read_use(void *context, uint32_t k)
{
    struct wfformat *wf = context;
    (void)k;
    if (!br_json_string(&wf->json, "the id of a file"))
        return false;
    struct br_file_use use = {.stage = wf->stage,
                              .name = jobs_wfformat_keep(wf),
                              .direction = wf->direction,
                              .pos = wf->pos};
    if (!use.name)
        return false;
    return br_uses_add(&wf->uses, use) || jobs_wfformat_no_memory(wf);
}

/* A task of the specification. */
static bool jobs_wfformat_read_task(void *context, uint32_t k)
{
    struct wfformat *wf = context;
    struct br_json *json = &wf->json;
    enum { ID, NAME, PARENTS, CHILDREN, INPUTS, OUTPUTS };
    struct br_json_field field[] = {{"id", true, NULL},          {"name", false, NULL},
                                    {"parents", false, NULL},    {"children", false, NULL},
                                    {"inputFiles", false, NULL}, {"outputFiles", false, NULL}};
    (void)k;
    br_json_peek(json);
    wf->pos = br_json_pos(json, json->at);
    if (!br_json_fields(json, "a task", field, COUNT(field)))
        return false;
    const char *after = json->at, *at = field[ID].at;
    br_json_go(json, &field[ID]);
    if (!br_json_string(json, "the task's id"))
        return false;
    br_value_place(wf->diag, wf->pos);
    if (!br_json_take(json, at, br_dag_add_stage(wf->dag, json->text, 1, 0, &wf->stage, wf->diag)))
        return false;
    br_dag_set_stage_pos(wf->dag, wf->stage, wf->pos);
    if (br_json_go(json, &field[NAME])) {
        at = json->at;
        if (br_json_string(json, "the task's name") &&
            strcmp(json->text, wf->dag->stage[wf->stage].id) != 0 && br_text_is_lines(json->text))
            br_json_take(json, at,
                         br_dag_add_attribute(wf->dag, BR_OWNER_STAGE, wf->stage, "name",
                                              json->text, wf->diag));
    }
    wf->is_parent = true;
    br_json_each(json, &field[PARENTS], "the task's parents", read_reference, wf);
    wf->is_parent = false;
    br_json_each(json, &field[CHILDREN], "the task's children", read_reference, wf);
    wf->direction = BR_USE_INPUT;
    br_json_each(json, &field[INPUTS], "the task's input files", read_use, wf);
    wf->direction = BR_USE_OUTPUT;
    br_json_each(json, &field[OUTPUTS], "the task's output files", read_use, wf);
    json->at = after;
    return !json->status;
}

static bool jobs_wfformat_read_file(void *context, uint32_t k)
{
    struct wfformat *wf = context;
    struct br_json_field field[] = {{"id", true, NULL}, {"sizeInBytes", false, NULL}};
    struct file file = {0};
    (void)k;
    if (!br_json_fields(&wf->json, "a file", field, COUNT(field)))
        return false;
    const char *after = wf->json.at;
    br_json_go(&wf->json, &field[0]);
    if (!br_json_string(&wf->json, "the file's id") || !(file.name = jobs_wfformat_keep(wf)) ||
        !optional_whole(wf, &field[1], &file.bytes))
        return false;
    if (!br_grow(&wf->file, wf->files, &wf->file_room, sizeof *wf->file))
        return jobs_wfformat_no_memory(wf);
    wf->file[wf->files++] = file;
    wf->json.at = after;
    return true;
}

static bool jobs_wfformat_put_command(void *to, const char *text, size_t size)
{
    struct wfformat *wf = to;
    size_t need = wf->command_size + size + 1;
    if (need > wf->command_room) {
        char *larger = realloc(wf->command, need * 2);
        if (!larger)
            return jobs_wfformat_no_memory(wf);
        wf->command = larger;
        wf->command_room = need * 2;
    }
    assert(wf->command_size + size < wf->command_room);
    memcpy(wf->command + wf->command_size, text, size);
    wf->command_size += size;
    wf->command[wf->command_size] = '\0';
    return true;
}

static bool jobs_wfformat_put_word(struct wfformat *wf, const char *word)
{
    size_t size = strlen(word);
    return br_shell_is_plain(word, size)
               ? jobs_wfformat_put_command(wf, word, size)
               : br_shell_quote(word, size, jobs_wfformat_put_command, wf);
}

static bool read_argument(void *context, uint32_t k)
{
    struct wfformat *wf = context;
    (void)k;
    return br_json_scalar(&wf->json, "an argument") && jobs_wfformat_put_command(wf, " ", 1) &&
           jobs_wfformat_put_word(wf, wf->json.text);
}

/* Program and arguments are words. A program without arguments is a line, or a whole script, as
 * recorders of workflow languages write it; `run` refuses characters with a meaning for the shell,
 * or runs the line with --shell. */
static bool read_command(struct wfformat *wf, const struct br_json_field *command, char **text)
{
    struct br_json_field field[] = {{"program", false, NULL}, {"arguments", false, NULL}};
    if (!br_json_go(&wf->json, command) ||
        !br_json_fields(&wf->json, "the command", field, COUNT(field)))
        return !wf->json.status;
    wf->command_size = 0;
    bool alone = true;
    if (br_json_go(&wf->json, &field[1])) {
        br_json_array(&wf->json, "the arguments");
        alone = !br_json_item(&wf->json);
    }
    if (br_json_go(&wf->json, &field[0]) &&
        !(br_json_string(&wf->json, "the program") &&
          (alone ? jobs_wfformat_put_command(wf, wf->json.text, strlen(wf->json.text))
                 : jobs_wfformat_put_word(wf, wf->json.text))))
        return false;
    if (!br_json_each(&wf->json, &field[1], "the arguments", read_argument, wf))
        return false;
    free(*text);
    *text = NULL;
    if (wf->command_size == 0 || !br_text_is_lines(wf->command))
        return true;
    *text = strdup(wf->command);
    return *text || jobs_wfformat_no_memory(wf);
}

/* WfFormat 1.6 has parts of a core: to the thousandth, rounded up, so that sums stay exact. */
static struct br_decimal read_share(struct wfformat *wf, const struct br_json_field *cores)
{
    struct br_decimal number, none = {0, 0};
    if (!br_json_go(&wf->json, cores) || br_json_peek(&wf->json) == 'n' ||
        !br_json_number(&wf->json, cores->name) ||
        br_decimal_parse_nearest(wf->json.text, &number) || number.mantissa <= 0)
        return none;
    number.exponent += 3;
    const int64_t thousandths = br_decimal_ceil(number);
    return thousandths % 1000 && thousandths < INT64_MAX ? br_decimal_unscale(thousandths, 3)
                                                         : none;
}

static bool jobs_wfformat_fill_record(struct wfformat *wf, const struct br_json_field *runtime,
                                      const struct br_json_field *cores,
                                      const struct br_json_field *cpu,
                                      const struct br_json_field *memory, struct record *record)
{
    struct br_json *json = &wf->json;
    int64_t percent = 0;
    record->duration_ns = wf->options->default_duration_ns;
    record->cores = record->mem_bytes = 0;
    if (br_json_go(json, runtime) && br_json_peek(json) != 'n' &&
        br_json_seconds(json, runtime->name, &record->duration_ns) && record->duration_ns < 0)
        record->duration_ns = 0;
    if (!optional_whole(wf, cores, &record->cores) || !optional_whole(wf, cpu, &percent) ||
        !optional_whole(wf, memory, &record->mem_bytes))
        return false;
    record->share = read_share(wf, cores);
    /* To the nearest core: a measured 101 % is one. */
    if (record->cores == 0)
        record->cores = percent / 100 + (percent % 100 >= 50);
    if (record->cores == 0)
        record->cores = 1;
    return true;
}

/* A task of the execution. It is left out if the specification lacks it; of several with one id the
 * last counts. */
static bool jobs_wfformat_read_record(void *context, uint32_t k)
{
    struct wfformat *wf = context;
    struct br_json *json = &wf->json;
    enum { ID, RUNTIME, CORES, CPU, MEMORY, COMMAND };
    struct br_json_field field[] = {
        {"id", true, NULL},      {"runtimeInSeconds", false, NULL}, {"coreCount", false, NULL},
        {"avgCPU", false, NULL}, {"memoryInBytes", false, NULL},    {"command", false, NULL}};
    (void)k;
    if (!br_json_fields(json, "a task", field, COUNT(field)))
        return false;
    const char *after = json->at;
    br_json_go(json, &field[ID]);
    if (!br_json_string(json, "the task's id"))
        return false;
    uint32_t stage = br_dag_find_stage(wf->dag, json->text);
    struct record *record = stage == UINT32_MAX ? NULL : &wf->record[stage];
    if (record)
        (void)(jobs_wfformat_fill_record(wf, &field[RUNTIME], &field[CORES], &field[CPU],
                                         &field[MEMORY], record) &&
               read_command(wf, &field[COMMAND], &record->command));
    json->at = after;
    return !json->status;
}

static bool read_machine(void *context, uint32_t k)
{
    struct wfformat *wf = context;
    struct br_json *json = &wf->json;
    struct br_json_field field[] = {
        {"nodeName", true, NULL}, {"memoryInBytes", false, NULL}, {"cpu", false, NULL}};
    struct br_json_field cores = {"coreCount", false, NULL};
    struct machine machine = {0};
    (void)k;
    if (!br_json_fields(json, "a machine", field, COUNT(field)))
        return false;
    const char *after = json->at;
    br_json_go(json, &field[0]);
    if (!br_json_string(json, "the machine's name") || !(machine.name = jobs_wfformat_keep(wf)) ||
        !optional_whole(wf, &field[1], &machine.mem_bytes))
        return false;
    if (br_json_go(json, &field[2]) && br_json_fields(json, "the processor", &cores, 1))
        optional_whole(wf, &cores, &machine.cores);
    json->at = after;
    bool known = false;
    for (uint32_t m = 0; m < wf->machines && !known; m++)
        known = strcmp(wf->machine[m].name, machine.name) == 0;
    if (json->status || known)
        return !json->status;
    if (wf->machines == BR_MAX_CLASSES)
        return br_json_fail(json, after, NULL, "there are more than %u machines", BR_MAX_CLASSES);
    if (!br_grow(&wf->machine, wf->machines, &wf->machine_room, sizeof *wf->machine))
        return jobs_wfformat_no_memory(wf);
    wf->machine[wf->machines++] = machine;
    return true;
}

static bool jobs_wfformat_read_workflow(struct wfformat *wf, const struct br_json_field *workflow)
{
    struct br_json *json = &wf->json;
    struct br_json_field part[] = {{"specification", false, NULL}, {"execution", false, NULL}};
    struct br_json_field spec[] = {{"tasks", true, NULL}, {"files", false, NULL}};
    struct br_json_field run[] = {
        {"tasks", false, NULL}, {"machines", false, NULL}, {"makespanInSeconds", false, NULL}};
    if (!br_json_go(json, workflow))
        return false;
    const char *at = json->at;
    if (!br_json_fields(json, "the workflow", part, COUNT(part)))
        return false;
    if (!part[0].at)
        return br_json_fail(json, at, "convert the file to WfFormat 1.5",
                            "the workflow has no 'specification'; this is an older WfFormat");
    br_json_go(json, &part[0]);
    if (!br_json_fields(json, "the specification", spec, COUNT(spec)) ||
        !br_json_each(json, &spec[0], "the tasks", jobs_wfformat_read_task, wf) ||
        !br_json_each(json, &spec[1], "the files", jobs_wfformat_read_file, wf))
        return false;
    wf->record = calloc((size_t)wf->dag->stages + 1, sizeof *wf->record);
    if (!wf->record)
        return jobs_wfformat_no_memory(wf);
    wf->records = wf->dag->stages;
    if (!br_json_go(json, &part[1]))
        return !json->status;
    return br_json_fields(json, "the execution", run, COUNT(run)) &&
           br_json_each(json, &run[0], "the tasks", jobs_wfformat_read_record, wf) &&
           br_json_each(json, &run[1], "the machines", read_machine, wf) &&
           br_json_optional_seconds(json, &run[2], &wf->dag->recorded_ns);
}

static bool jobs_wfformat_read_top(struct wfformat *wf, const char *name)
{
    struct br_json *json = &wf->json;
    struct br_json_field top[] = {{"workflow", true, NULL}, {"name", false, NULL}};
    if (!br_json_fields(json, "a workflow instance", top, COUNT(top)) || !br_json_done(json))
        return false;
    if (br_json_go(json, &top[1]) && br_json_string(json, "the instance's name") && *json->text &&
        br_text_is_plain(json->text))
        name = json->text;
    if (json->status)
        return false;
    wf->input->dag = wf->dag = br_dag_create(name);
    return wf->dag ? jobs_wfformat_read_workflow(wf, &top[0]) : jobs_wfformat_no_memory(wf);
}

static enum br_status jobs_wfformat_add_demands(struct wfformat *wf)
{
    struct br_dag *dag = wf->dag;
    bool memory = false;
    assert(wf->records == dag->stages);
    for (uint32_t s = 0; s < dag->stages; s++)
        memory |= wf->record[s].mem_bytes > 0;
    enum br_status status = br_dag_add_resource(dag, "cpu", "cores", wf->diag);
    if (!status && memory)
        status = br_dag_add_resource(dag, "mem", "bytes", wf->diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++) {
        struct record *record = &wf->record[s];
        char amount[BR_DECIMAL_TEXT];
        if (record->cores == 0) { /* without a record */
            record->cores = 1;
            record->duration_ns = wf->options->default_duration_ns;
        }
        br_value_place(wf->diag, dag->stage[s].pos);
        br_dag_set_stage_duration(dag, s, record->duration_ns);
        if (record->share.mantissa)
            br_decimal_format(record->share, amount, sizeof amount);
        else
            snprintf(amount, sizeof amount, "%" PRId64, record->cores);
        status = br_dag_add_demand(dag, s, "cpu", amount, wf->diag);
        snprintf(amount, sizeof amount, "%" PRId64, record->mem_bytes);
        if (!status && record->mem_bytes > 0)
            status = br_dag_add_demand(dag, s, "mem", amount, wf->diag);
        if (!status && record->command)
            status = br_dag_set_command(dag, s, record->command, wf->diag);
    }
    return status;
}

static int jobs_wfformat_by_name(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static void size_uses(struct wfformat *wf)
{
    if (wf->files)
        qsort(wf->file, wf->files, sizeof *wf->file, jobs_wfformat_by_name);
    for (uint32_t u = 0; u < wf->uses.uses && wf->files; u++) {
        const struct file key = {.name = wf->uses.use[u].name};
        const struct file *file =
            bsearch(&key, wf->file, wf->files, sizeof key, jobs_wfformat_by_name);
        wf->uses.use[u].bytes = file ? file->bytes : 0;
    }
    br_uses_sort(&wf->uses);
}

static enum br_status jobs_wfformat_link_tasks(struct wfformat *wf)
{
    struct br_link *link = calloc((size_t)wf->references + 1, sizeof *link);
    enum br_status status = link ? BR_OK : br_fail_memory(wf->diag);
    for (uint32_t k = 0; k < wf->references && !status; k++) {
        const struct reference *reference = &wf->reference[k];
        uint32_t other = br_dag_find_stage(wf->dag, reference->name);
        if (other == UINT32_MAX) {
            status = br_fail_at(wf->diag, reference->pos, BR_BAD_INPUT,
                                "add that task, or remove its id",
                                "'%.80s' names the %s '%.80s', and there is no such task",
                                wf->dag->stage[reference->stage].id,
                                reference->is_parent ? "parent" : "child", reference->name);
            break;
        }
        link[k] = (struct br_link){
            .parent = reference->is_parent ? other : reference->stage,
            .child = reference->is_parent ? reference->stage : other,
            .type = BR_BARRIER,
            .pos = reference->pos,
        };
        if (br_transfer_counts(wf->options) &&
            !br_uses_shared(&wf->uses, link[k].parent, link[k].child, &link[k].bytes))
            status =
                br_fail_at(wf->diag, reference->pos, BR_BAD_INPUT, "check the sizes of files",
                           "the files from '%.80s' to '%.80s' are too large",
                           wf->dag->stage[link[k].parent].id, wf->dag->stage[link[k].child].id);
    }
    if (!status)
        status = br_transfer_add(wf->dag, wf->options, link, wf->references, NULL, wf->diag);
    if (!status && wf->options->files)
        status = br_uses_hold(&wf->uses, wf->dag, wf->options, wf->diag);
    free(link);
    return status;
}

/* The recorded machines, if every task fits one as recorded; else they are useless for planning,
 * and the user's own cluster is asked for. */
static enum br_status add_cluster(struct wfformat *wf)
{
    char amount[BR_DECIMAL_TEXT];
    bool memory = false;
    for (uint32_t s = 0; s < wf->records; s++) {
        const struct record *record = &wf->record[s];
        bool fits = false;
        for (uint32_t m = 0; m < wf->machines && !fits; m++)
            fits = record->cores <= wf->machine[m].cores &&
                   record->mem_bytes <= wf->machine[m].mem_bytes;
        if (!fits)
            return BR_OK;
        memory |= record->mem_bytes > 0;
    }
    struct br_cluster *cluster = wf->input->cluster = br_cluster_create(NULL);
    enum br_status status = cluster ? BR_OK : br_fail_memory(wf->diag);
    br_value_place(wf->diag, BR_NO_POS);
    for (uint32_t m = 0; m < wf->machines && !status; m++) {
        const struct machine *machine = &wf->machine[m];
        uint32_t cls;
        if (!br_text_is_plain(machine->name) || machine->cores == 0)
            continue;
        status = br_cluster_add_class(cluster, machine->name, 1, &cls, wf->diag);
        snprintf(amount, sizeof amount, "%" PRId64, machine->cores);
        if (!status)
            status = br_cluster_add_capacity(cluster, cls, "cpu", amount, wf->diag);
        snprintf(amount, sizeof amount, "%" PRId64, machine->mem_bytes);
        if (!status && memory && machine->mem_bytes > 0)
            status = br_cluster_add_capacity(cluster, cls, "mem", amount, wf->diag);
    }
    return status;
}

/* Facts that the record has about the whole run, but not about its tasks. */
static enum br_status jobs_wfformat_add_doubts(struct wfformat *wf)
{
    struct br_dag *dag = wf->dag;
    int64_t cores = 0;
    for (uint32_t m = 0; m < wf->machines && cores < UINT32_MAX; m++)
        cores += wf->machine[m].cores;
    dag->recorded_cores = cores < UINT32_MAX ? (uint32_t)cores : UINT32_MAX;
    if (dag->recorded_ns < 0)
        dag->recorded_ns = 0;
    if (dag->stages < 2 || wf->references > 0)
        return BR_OK;
    return br_dag_add_doubt(dag, wf->diag,
                            "none of the %" PRIu32
                            " tasks waits for another: the instance has no parents and children",
                            dag->stages);
}

static void jobs_wfformat_finish(struct wfformat *wf)
{
    for (uint32_t s = 0; s < wf->records; s++)
        free(wf->record[s].command);
    free(wf->record);
    free(wf->command);
    free(wf->reference);
    free(wf->file);
    free(wf->machine);
    br_uses_finish(&wf->uses);
    br_arena_finish(&wf->arena);
    br_json_finish(&wf->json);
}

enum br_status br_read_wfformat(struct br_source *source, const struct br_parse_options *options,
                                struct br_input *input, struct br_diag *diag)
{
    struct br_diag own = {0};
    struct wfformat wf = {.options = options, .input = input, .diag = diag ? diag : &own};
    char stem[256], *text;
    enum br_status status = br_source_text(source, TEXT_LIMIT, "wfformat", &text, wf.diag);
    if (status)
        return status;
    br_json_init(&wf.json, text, strlen(text), wf.diag);
    jobs_wfformat_read_top(&wf, br_source_stem(source, "workflow", stem, sizeof stem));
    status = wf.json.status;
    if (!status)
        status = jobs_wfformat_add_demands(&wf);
    if (!status && wf.machines)
        status = add_cluster(&wf);
    size_uses(&wf);
    if (!status)
        status = jobs_wfformat_link_tasks(&wf);
    if (!status)
        status = jobs_wfformat_add_doubts(&wf);
    if (!status)
        status = br_read_finish(source, wf.dag, wf.diag);
    if (!status)
        status = br_uses_check(&wf.uses, wf.dag, wf.diag);
    jobs_wfformat_finish(&wf);
    free(text);
    return status;
}
