/* The only user of cgraph: jobs as directed graphs in the DOT language, in our own form
 * (nodes with tasks, duration and demands) and in that of SimGrid and daggen (nodes with `size` in
 * operations, edges with `size` in bytes).
 *
 * cgraph's reader keeps its state in static variables, so that one lock serves all readers, and
 * what one text leaves open is closed before the next one. A guard looks at the text before cgraph
 * does, and supplies the places that cgraph does not know; see dot_scan.h. */
#include "parsers/jobs/dot_marks.h"
#include "parsers/jobs/dot_names.h"
#include "parsers/jobs/dot_scan.h"
#include "parsers/reader/formats.h"
#include "parsers/jobs/transfer.h"
#include "parsers/text/value.h"

#include <graphviz/cgraph.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/text/text.h"

enum { TEXT_LIMIT = 64 << 20, MOST_NESTED = 200, MOST_OBJECTS = 3000000, MOST_CELLS = 50000000 };

static pthread_mutex_t cgraph_lock = PTHREAD_MUTEX_INITIALIZER;
static char cgraph_fault[600]; /* under the lock: what cgraph said first */

enum role { PASSES, TASKS, DURATION, DURATIONS, SIZE, COMMAND, DEMAND };

/* An edge between two nodes; one with ltail or lhead stands for several, between all nodes of the
 * clusters. */
struct end {
    Agnode_t *tail, *head;
    Agedge_t *edge;
};

struct dot_reader {
    struct br_dag *dag;
    const struct br_parse_options *options;
    struct br_dot_scan scan;
    Agraph_t *graph;
    struct br_dot_names names;
    struct br_dot_marks marks;
    bool operations; /* nodes have `size` in operations, and none has a duration or tasks */
    bool plain_cpu;  /* every task demands one cpu */
    bool sized;      /* edges with `size` in bytes become transfers */
    uint32_t links;
    struct br_link *link;
    struct end *edge; /* of the links */
    uint32_t edge_room;
};

/* Longest message of cgraph without the word that it names. */
enum { FAULT_WORDS = 400 };

/* cgraph hands on "Error", ": " and the text, piece by piece. */
static int on_fault(char *piece)
{
    size_t used = strlen(cgraph_fault);
    snprintf(cgraph_fault + used, sizeof cgraph_fault - used, "%s", piece);
    return 0;
}

/* cgraph formats a message into a buffer that it keeps. Where that is too small, it grows, and
 * cgraph 2.42 formats a second time with arguments that the first time has used up: it says
 * anything, or crashes. A message names no more than the text holds, so the buffer is made as large
 * as the text before cgraph reads it, by a message without arguments. Returns false when memory is
 * out. */
static bool grow_fault_buffer(const char *text)
{
    static size_t grown = 1024; /* under the lock: what cgraph begins with */
    size_t size = strlen(text) + FAULT_WORDS;
    if (size < grown)
        return true;
    /* The reserve is the room that cgraph asks for. */
    char *filler = malloc(size + 1), *reserve = filler ? malloc(2 * size) : NULL;
    if (!reserve) {
        free(filler);
        return false;
    }
    free(reserve);
    memset(filler, '-', size);
    filler[size] = 0;
    cgraph_fault[0] = 0;
    agerrlevel_t level = agseterr(AGWARN); /* a warning, so that agerrors() counts no error */
    agerr(AGWARN, filler);
    agseterr(level);
    free(filler);
    /* Of a message for which there is no room, on_fault hears only the level. */
    bool heard = strstr(cgraph_fault, "--") != NULL;
    if (heard)
        grown = size;
    return heard;
}

/* The bytes of a text, then so many closing angle brackets. */
struct text_channel {
    const char *at;
    size_t left;
    size_t brackets;
};

static struct text_channel whole_text(const char *text)
{
    return (struct text_channel){text, strlen(text), 0};
}

static int on_read(void *channel, char *to, int size)
{
    struct text_channel *text = channel;
    size_t room = size > 0 ? (size_t)size : 0, length = text->left < room ? text->left : room;
    memcpy(to, text->at, length);
    text->at += length;
    text->left -= length;
    for (; length < room && text->brackets; text->brackets--)
        to[length++] = '>';
    return (int)length;
}

