/* Input files of HTCondor's DAGMan (.dag): a node is a stage of one task, and PARENT ... CHILD ...
 * are its edges. Commands may stand in any order, so the text is read three times: what is
 * declared, the nodes, and what is said of them.
 *
 * A node's submit file is not opened; a description in the file says what the node demands. What
 * limits the number of jobs at once, MAXJOBS of a category and concurrency limits, becomes a demand
 * for a resource of that name, to be shared. SPLICE, SUBDAG and INCLUDE name other files, and are
 * refused. */
#include "parsers/workflows/dagman.h"
#include "parsers/workflows/dagman_log.h"
#include "parsers/reader/formats.h"
#include "parsers/text/value.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/collections/grow.h"
#include "base/roles.h"

enum { TEXT_LIMIT = 256 << 20, NUMBER_MOST = 40, DOUBT_MOST = 360 };

struct category {
    const char *name;
    uint32_t most;
    uint32_t nodes; /* in it */
};

/* Of the stage with the same number. */
struct node {
    const char *category, *priority, *retry; /* NULL: none; the last one said */
    bool special; /* FINAL or PROVISIONER, which ALL_NODES does not mean */
    bool is_parent, is_child;
};

enum pass { DECLARE, NODES, SAY };

struct dagman {
    struct br_dag *dag;
    const struct br_parse_options *options;
    struct br_diag *diag;
    char *text[3]; /* a copy of the file for each pass, cut into words */
    char *at;      /* the next line */
    uint32_t line; /* of the command */
    uint32_t next; /* of `at` */
    uint32_t descriptions, description_room, categories, category_room, nodes, node_room;
    struct br_dagman_description *description;
    struct category *category;
    struct node *node;
    uint32_t final, provisioner; /* UINT32_MAX: none */
    uint32_t elsewhere;          /* nodes with a submit file of their own */
    uint32_t expressions;        /* demands that are no numbers */
    uint32_t scripts, services, done;
};

/* Reads what follows the command's name. `place` is that of a member of the reader or of a node. */
typedef enum br_status dagman_command(struct dagman *reader, char *rest, size_t place);

static struct br_pos dagman_place(const struct dagman *reader)
{
    return (struct br_pos){reader->line, 1};
}

/* The next word, cut off; "": there is none. */
static char *dagman_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t");
    char *end = word + strcspn(word, " \t");
    *rest = *end ? end + 1 : end;
    *end = 0;
    return word;
}

/* The next line, with those that it goes on in after a backslash; NULL at the end. */
static char *dagman_line(struct dagman *reader)
{
    char *line = reader->at, *end = line, *to = line;
    if (!*line)
        return NULL;
    reader->line = reader->next;
    for (;;) {
        size_t length = strcspn(end, "\n");
        const bool more = end[length] != 0;
        const char *from = end;
        end += length + more;
        reader->next += more;
        while (length && strchr(" \t\r", from[length - 1]))
            length--;
        const bool goes_on = more && length && from[length - 1] == '\\' && *line != '#';
        memmove(to, from, length - goes_on);
        to += length - goes_on;
        if (!goes_on)
            break;
        *to++ = ' ';
    }
    *to = 0;
    reader->at = end;
    return line;
}

static enum br_status fail_missing(const struct dagman *reader, const char *form)
{
    return br_fail_at(reader->diag, dagman_place(reader), BR_BAD_INPUT, form,
                      "the command ends early");
}

static enum br_status find_node(const struct dagman *reader, const char *name, uint32_t *stage)
{
    *stage = br_dag_find_stage(reader->dag, name);
    if (*stage != UINT32_MAX)
        return BR_OK;
    return br_fail_at(reader->diag, dagman_place(reader), BR_BAD_INPUT,
                      "declare it by JOB; names count upper and lower case",
                      "there is no node '%.80s'", name);
}

/* Reads the lines up to `end` into the description; the pass may not want them (NULL). */
static enum br_status read_block(struct dagman *reader, const char *end,
                                 struct br_dagman_description *description)
{
    const struct br_pos begin = dagman_place(reader);
    for (char *line; (line = dagman_line(reader)) != NULL;) {
        line += strspn(line, " \t");
        if (strcmp(line, end) == 0)
            return BR_OK;
        char *value = strchr(line, '=');
        if (!value || *line == '#' || !description)
            continue;
        *value++ = 0;
        value += strspn(value, " \t");
        const char *key = dagman_word(&line);
        br_dagman_set(description, key, value);
    }
    return br_fail_at(reader->diag, begin, BR_BAD_INPUT, "close it",
                      "the description that begins here has no line '%.40s'", end);
}

