/* Reads resources and stages from a graph and its nodes. */
#include "parsers/dot/chosen.h"
#include "parsers/dot/held.h"
#include "parsers/dot/reader.h"
#include "parsers/dot/ways.h"
#include "parsers/text/value.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

enum role {
    PASSES,
    TASKS,
    DURATION,
    DURATIONS,
    SIZE,
    COMMAND,
    DEMAND,
    /* Only in graphs that declare resources. */
    OUTPUTS,
    FREES,
    ALTERNATIVES,
    CLASSES,
    CONSUMES,
    RELEASE,
    DEADLINE,
    RELEASES,
    DEADLINES
};

/* The form's own attributes of nodes. */
static const struct {
    const char *name;
    enum role role;
} own[] = {{"tasks", TASKS},         {"duration", DURATION},
           {"durations", DURATIONS}, {"command", COMMAND},
           {"outputs", OUTPUTS},     {"release", RELEASE},
           {"deadline", DEADLINE},   {"releases", RELEASES},
           {"deadlines", DEADLINES}, {"alternatives", ALTERNATIVES},
           {"classes", CLASSES},     {"consumes", CONSUMES}};
enum { OWN = sizeof own / sizeof own[0] };
/* "free ID": the command for an output that is no longer held. */
static const char free_word[] = "free ";

static bool is_unit_of(const struct br_resource *resource, const char *unit)
{
    return !resource->unit == !unit && (!unit || strcmp(resource->unit, unit) == 0);
}

static enum br_status add_resource(struct br_dot_reader *reader, const char *name, const char *unit,
                                   struct br_diag *diag)
{
    for (size_t k = 0; k < OWN; k++)
        if (strcmp(name, own[k].name) == 0)
            return br_fail(diag, BR_BAD_INPUT, "rename it",
                           "a resource cannot be named '%s', which is another attribute", name);
    if (!br_text_is_lines(name) || (unit && !br_text_is_lines(unit)))
        return br_fail(diag, BR_BAD_INPUT, "use printable characters",
                       "the resource '%s' or its unit has control characters", name);
    unit = unit && *unit ? unit : NULL;
    for (uint32_t r = 0; r < reader->dag->resources && reader->joined; r++)
        if (strcmp(reader->dag->resource[r].name, name) == 0)
            return is_unit_of(&reader->dag->resource[r], unit)
                       ? BR_OK
                       : br_fail(diag, BR_BAD_INPUT, "give it one unit",
                                 "the graphs have different units of the resource '%.80s'", name);
    return br_dag_add_resource(reader->dag, name, unit, diag);
}

/* resources="cpu,mem", units="cores,bytes", of the graph or of a joined one. */
static enum br_status add_declared(struct br_dot_reader *reader, Agraph_t *graph,
                                   struct br_diag *diag)
{
    const char *list = br_dot_value(graph, "resources"), *units = br_dot_value(graph, "units");
    char *names = strdup(list), *rest = names, *copy = strdup(units), *unit_rest = copy;
    enum br_status status = names && copy ? BR_OK : br_fail_memory(diag);
    for (char *name; !status && (name = strsep(&rest, ", \t\r\n"));)
        if (*name) /* else two separators in a row */
            status = add_resource(reader, name, strsep(&unit_rest, ","), diag);
    if (!status && unit_rest && *unit_rest)
        status = br_fail(diag, BR_BAD_INPUT, "give one unit per resource, in the same order",
                         "there are more units than resources: '%.80s'", units);
    free(names);
    free(copy);
    return status;
}

enum br_status br_dot_add_resources(struct br_dot_reader *reader, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    bool declared = *br_dot_value(reader->graph, "resources");
    for (Agraph_t *sub = agfstsubg(reader->graph); reader->joined && sub; sub = agnxtsubg(sub))
        declared |= *br_dot_value(sub, "resources") != 0;
    reader->plain_cpu = reader->operations && !declared && !reader->options->demands;
    if (reader->plain_cpu)
        return br_dag_add_resource(reader->dag, "cpu", NULL, diag);
    if (!reader->joined)
        return add_declared(reader, reader->graph, diag);
    for (Agraph_t *sub = agfstsubg(reader->graph); sub && !status; sub = agnxtsubg(sub))
        status = add_declared(reader, sub, diag);
    return status;
}

static enum role node_role(const struct br_dot_reader *reader, const char *name)
{
    for (uint32_t r = 0; r < reader->declared && !reader->plain_cpu; r++)
        if (strcmp(reader->dag->resource[r].name, name) == 0)
            return DEMAND;
    const bool own_form = br_dot_is_own_form(reader->graph);
    for (size_t k = 0; k < OWN; k++)
        if (strcmp(own[k].name, name) == 0 && (own[k].role < OUTPUTS || own_form))
            return own[k].role;
    if (own_form && strncmp(name, free_word, strlen(free_word)) == 0)
        return FREES;
    if (reader->operations && strcmp(name, "size") == 0)
        return SIZE;
    return PASSES;
}