/* "Error: syntax error in line 3 near '}'" with the line taken out. */
static enum br_status refuse_syntax(struct br_diag *diag)
{
    struct br_pos pos = {0, 0};
    char *text = cgraph_fault, *line = strstr(text, " in line ");
    if (strncmp(text, "Error: ", 7) == 0)
        text += 7;
    if (line) {
        char *rest;
        unsigned long number = strtoul(line + 9, &rest, 10);
        pos.line = number <= UINT32_MAX ? (uint32_t)number : 0;
        memmove(line, rest, strlen(rest) + 1);
    }
    char *extra = strstr(text, " (missing");
    if (extra)
        *extra = 0;
    text[strcspn(text, "\n")] = 0;
    size_t length = strlen(text);
    while (length && text[length - 1] == ' ')
        text[--length] = 0;
    return br_fail_at(diag, pos, BR_BAD_INPUT, "the text has to be a digraph in the DOT language",
                      "%s", length ? text : "there is no graph");
}

/* Reads all graphs that the text holds, to its end or the first fault; returns the first of them.
 */
static Agraph_t *read_graphs(struct text_channel channel, uint32_t *graphs)
{
    Agiodisc_t io = {.afread = on_read};
    Agdisc_t disciplines = {.id = &AgIdDisc, .io = &io};
    Agraph_t *first = NULL, *graph;
    cgraph_fault[0] = 0;
#ifdef BR_CGRAPH_COUNTS_ON /* lines, from one text to the next */
    agreadline(1);
#endif
    /* Text that follows a graph stays in cgraph's buffer until a read finds no graph. */
    for (*graphs = 0; (graph = agread(&channel, &disciplines)); ++*graphs) {
        if (!first)
            first = graph;
        else
            agclose(graph);
    }
    return first;
}

/* Does a graph come out as it was written? */
static bool is_reader_clean(void)
{
    uint32_t graphs;
    Agraph_t *graph = read_graphs(whole_text("digraph a { b; }"), &graphs);
    bool clean = graph && graphs == 1 && !cgraph_fault[0] && agnnodes(graph) == 1;
    if (graph)
        agclose(graph);
    return clean;
}

/* cgraph's scanner remembers, from one text to the next, that it is within quotes, a comment or
 * angle brackets. Closes what the text has left open; returns false where there was something. */
static bool clean_reader(const char *text)
{
    struct text_channel end[] = {whole_text("\""), whole_text("*/"), whole_text("")};
    uint32_t graphs;
    if (is_reader_clean())
        return true;
    for (const char *p = text; *p; p++)
        end[2].brackets += *p == '<';
    for (size_t k = 0; k < sizeof end / sizeof *end; k++) {
        Agraph_t *graph = read_graphs(end[k], &graphs);
        if (graph)
            agclose(graph);
        if (is_reader_clean())
            break;
    }
    return false;
}

/* A file holds one graph, and closes what it opens. */
static enum br_status refuse_rest(const struct br_dot_scan *scan, struct br_diag *diag)
{
    if (scan->rest == BR_DOT_OPEN)
        return br_fail_at(
            diag, scan->rest_pos, BR_BAD_INPUT, "close it",
            "a quoted string, a comment or an angle bracket that begins here has no end");
    if (scan->rest == BR_DOT_GRAPH)
        return br_fail_at(diag, scan->rest_pos, BR_BAD_INPUT, "split the file",
                          "the file holds more than one graph");
    return br_fail_at(diag, scan->rest_pos, BR_BAD_INPUT, "take it away, or mend the braces",
                      "text follows the closing brace of the graph");
}

/* Reads the graph; the lock is held. */
static enum br_status read_graph(const char *text, const struct br_dot_scan *scan, Agraph_t **graph,
                                 struct br_diag *diag)
{
    uint32_t graphs;
    if (scan->rest == BR_DOT_OPEN)
        return refuse_rest(scan, diag);
    agusererrf outer = agseterrf(on_fault);
    agerrlevel_t level = agseterr(AGERR); /* warnings are kept from us */
    size_t mark = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    struct text_channel first = {text + mark, scan->length - mark, 0};
    enum br_status status = BR_OK;
    if (!grow_fault_buffer(text)) {
        status = br_fail_memory(diag);
        goto out;
    }
    *graph = read_graphs(first, &graphs);
    if (!*graph || cgraph_fault[0])
        status = refuse_syntax(diag);
    else if (graphs > 1 || scan->rest)
        status = refuse_rest(scan, diag);
    if (!clean_reader(text) && !status)
        status = br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, "close it",
                            "quotes, a comment or angle brackets are open at the end of the text");