/* Is the word the beginning of a description? Then *end is the line that ends it. */
static bool begins_block(const char *word, char end[static NUMBER_MOST])
{
    if (strncmp(word, "@=", 2) == 0)
        snprintf(end, NUMBER_MOST, "@%s", word + 2);
    else
        snprintf(end, NUMBER_MOST, "}");
    return strcmp(word, "{") == 0 || strncmp(word, "@=", 2) == 0;
}

static enum br_status read_description(struct dagman *reader, char *rest, size_t place)
{
    (void)place;
    char end[NUMBER_MOST];
    const char *name = dagman_word(&rest);
    if (!*name || !begins_block(dagman_word(&rest), end))
        return fail_missing(reader, "write SUBMIT-DESCRIPTION NAME {");
    if (!br_grow(&reader->description, reader->descriptions, &reader->description_room,
                 sizeof *reader->description))
        return br_fail_memory(reader->diag);
    struct br_dagman_description *description = &reader->description[reader->descriptions++];
    *description = (struct br_dagman_description){.name = name};
    return read_block(reader, end, description);
}

/* Names of categories that count across splices begin with a plus. */
static const char *category_name(const char *word)
{
    return word + (*word == '+');
}

static struct category *find_category(const struct dagman *reader, const char *name)
{
    for (uint32_t c = 0; c < reader->categories; c++)
        if (strcmp(reader->category[c].name, name) == 0)
            return &reader->category[c];
    return NULL;
}

/* The resource of that name takes `most` at once. */
static enum br_status add_category(struct dagman *reader, const char *name, uint32_t most)
{
    struct category *category = find_category(reader, name);
    if (!category) {
        if (!br_grow(&reader->category, reader->categories, &reader->category_room,
                     sizeof *reader->category))
            return br_fail_memory(reader->diag);
        category = &reader->category[reader->categories++];
        *category = (struct category){.name = name};
    }
    category->most = most;
    return BR_OK;
}

static enum br_status read_maxjobs(struct dagman *reader, char *rest, size_t place)
{
    (void)place;
    const char *name = category_name(dagman_word(&rest)), *number = dagman_word(&rest);
    uint32_t most;
    if (!*number)
        return fail_missing(reader, "write MAXJOBS CATEGORY NUMBER");
    enum br_status status = br_value_count(number, "MAXJOBS", name, &most, reader->diag);
    if (!status && (br_role_of(name) != BR_ROLE_NONE || strcmp(name, "gpu") == 0))
        return br_fail_at(reader->diag, dagman_place(reader), BR_BAD_INPUT, "rename it",
                          "a category cannot be named '%.40s', which is a resource", name);
    return status ? status : add_category(reader, name, most);
}

/* NAME SUBMIT-FILE [DIR directory] [NOOP] [DONE]; the file may be a description. */
static enum br_status read_node(struct dagman *reader, char *rest, size_t place)
{
    struct br_dagman_description own = {0};
    const struct br_dagman_description *description = NULL;
    char end[NUMBER_MOST];
    const char *name = dagman_word(&rest), *submit = dagman_word(&rest);
    int64_t ns = reader->options->default_duration_ns;
    uint32_t stage;
    if (!*submit)
        return fail_missing(reader, "write JOB NAME SUBMIT-FILE");
    const struct br_pos pos = dagman_place(reader);
    if (begins_block(submit, end)) {
        enum br_status status = read_block(reader, end, &own);
        if (status)
            return status;
        description = &own;
        rest = (char *)"";
    }
    for (uint32_t d = 0; d < reader->descriptions && !description; d++)
        if (strcmp(reader->description[d].name, submit) == 0)
            description = &reader->description[d];
    while (*rest) {
        const char *word = dagman_word(&rest);
        if (strcasecmp(word, "NOOP") == 0 || strcasecmp(word, "DONE") == 0) {
            ns = 0;
            reader->done++;
        }
    }
    br_value_place(reader->diag, pos);
    enum br_status status = br_dag_add_stage(reader->dag, name, 1, ns, &stage, reader->diag);
    if (status)
        return status;
    br_dag_set_stage_pos(reader->dag, stage, pos);
    if (!br_grow(&reader->node, reader->nodes, &reader->node_room, sizeof *reader->node))
        return br_fail_memory(reader->diag);
    assert(stage == reader->nodes);
    reader->node[reader->nodes++] = (struct node){.special = place != 0};
    if (place) /* FINAL or PROVISIONER */
        *(uint32_t *)((char *)reader + place) = stage;
    reader->elsewhere += !description;
    if (!description)
        status = br_dag_add_attribute(reader->dag, BR_OWNER_STAGE, stage, "submit", submit,
                                      reader->diag);
    return status ? status
                  : br_dagman_demand(reader->dag, stage, description ? description : &own,
                                     &reader->expressions, reader->diag);
}