bool br_dot_passes(const struct br_dot_reader *reader, const char *name)
{
    return node_role(reader, name) == PASSES;
}

/* HTML texts keep their angle brackets, which distinguish them from plain ones. */
enum br_status br_dot_pass(struct br_dag *dag, enum br_owner owner, uint32_t index,
                           const char *name, char *value, struct br_diag *diag)
{
    if (!aghtmlstr(value))
        return br_dag_add_attribute(dag, owner, index, name, value, diag);
    size_t size = strlen(value) + 3;
    char *marked = malloc(size);
    if (!marked)
        return br_fail_memory(diag);
    snprintf(marked, size, "<%s>", value);
    enum br_status status = br_dag_add_attribute(dag, owner, index, name, marked, diag);
    free(marked);
    return status;
}

/* Operations of one task, as a duration. */
static enum br_status nodes_read_size(const struct br_dot_reader *reader, const char *text,
                                      const char *owner, int64_t *ns, struct br_diag *diag)
{
    struct br_decimal size;
    if (br_decimal_parse_nearest(text, &size) == BR_DECIMAL_FORM)
        return br_fail(diag, BR_BAD_INPUT, "write a number of operations",
                       "size '%.80s' of %s is not a number", text, owner);
    if (br_decimal_parse_nearest(text, &size) || size.mantissa < 0 ||
        !br_decimal_quotient_ns(size, reader->options->speed, ns))
        return br_fail(diag, BR_BAD_INPUT, "check it and the speed",
                       "size '%.80s' of %s is negative or too large", text, owner);
    return BR_OK;
}

/* durations="7:61,9:12.5": tasks with a duration of their own, by index. */
static enum br_status nodes_read_durations(struct br_dag *dag, uint32_t stage, const char *text,
                                           const char *owner, struct br_diag *diag)
{
    char *copy = strdup(text), *rest = copy;
    enum br_status status = copy ? BR_OK : br_fail_memory(diag);
    for (char *item; !status && (item = strsep(&rest, ","));) {
        char *colon = strchr(item, ':');
        uint32_t index;
        int64_t ns;
        if (!colon) {
            status = br_fail(diag, BR_BAD_INPUT, "write durations such as \"7:61,9:12.5\"",
                             "durations '%.80s' of %s give no index and time", item, owner);
            break;
        }
        *colon = 0;
        item += strspn(item, " \t\r\n");
        status = br_value_count(item, "index", owner, &index, diag);
        if (!status)
            status = br_value_seconds(colon + 1, "duration", owner, &ns, diag);
        if (!status)
            status = br_dag_set_duration(dag, stage, index, ns, diag);
    }
    free(copy);
    return status;
}

static enum br_status nodes_read_ways(struct br_dag *dag, uint32_t stage, enum role role,
                                      const char *value, const char *owner, struct br_diag *diag)
{
    return role == CLASSES    ? br_dag_set_classes(dag, stage, BR_WHOLE_STAGE, value, diag)
           : role == CONSUMES ? br_dot_add_consumes(dag, stage, value, owner, diag)
                              : br_dot_add_alternatives(dag, stage, value, owner, diag);
}