out:
    agseterr(level);
    agseterrf(outer);
    return status;
}

/* cgraph takes 1_map for the names 1 and _map, with a warning that nobody hears. */
static enum br_status refuse_number(const struct br_dot_scan *scan, struct br_diag *diag)
{
    const int most = scan->number_length < 60 ? (int)scan->number_length : 60;
    return br_fail_at(diag, scan->number_pos, BR_BAD_INPUT, "put it into quotation marks",
                      "'%.*s' begins with a number, and Graphviz takes it for two names", most,
                      scan->number);
}

static int by_id(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* <load> and load are one node up to graphviz 13, and two from 14 on. */
static enum br_status refuse_twins(const struct br_dot_scan *scan, struct br_diag *diag)
{
    char **id = calloc((size_t)scan->mentions + 1, sizeof *id);
    enum br_status status = id ? BR_OK : br_fail_memory(diag);
    uint32_t ids = 0;
    for (int plain = 0; plain < 2 && !status; plain++) {
        for (uint32_t m = 0; m < scan->mentions && !status; m++) {
            const struct br_dot_mention *mention = &scan->mention[m];
            if (plain == (*mention->id == '<'))
                continue;
            char *text = malloc((size_t)mention->length + 1);
            if (!text) {
                status = br_fail_memory(diag);
                break;
            }
            br_dot_unquote(mention, text);
            if (!plain) {
                id[ids++] = text;
                continue;
            }
            if (bsearch(&text, id, ids, sizeof *id, by_id))
                status = br_fail_at(diag, mention->pos, BR_BAD_INPUT, "rename one of them",
                                    "'%.80s' stands with and without angle brackets, which is one "
                                    "node for some versions of Graphviz, and two for others",
                                    text);
            free(text);
        }
        if (!plain && ids)
            qsort(id, ids, sizeof *id, by_id);
    }
    for (uint32_t k = 0; k < ids; k++)
        free(id[k]);
    free(id);
    return status;
}

/* Guards cgraph against texts that it would answer with endless memory or recursion. */
static enum br_status refuse_bombs(const struct br_dot_scan *scan, struct br_diag *diag)
{
    if (scan->depth > MOST_NESTED)
        return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, "nest fewer subgraphs",
                          "subgraphs are nested more than %d deep", MOST_NESTED);
    if (scan->mentions > MOST_OBJECTS || scan->edges > MOST_OBJECTS)
        return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, "write such a job in the native XML form",
                          "the graph may have more than %d nodes or edges, the most that are read "
                          "of the DOT language",
                          MOST_OBJECTS);
    if (scan->names && scan->mentions + scan->edges > MOST_CELLS / scan->names)
        return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT,
                          "use fewer attributes, or the native XML form",
                          "%" PRIu32 " different attributes are too many for a graph with %" PRIu64
                          " nodes and edges",
                          scan->names, scan->mentions + scan->edges);
    /* cgraph does not survive when memory is out, so that its share has to be there before: so
     * many bytes per node, edge and attribute. */
    size_t objects = scan->mentions + (size_t)scan->edges;
    void *reserve = malloc(objects * 400 + objects * scan->names * 8 + TEXT_LIMIT / 16);
    if (!reserve)
        return br_fail_memory(diag);
    free(reserve);
    return BR_OK;
}

/* Where the node stands first; for faults only, since it looks through the whole text. */
static struct br_pos node_place(const struct dot_reader *reader, const char *id)
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

/* Names that nodes' attributes have in the form itself. */
static const struct {
    const char *name;
    enum role role;
} own[] = {
    {"tasks", TASKS}, {"duration", DURATION}, {"durations", DURATIONS}, {"command", COMMAND}};
enum { OWN = sizeof own / sizeof own[0] };