static enum br_status count_command(struct dagman *reader, char *rest, size_t place)
{
    (void)rest;
    ++*(uint32_t *)((char *)reader + place);
    return BR_OK;
}

static enum br_status refuse_other(struct dagman *reader, char *rest, size_t place)
{
    (void)place;
    (void)rest;
    return br_fail_at(
        reader->diag, dagman_place(reader), BR_BAD_INPUT,
        "put the commands of the other file into this one, the names of a splice's "
        "nodes with its name and a plus before them",
        "SPLICE, SUBDAG, INCLUDE and CONNECT concern other files, which are not read");
}

static enum br_status refuse_reject(struct dagman *reader, char *rest, size_t place)
{
    (void)place;
    (void)rest;
    return br_fail_at(reader->diag, dagman_place(reader), BR_BAD_INPUT,
                      "take the line out if it is meant to run",
                      "the file says REJECT: it is not to be run");
}

static enum br_status link_nodes(struct dagman *reader, uint32_t parent, uint32_t child)
{
    enum br_status status = br_dag_add_edge(reader->dag, parent, child, BR_BARRIER, reader->diag);
    if (status)
        return status;
    br_dag_set_edge_pos(reader->dag, dagman_place(reader));
    reader->node[parent].is_parent = true;
    reader->node[child].is_child = true;
    return BR_OK;
}

static enum br_status read_parent(struct dagman *reader, char *rest, size_t place)
{
    (void)place;
    uint32_t *stage = NULL, stages = 0, room = 0, parents = 0;
    bool child = false;
    enum br_status status = BR_OK;
    for (const char *word; !status && *(word = dagman_word(&rest));) {
        if (!child && strcasecmp(word, "CHILD") == 0) {
            child = true;
            parents = stages;
            continue;
        }
        if (!br_grow(&stage, stages, &room, sizeof *stage))
            status = br_fail_memory(reader->diag);
        else
            status = find_node(reader, word, &stage[stages++]);
    }
    if (!status && (parents == 0 || stages == parents))
        status = fail_missing(reader, "write PARENT A B CHILD C D");
    br_value_place(reader->diag, dagman_place(reader));
    for (uint32_t p = 0; p < parents && !status; p++)
        for (uint32_t c = parents; c < stages && !status; c++)
            status = link_nodes(reader, stage[p], stage[c]);
    free(stage);
    return status;
}

/* NAME VALUE, or ALL_NODES VALUE: `place` says where the node keeps the value. */
static enum br_status set_word(struct dagman *reader, char *rest, size_t place)
{
    const char *name = dagman_word(&rest), *value = dagman_word(&rest);
    uint32_t first = 0, last = reader->nodes;
    if (!*value)
        return fail_missing(reader, "name a node, or ALL_NODES, and a value");
    const bool all = strcasecmp(name, "ALL_NODES") == 0;
    if (!all) {
        enum br_status status = find_node(reader, name, &first);
        if (status)
            return status;
        last = first + 1;
    }
    for (uint32_t n = first; n < last; n++)
        if (!all || !reader->node[n].special)
            *(const char **)((char *)&reader->node[n] + place) = value;
    return BR_OK;
}

static enum br_status read_vars(struct dagman *reader, char *rest, size_t place)
{
    (void)place;
    const char *name = dagman_word(&rest);
    uint32_t stage;
    if (strcasecmp(name, "ALL_NODES") == 0)
        return BR_OK;
    enum br_status status = find_node(reader, name, &stage);
    rest += strspn(rest, " \t");
    return status || !*rest ? status
                            : br_dag_add_attribute(reader->dag, BR_OWNER_STAGE, stage, "vars", rest,
                                                   reader->diag);
}