static enum br_status nodes_add_stage(struct br_dot_reader *reader, Agnode_t *node,
                                      Agsym_t *const *symbol, const enum role *role,
                                      uint32_t symbols, struct br_diag *diag)
{
    const char *id = agnameof(node);
    uint32_t tasks = 1, stage;
    const bool idle = br_dot_mark(&reader->marks, node) & BR_DOT_NO_WORK;
    int64_t ns = reader->operations || idle ? 0 : reader->options->default_duration_ns;
    bool labelled = br_dot_is_labelled(&reader->names, node), numbered = false;
    char owner[100];
    enum br_status status = BR_OK;
    snprintf(owner, sizeof owner, "node '%.80s'", id);
    if (!br_text_is_lines(id))
        return br_fail(diag, BR_BAD_INPUT, "use printable characters",
                       "%s has control characters in its id", owner);
    for (uint32_t k = 0; k < symbols && !status; k++) {
        const char *value = agxget(node, symbol[k]);
        if (!*value)
            continue;
        if (role[k] == TASKS)
            status = br_value_count(value, "tasks", owner, &tasks, diag);
        else if (role[k] == DURATION)
            status = br_value_seconds(value, "duration", owner, &ns, diag);
        else if (role[k] == SIZE)
            status = nodes_read_size(reader, value, owner, &ns, diag);
    }
    if (!status)
        status = br_dot_chosen_duration(reader, node, owner, &ns, diag);
    if (!status)
        status = br_dag_add_stage(reader->dag, br_dot_name(&reader->names, node), tasks, ns, &stage,
                                  diag);
    if (!status && reader->plain_cpu)
        status = br_dag_add_demand(reader->dag, stage, "cpu", "1", diag);
    if (!status)
        status = br_dot_chosen_demands(reader, node, stage, owner, diag);
    for (uint32_t k = 0; k < symbols && !status; k++) {
        char *value = agxget(node, symbol[k]), plain[BR_DECIMAL_TEXT];
        if (!*value || (labelled && strcmp(symbol[k]->name, "label") == 0))
            continue;
        numbered |= strcmp(symbol[k]->name, "id") == 0;
        if (role[k] == DEMAND) {
            status = br_value_amount(value, symbol[k]->name, owner, plain, diag);
            if (!status)
                status = br_dag_add_demand(reader->dag, stage, symbol[k]->name, value, diag);
        } else if (role[k] == DURATIONS) {
            status = nodes_read_durations(reader->dag, stage, value, owner, diag);
        } else if (role[k] == OUTPUTS) {
            status = br_dot_add_outputs(reader->dag, stage, value, owner, diag);
        } else if (role[k] >= ALTERNATIVES && role[k] <= CONSUMES) {
            status = nodes_read_ways(reader->dag, stage, role[k], value, owner, diag);
        } else if (role[k] >= RELEASE) {
            status = (role[k] >= RELEASES ? br_dot_add_times : br_dot_add_time)(
                reader->dag, stage, symbol[k]->name, value, owner,
                role[k] == RELEASE || role[k] == RELEASES ? br_dag_set_release
                                                          : br_dag_set_deadline,
                diag);
        } else if (role[k] == COMMAND) {
            status = br_dag_set_command(reader->dag, stage, value, diag);
        } else if (role[k] == PASSES) {
            status = br_dot_pass(reader->dag, BR_OWNER_STAGE, stage, symbol[k]->name, value, diag);
        }
    }
    for (uint32_t k = 0; k < symbols && !status; k++) { /* after the outputs */
        const char *value = agxget(node, symbol[k]);
        if (role[k] == FREES && *value)
            status = br_dag_set_output_free(reader->dag, stage, symbol[k]->name + strlen(free_word),
                                            value, diag);
    }
    if (!status && labelled && !numbered)
        status = br_dag_add_attribute(reader->dag, BR_OWNER_STAGE, stage, "id", id, diag);
    return status;
}

static uint32_t count_symbols(Agraph_t *graph, int kind)
{
    uint32_t count = 0;
    for (Agsym_t *symbol = NULL; (symbol = agnxtattr(graph, kind, symbol));)
        count++;
    return count;
}

/* The node's first place; for faults only, since it searches the whole text. */
static struct br_pos node_place(const struct br_dot_reader *reader, const char *id)
{
    size_t length = strlen(id);
    for (uint32_t m = 0; m < reader->scan.mentions; m++) {
        const struct br_dot_mention *mention = &reader->scan.mention[m];
        if (mention->length < length || mention->length > 2 * length + 2)
            continue;
        char *text = malloc((size_t)mention->length + 1);
        if (!text)
            break;
        br_dot_unquote(mention, text);
        bool same = strcmp(text, id) == 0;
        free(text);
        if (same)
            return mention->pos;
    }
    return BR_NO_POS;
}

/* Nodes in the order of the text. */
enum br_status br_dot_add_stages(struct br_dot_reader *reader, struct br_diag *diag)
{
    uint32_t symbols = count_symbols(reader->graph, AGNODE), k = 0;
    Agsym_t **symbol = calloc((size_t)symbols + 1, sizeof *symbol);
    enum role *role = calloc((size_t)symbols + 1, sizeof *role);
    enum br_status status = symbol && role ? BR_OK : br_fail_memory(diag);
    for (Agsym_t *s = NULL; !status && (s = agnxtattr(reader->graph, AGNODE, s)); k++) {
        symbol[k] = s;
        role[k] = node_role(reader, s->name);
    }
    assert(status || k == symbols);
    Agnode_t *node = agfstnode(reader->graph);
    for (; node && !status; node = agnxtnode(reader->graph, node)) {
        if (br_dot_mark(&reader->marks, node) & BR_DOT_LEFT_OUT)
            continue;
        status = nodes_add_stage(reader, node, symbol, role, symbols, diag);
        if (status)
            br_value_place(diag, node_place(reader, agnameof(node)));
    }
    free(symbol);
    free(role);
    return status;
}