static enum br_status add_resource(struct dot_reader *reader, const char *name, const char *unit,
                                   struct br_diag *diag)
{
    for (size_t k = 0; k < OWN; k++)
        if (strcmp(name, own[k].name) == 0)
            return br_fail(diag, BR_BAD_INPUT, "rename it",
                           "a resource cannot be named '%s', which is another attribute", name);
    if (!br_text_is_lines(name) || (unit && !br_text_is_lines(unit)))
        return br_fail(diag, BR_BAD_INPUT, "use printable characters",
                       "the resource '%s' or its unit has control characters", name);
    return br_dag_add_resource(reader->dag, name, unit && *unit ? unit : NULL, diag);
}

/* resources="cpu,mem", units="cores,bytes" */
static enum br_status read_resources(struct dot_reader *reader, struct br_diag *diag)
{
    const char *list = agget(reader->graph, (char *)"resources");
    const char *units = agget(reader->graph, (char *)"units");
    reader->plain_cpu = reader->operations && !(list && *list);
    if (reader->plain_cpu)
        return br_dag_add_resource(reader->dag, "cpu", NULL, diag);
    char *names = strdup(list ? list : ""), *rest = names;
    char *copy = strdup(units ? units : ""), *unit_rest = copy;
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

static enum role node_role(const struct dot_reader *reader, const char *name)
{
    for (uint32_t r = 0; r < reader->dag->resources && !reader->plain_cpu; r++)
        if (strcmp(reader->dag->resource[r].name, name) == 0)
            return DEMAND;
    for (size_t k = 0; k < OWN; k++)
        if (strcmp(own[k].name, name) == 0)
            return own[k].role;
    if (reader->operations && strcmp(name, "size") == 0)
        return SIZE;
    return PASSES;
}

/* HTML texts keep their angle brackets, so that they can be told from plain ones. */
static enum br_status pass_through(struct br_dag *dag, enum br_owner owner, uint32_t index,
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
static enum br_status read_size(const struct dot_reader *reader, const char *text,
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
static enum br_status read_durations(struct br_dag *dag, uint32_t stage, const char *text,
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

static enum br_status add_stage(struct dot_reader *reader, Agnode_t *node, Agsym_t *const *symbol,
                                const enum role *role, uint32_t symbols, struct br_diag *diag)
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
            status = read_size(reader, value, owner, &ns, diag);
    }
    if (!status)
        status = br_dag_add_stage(reader->dag, br_dot_name(&reader->names, node), tasks, ns, &stage,
                                  diag);
    if (!status && reader->plain_cpu)
        status = br_dag_add_demand(reader->dag, stage, "cpu", "1", diag);
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
            status = read_durations(reader->dag, stage, value, owner, diag);
        } else if (role[k] == COMMAND) {
            status = br_dag_set_command(reader->dag, stage, value, diag);
        } else if (role[k] == PASSES) {
            status = pass_through(reader->dag, BR_OWNER_STAGE, stage, symbol[k]->name, value, diag);
        }
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

/* Nodes in the order of the text. */
static enum br_status add_stages(struct dot_reader *reader, struct br_diag *diag)
{
    uint32_t symbols = count_symbols(reader->graph, AGNODE), k = 0;
    Agsym_t **symbol = calloc((size_t)symbols + 1, sizeof *symbol);
    enum role *role = calloc((size_t)symbols + 1, sizeof *role);
    enum br_status status = symbol && role ? BR_OK : br_fail_memory(diag);
    for (Agsym_t *s = NULL; !status && (s = agnxtattr(reader->graph, AGNODE, s)); k++) {
        symbol[k] = s;
        role[k] = node_role(reader, s->name);
    }
    Agnode_t *node = agfstnode(reader->graph);
    for (; node && !status; node = agnxtnode(reader->graph, node)) {
        if (br_dot_mark(&reader->marks, node) & BR_DOT_LEFT_OUT)
            continue;
        status = add_stage(reader, node, symbol, role, symbols, diag);
        if (status)
            br_value_place(diag, node_place(reader, agnameof(node)));
    }
    free(symbol);
    free(role);
    return status;
}

/* An arrow between two nodes, as the text has it. */
struct arrow {
    uint32_t parent, child;
    struct br_pos pos;
};

static int by_ends(const void *a, const void *b)
{
    const struct arrow *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->child != y->child)
        return x->child < y->child ? -1 : 1;
    if (x->pos.line != y->pos.line)
        return x->pos.line < y->pos.line ? -1 : 1;
    return x->pos.column < y->pos.column ? -1 : x->pos.column > y->pos.column;
}

/* Gives every stage its place, and lists the arrows, sorted by their ends. */
static enum br_status place_stages(struct dot_reader *reader, struct arrow **arrow,
                                   uint32_t *arrows, struct br_diag *diag)
{
    const struct br_dot_scan *scan = &reader->scan;
    size_t room = 1;
    for (uint32_t m = 0; m < scan->mentions; m++)
        if (room < (size_t)scan->mention[m].length + 1)
            room = (size_t)scan->mention[m].length + 1;
    char *id = malloc(room);
    *arrows = 0;
    *arrow = malloc(((size_t)scan->mentions + 1) * sizeof **arrow);
    if (!id || !*arrow) {
        free(id);
        return br_fail_memory(diag);
    }
    for (uint32_t m = 0, before = UINT32_MAX; m < scan->mentions; m++) {
        br_dot_unquote(&scan->mention[m], id);
        uint32_t stage = br_dag_find_stage(reader->dag, br_dot_name_of(&reader->names, id));
        struct br_pos pos = scan->mention[m].pos;
        if (stage != UINT32_MAX && reader->dag->stage[stage].pos.line == 0)
            br_dag_set_stage_pos(reader->dag, stage, pos);
        if (scan->mention[m].after_arrow && before != UINT32_MAX && stage != UINT32_MAX)
            (*arrow)[(*arrows)++] = (struct arrow){before, stage, scan->mention[m - 1].pos};
        before = stage;
    }
    qsort(*arrow, *arrows, sizeof **arrow, by_ends);
    free(id);
    return BR_OK;
}

static bool is_below_one(struct br_decimal value)
{
    for (; value.exponent < 0; value.exponent++)
        value.mantissa /= 10;
    return value.mantissa <= 0;
}

/* Bytes of an edge, rounded up; less than one is a control edge, which carries none. */
static enum br_status read_bytes(const char *text, struct br_link *link, struct br_diag *diag)
{
    const struct br_decimal giga = {1, 9}; /* bytes / 1e9, in units of 1e-9 */
    struct br_decimal size;
    enum br_decimal_fault fault = br_decimal_parse_nearest(text, &size);
    if (fault || (!is_below_one(size) && !br_decimal_quotient_ns(size, giga, &link->bytes)))
        return br_fail(diag, BR_BAD_INPUT, "write a number of bytes",
                       "size '%.80s' of an edge is not a number, or too large", text);
    return BR_OK;
}

static int by_sequence(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    if (AGSEQ(x->edge) != AGSEQ(y->edge))
        return AGSEQ(x->edge) < AGSEQ(y->edge) ? -1 : 1;
    if (AGSEQ(x->tail) != AGSEQ(y->tail))
        return AGSEQ(x->tail) < AGSEQ(y->tail) ? -1 : 1;
    return AGSEQ(x->head) < AGSEQ(y->head) ? -1 : AGSEQ(x->head) > AGSEQ(y->head);
}

/* The attributes of edges in the form itself; NULL where no edge has one. */
struct edge_symbols {
    Agsym_t *type, *bytes, *size;
};

static enum br_status make_link(const struct dot_reader *reader, const struct end *ends,
                                const struct edge_symbols *symbol, const struct arrow *arrow,
                                uint32_t arrows, struct br_link *link, struct br_diag *diag)
{
    Agedge_t *edge = ends->edge;
    const char *from = br_dot_name(&reader->names, ends->tail);
    const char *to = br_dot_name(&reader->names, ends->head);
    const char *kind = symbol->type ? agxget(edge, symbol->type) : "";
    *link = (struct br_link){.parent = br_dag_find_stage(reader->dag, from),
                             .child = br_dag_find_stage(reader->dag, to),
                             .type = BR_BARRIER};
    uint32_t low = 0, high = arrows;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (arrow[middle].parent < link->parent ||
            (arrow[middle].parent == link->parent && arrow[middle].child < link->child))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < arrows && arrow[low].parent == link->parent && arrow[low].child == link->child)
        link->pos = arrow[low].pos;
    else
        link->pos = reader->dag->stage[link->child].pos;
    if (reader->options->reverse) {
        const uint32_t child = link->parent;
        link->parent = link->child;
        link->child = child;
    }
    br_value_place(diag, link->pos);
    if (strcmp(kind, "one-to-one") == 0)
        link->type = BR_ONE_TO_ONE;
    else if (*kind && strcmp(kind, "barrier") != 0)
        return br_fail(diag, BR_BAD_INPUT, "write type=barrier or type=\"one-to-one\"",
                       "the edge from '%.80s' to '%.80s' has the unknown type '%.80s'", from, to,
                       kind);
    if (symbol->bytes && *agxget(edge, symbol->bytes)) {
        char owner[220];
        snprintf(owner, sizeof owner, "the edge from '%.80s' to '%.80s'", from, to);
        enum br_status status =
            br_value_bytes(agxget(edge, symbol->bytes), owner, &link->carried, diag);
        if (status)
            return status;
    }
    if (symbol->size && reader->sized && *agxget(edge, symbol->size))
        return read_bytes(agxget(edge, symbol->size), link, diag);
    return BR_OK;
}