static enum br_status read_done(struct dagman *reader, char *rest, size_t place)
{
    (void)place;
    uint32_t stage;
    enum br_status status = find_node(reader, dagman_word(&rest), &stage);
    reader->done++;
    return status || reader->options->default_duration_ns == 0
               ? status
               : br_dag_set_duration(reader->dag, stage, 0, 0, reader->diag);
}

static const struct {
    const char *name;
    enum pass pass;
    dagman_command *read;
    size_t place;
} commands[] = {
    {"JOB", NODES, read_node, 0},
    {"DATA", NODES, read_node, 0},
    {"FINAL", NODES, read_node, offsetof(struct dagman, final)},
    {"PROVISIONER", NODES, read_node, offsetof(struct dagman, provisioner)},
    {"SERVICE", NODES, count_command, offsetof(struct dagman, services)},
    {"SUBMIT-DESCRIPTION", DECLARE, read_description, 0},
    {"MAXJOBS", DECLARE, read_maxjobs, 0},
    {"SPLICE", DECLARE, refuse_other, 0},
    {"SUBDAG", DECLARE, refuse_other, 0},
    {"INCLUDE", DECLARE, refuse_other, 0},
    {"CONNECT", DECLARE, refuse_other, 0},
    {"REJECT", DECLARE, refuse_reject, 0},
    {"PARENT", SAY, read_parent, 0},
    {"CATEGORY", SAY, set_word, offsetof(struct node, category)},
    {"PRIORITY", SAY, set_word, offsetof(struct node, priority)},
    {"RETRY", SAY, set_word, offsetof(struct node, retry)},
    {"VARS", SAY, read_vars, 0},
    {"DONE", SAY, read_done, 0},
    {"SCRIPT", SAY, count_command, offsetof(struct dagman, scripts)},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* These concern DAGMan itself, or nodes that fail. */
static const char *const passed_over[] = {"CONFIG",
                                          "DOT",
                                          "ENV",
                                          "SET_JOB_ATTR",
                                          "NODE_STATUS_FILE",
                                          "JOBSTATE_LOG",
                                          "SAVE_POINT_FILE",
                                          "ABORT-DAG-ON",
                                          "PRE_SKIP",
                                          "PIN_IN",
                                          "PIN_OUT"};
enum { PASSED_OVER = sizeof passed_over / sizeof *passed_over };

static bool is_word(const char *name, const char *word, size_t length)
{
    return strncasecmp(name, word, length) == 0 && !name[length];
}

/* The row; from COMMANDS on one that is passed over. */
static size_t find_command(const char *word, size_t length)
{
    size_t k = 0;
    while (k < COMMANDS && !is_word(commands[k].name, word, length))
        k++;
    while (k >= COMMANDS && k < COMMANDS + PASSED_OVER &&
           !is_word(passed_over[k - COMMANDS], word, length))
        k++;
    return k;
}

bool br_dagman_has_command(const char *word, size_t length)
{
    return find_command(word, length) < COMMANDS + PASSED_OVER;
}

/* Does the line, of another pass, begin a description whose lines follow? */
static enum br_status skip_block(struct dagman *reader, const char *line)
{
    char end[NUMBER_MOST];
    const char *last = strrchr(line, ' ');
    last = last ? last + 1 : line;
    return begins_block(last, end) ? read_block(reader, end, NULL) : BR_OK;
}

static enum br_status dagman_pass(struct dagman *reader, enum pass pass)
{
    enum br_status status = BR_OK;
    reader->at = reader->text[pass];
    reader->next = 1;
    for (char *line; !status && (line = dagman_line(reader)) != NULL;) {
        line += strspn(line, " \t");
        const size_t length = strcspn(line, " \t");
        if (!*line || *line == '#')
            continue;
        const size_t k = find_command(line, length);
        if (k == COMMANDS + PASSED_OVER)
            return br_fail_at(reader->diag, dagman_place(reader), BR_BAD_INPUT,
                              "check its spelling", "DAGMan has no command '%.40s'", line);
        br_value_place(reader->diag, dagman_place(reader));
        status = k < COMMANDS && commands[k].pass == pass
                     ? commands[k].read(reader, line + length, commands[k].place)
                     : skip_block(reader, line);
    }
    return status;
}

/* FINAL comes after all others, PROVISIONER before them. */
static enum br_status link_special(struct dagman *reader)
{
    enum br_status status = BR_OK;
    for (uint32_t n = 0; n < reader->nodes && !status; n++) {
        if (reader->node[n].special)
            continue;
        const bool last = !reader->node[n].is_parent, first = !reader->node[n].is_child;
        if (last && reader->final != UINT32_MAX)
            status = link_nodes(reader, n, reader->final);
        if (!status && first && reader->provisioner != UINT32_MAX)
            status = link_nodes(reader, reader->provisioner, n);
    }
    return status;
}

static enum br_status finish_nodes(struct dagman *reader)
{
    enum br_status status = BR_OK;
    for (uint32_t n = 0; n < reader->nodes && !status; n++) {
        const struct node *node = &reader->node[n];
        struct category *category =
            node->category ? find_category(reader, category_name(node->category)) : NULL;
        if (category) {
            category->nodes++;
            status = br_dag_add_demand(reader->dag, n, category->name, "1", reader->diag);
        }
        if (!status && node->priority)
            status = br_dag_add_attribute(reader->dag, BR_OWNER_STAGE, n, "priority",
                                          node->priority, reader->diag);
        if (!status && node->retry)
            status = br_dag_add_attribute(reader->dag, BR_OWNER_STAGE, n, "retry", node->retry,
                                          reader->diag);
    }
    return status;
}

/* Says which options keep the limits of categories. */
static enum br_status doubt_categories(const struct dagman *reader)
{
    char text[DOUBT_MOST] = "";
    size_t used = 0;
    for (uint32_t c = 0; c < reader->categories && used < sizeof text; c++)
        if (reader->category[c].nodes)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%s=%" PRIu32, used ? "," : "",
                                 reader->category[c].name, reader->category[c].most);
    return !used ? BR_OK
                 : br_dag_add_doubt(reader->dag, reader->diag,
                                    "MAXJOBS limits categories of jobs: give --shared %s", text);
}