/* Attributes of the links that became an edge; what two of them agree on, once. */
static enum br_status pass_edges(const struct dot_reader *reader, const uint32_t *number,
                                 struct br_diag *diag)
{
    Agedge_t **seen = calloc((size_t)reader->dag->edges + 1, sizeof *seen);
    enum br_status status = seen ? BR_OK : br_fail_memory(diag);
    for (uint32_t k = 0; k < reader->links && !status; k++) {
        Agedge_t *edge = reader->edge[k].edge, *twin = seen[number[k]];
        for (Agsym_t *s = NULL; !status && (s = agnxtattr(reader->graph, AGEDGE, s));) {
            char *value = agxget(edge, s);
            bool used = strcmp(s->name, "type") == 0 || strcmp(s->name, "bytes") == 0 ||
                        (reader->sized && strcmp(s->name, "size") == 0);
            if (*value && !used && !(twin && strcmp(agxget(twin, s), value) == 0))
                status = pass_through(reader->dag, BR_OWNER_EDGE, number[k], s->name, value, diag);
        }
        seen[number[k]] = edge;
    }
    free(seen);
    return status;
}

/* One more edge, unless an end is left out or it leads from a node to itself by way of a cluster.
 */
static enum br_status list_edge(struct dot_reader *reader, Agedge_t *edge, Agnode_t *tail,
                                Agnode_t *head, bool whole, struct br_diag *diag)
{
    if (((br_dot_mark(&reader->marks, tail) | br_dot_mark(&reader->marks, head)) &
         BR_DOT_LEFT_OUT) ||
        (whole && AGSEQ(tail) == AGSEQ(head)))
        return BR_OK;
    if (reader->links == MOST_OBJECTS)
        return br_fail(diag, BR_BAD_INPUT, "write such a job in the native XML form",
                       "edges between whole clusters come to more than %d", MOST_OBJECTS);
    if (!br_grow(&reader->edge, reader->links, &reader->edge_room, sizeof *reader->edge))
        return br_fail_memory(diag);
    reader->edge[reader->links++] = (struct end){tail, head, edge};
    return BR_OK;
}

static enum br_status list_heads(struct dot_reader *reader, Agedge_t *edge, Agnode_t *tail,
                                 bool whole, struct br_diag *diag)
{
    Agraph_t *heads = br_dot_end(reader->graph, edge, "lhead");
    enum br_status status = BR_OK;
    if (!heads)
        return list_edge(reader, edge, tail, aghead(edge), whole, diag);
    for (Agnode_t *n = agfstnode(heads); n && !status; n = agnxtnode(heads, n))
        status = list_edge(reader, edge, tail, n, true, diag);
    return status;
}

/* In the order of the text. */
static enum br_status list_edges(struct dot_reader *reader, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (Agnode_t *node = agfstnode(reader->graph); node; node = agnxtnode(reader->graph, node))
        for (Agedge_t *edge = agfstout(reader->graph, node); edge && !status;
             edge = agnxtout(reader->graph, edge)) {
            Agraph_t *tails = br_dot_end(reader->graph, edge, "ltail");
            if (!tails)
                status = list_heads(reader, edge, node, false, diag);
            for (Agnode_t *n = tails ? agfstnode(tails) : NULL; n && !status;
                 n = agnxtnode(tails, n))
                status = list_heads(reader, edge, n, true, diag);
        }
    if (reader->links)
        qsort(reader->edge, reader->links, sizeof *reader->edge, by_sequence);
    return status;
}