static enum br_status dagman_doubt(const struct dagman *reader)
{
    const struct {
        uint32_t count;
        const char *what;
    } doubts[] = {
        {reader->elsewhere, "nodes have a submit file, which is not read: they demand 1 cpu"},
        {reader->expressions, "demands of descriptions are no plain numbers, and left out"},
        {reader->done, "nodes are DONE or NOOP, and take no time"},
        {reader->scripts, "scripts before or after nodes are left out"},
        {reader->services, "SERVICE nodes, which run beside all others, are left out"},
    };
    enum br_status status = doubt_categories(reader);
    for (size_t k = 0; k < sizeof doubts / sizeof *doubts && !status; k++)
        if (doubts[k].count)
            status = br_dag_add_doubt(reader->dag, reader->diag, "%" PRIu32 " %s", doubts[k].count,
                                      doubts[k].what);
    return status;
}

enum br_status br_read_dagman(struct br_source *source, const struct br_parse_options *options,
                              struct br_input *input, struct br_diag *diag)
{
    struct dagman reader = {
        .options = options, .diag = diag, .final = UINT32_MAX, .provisioner = UINT32_MAX};
    char stem[256];
    enum br_status status = br_source_text(source, TEXT_LIMIT, "dagman", &reader.text[0], diag);
    if (status)
        return status;
    reader.text[1] = strdup(reader.text[0]);
    reader.text[2] = strdup(reader.text[0]);
    input->dag = reader.dag = br_dag_create(br_source_stem(source, "dag", stem, sizeof stem));
    if (!reader.dag || !reader.text[1] || !reader.text[2])
        status = br_fail_memory(diag);
    for (int pass = DECLARE; pass <= SAY && !status; pass++)
        status = dagman_pass(&reader, (enum pass)pass);
    if (!status)
        status = link_special(&reader);
    if (!status)
        status = finish_nodes(&reader);
    if (!status)
        status = br_dagman_take_run(options->durations, source->name, reader.done, input, diag);
    if (!status)
        status = dagman_doubt(&reader);
    for (int pass = DECLARE; pass <= SAY; pass++)
        free(reader.text[pass]);
    free(reader.description);
    free(reader.category);
    free(reader.node);
    return status;
}