static enum br_status add_edges(struct dot_reader *reader, struct br_diag *diag)
{
    uint32_t k = 0, arrows = 0;
    struct arrow *arrow = NULL;
    enum br_status status = list_edges(reader, diag);
    uint32_t *number = malloc(((size_t)reader->links + 1) * sizeof *number);
    reader->link = malloc(((size_t)reader->links + 1) * sizeof *reader->link);
    if (!status && (!number || !reader->link))
        status = br_fail_memory(diag);
    if (!status)
        status = place_stages(reader, &arrow, &arrows, diag);
    const struct edge_symbols symbol = {agattr(reader->graph, AGEDGE, (char *)"type", NULL),
                                        agattr(reader->graph, AGEDGE, (char *)"bytes", NULL),
                                        agattr(reader->graph, AGEDGE, (char *)"size", NULL)};
    for (; k < reader->links && !status; k++)
        status =
            make_link(reader, &reader->edge[k], &symbol, arrow, arrows, &reader->link[k], diag);
    if (!status)
        status = br_transfer_add(reader->dag, reader->options, reader->link, reader->links, number,
                                 diag);
    if (!status)
        status = pass_edges(reader, number, diag);
    free(number);
    free(arrow);
    return status;
}

static enum br_status read_job(struct dot_reader *reader, struct br_diag *diag)
{
    Agraph_t *graph = reader->graph;
    br_value_place(diag, BR_NO_POS);
    if (!agisdirected(graph))
        return br_fail(diag, BR_BAD_INPUT, "write digraph and ->", "the graph is not directed");
    reader->operations = agattr(graph, AGNODE, (char *)"size", NULL) &&
                         !agattr(graph, AGNODE, (char *)"duration", NULL) &&
                         !agattr(graph, AGNODE, (char *)"tasks", NULL);
    reader->sized = br_transfer_counts(reader->options);
    enum br_status status = read_resources(reader, diag);
    for (Agsym_t *s = NULL; !status && (s = agnxtattr(graph, AGRAPH, s));)
        if (*agxget(graph, s) && strcmp(s->name, "resources") != 0 && strcmp(s->name, "units") != 0)
            status = pass_through(reader->dag, BR_OWNER_JOB, 0, s->name, agxget(graph, s), diag);
    if (!status && !br_dot_names_init(&reader->names, graph, node_role(reader, "label") == PASSES))
        status = br_fail_memory(diag);
    if (!status)
        status = add_stages(reader, diag);
    if (!status)
        status = add_edges(reader, diag);
    return status ? status
                  : br_dot_doubt(&reader->marks, &reader->scan, reader->options->reverse,
                                 reader->dag, diag);
}

enum br_status br_read_dot(struct br_source *source, const struct br_parse_options *options,
                           struct br_input *input, struct br_diag *diag)
{
    struct dot_reader reader = {.options = options};
    char stem[256], *text;
    enum br_status status = br_source_text(source, TEXT_LIMIT, "dot", &text, diag);
    if (status)
        return status;
    status =
        br_dot_scan(text, &reader.scan) ? refuse_bombs(&reader.scan, diag) : br_fail_memory(diag);
    if (!status && reader.scan.number && reader.scan.rest != BR_DOT_OPEN)
        status = refuse_number(&reader.scan, diag);
    if (!status && reader.scan.brackets)
        status = refuse_twins(&reader.scan, diag);
    if (!status) {
        pthread_mutex_lock(&cgraph_lock);
        status = read_graph(text, &reader.scan, &reader.graph, diag);
        if (!status) {
            const char *name = agnameof(reader.graph);
            bool named = name && *name && *name != '%' && br_text_is_plain(name);
            input->dag = reader.dag =
                br_dag_create(named ? name : br_source_stem(source, "graph", stem, sizeof stem));
            if (!reader.dag || !br_dot_marks_init(&reader.marks, reader.graph, text, &reader.scan))
                status = br_fail_memory(diag);
            else
                status = read_job(&reader, diag);
        }
        br_dot_marks_finish(&reader.marks);
        br_dot_names_finish(&reader.names);
        if (reader.graph)
            agclose(reader.graph);
        pthread_mutex_unlock(&cgraph_lock);
    }
    br_dot_scan_finish(&reader.scan);
    free(reader.edge);
    free(reader.link);
    free(text);
    return status;
}
