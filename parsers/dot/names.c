/* Decides which labels name their nodes. */
#include "parsers/dot/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

static bool dot_names_is_number(const char *text)
{
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hexadecimal ? text + 2 : text + (*text == '-');
    if (hexadecimal)
        return *digits && !digits[strspn(digits, "0123456789abcdefABCDEF")];
    const char *point = digits + strspn(digits, "0123456789");
    const char *rest = *point == '.' ? point + 1 + strspn(point + 1, "0123456789") : point;
    return !*rest && rest - digits > (*point == '.');
}

/* p0x7ffd: Taskflow's ids are addresses, which differ in each run. */
static bool is_address(const char *id)
{
    return strncmp(id, "p0x", 3) == 0 && dot_names_is_number(id + 1);
}

/* The length of "node", "node_" or a letter before a number such as 7 or 0_7; 0: no such id. */
static size_t series_prefix(const char *id)
{
    const size_t node = strncmp(id, "node", 4) == 0 ? 4 + (id[4] == '_') : 0;
    const size_t length = node ? node : 1;
    const bool letter = node || (id[0] >= 'A' && id[0] <= 'Z') || (id[0] >= 'a' && id[0] <= 'z');
    const char *digits = letter ? id + length : "";
    return *digits >= '0' && *digits <= '9' && !digits[strspn(digits, "0123456789_")] ? length : 0;
}

/* Are all nodes numbered with one prefix, and labelled? Then the labels tell them apart. */
static bool is_series(const struct br_dot_marks *marks, Agraph_t *graph)
{
    const char *first = NULL;
    uint32_t count = 0;
    for (Agnode_t *n = agfstnode(graph); n; n = agnxtnode(graph, n)) {
        const char *id = agnameof(n), *label = br_dot_value(n, "label");
        if (br_dot_mark(marks, n) & BR_DOT_LEFT_OUT)
            continue;
        const size_t length = series_prefix(id);
        if (!first)
            first = id;
        if (!length || length != series_prefix(first) || strncmp(id, first, length) != 0 ||
            !*label || strcmp(label, "\\N") == 0)
            return false;
        count++;
    }
    return count > 1;
}

/* A copy of the label with blanks for line breaks; NULL: memory is out. */
static char *dot_names_join_lines(const char *label)
{
    char *text = malloc(strlen(label) + 1), *to = text;
    for (const char *p = label; text && *p; p++) {
        const bool breaks = *p == '\\' && p[1] && strchr("nlr", p[1]);
        *to = *p;
        if (breaks)
            *to = ' ';
        to++;
        p += breaks;
    }
    while (to && to > text && to[-1] == ' ')
        to--;
    if (to)
        *to = '\0';
    return text;
}

/* Names that begin with % are Graphviz's own. */
static bool dot_is_name(const char *label)
{
    return *label && *label != '%' && br_text_is_plain(label) && !strchr(label, '\\') &&
           !dot_names_is_number(label) && label[strspn(label, " ")];
}

static int dot_names_by_text(const void *a, const void *b)
{
    const char *x = **(const char **const *)a, *y = **(const char **const *)b;
    return strcmp(x, y);
}

/* Drops names that stand for two nodes; `place` has room for all of them. */
static void drop_equals(const struct br_dot_names *names, const char ***place)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n <= names->nodes; n++)
        if (names->label[n])
            place[count++] = &names->label[n];
    if (count)
        qsort(place, count, sizeof *place, dot_names_by_text);
    for (uint32_t k = 0, next; k < count; k = next) {
        bool twice = false;
        for (next = k + 1; next < count && strcmp(*place[next], *place[k]) == 0; next++) {
            *place[next] = NULL;
            twice = true;
        }
        if (twice || agnode(names->graph, (char *)*place[k], 0))
            *place[k] = NULL;
    }
}

bool br_dot_is_numbered(const struct br_dot_names *names, Agnode_t *node)
{
    return names->label &&
           (names->series || dot_names_is_number(agnameof(node)) || is_address(agnameof(node)));
}

/* The label names a node whose id is a number, and XLA's fused nodes; false when memory is out. */
static bool name_node(struct br_dot_names *names, const struct br_dot_marks *marks, Agnode_t *node,
                      const char *label, bool is_record)
{
    const uint32_t number = AGSEQ(node);
    const char *text = label;
    if (number > names->nodes || (br_dot_mark(marks, node) & BR_DOT_LEFT_OUT))
        return true;
    if (marks->fused.whole)
        text = names->made[number] = br_dot_fused_name(&marks->fused, node);
    else if (!br_dot_is_numbered(names, node) || is_record || aghtmlstr((char *)label))
        return true;
    else if (strchr(label, '\\'))
        text = names->made[number] = dot_names_join_lines(label);
    if (text && dot_is_name(text))
        names->label[number] = text;
    return text != NULL;
}

bool br_dot_names_init(struct br_dot_names *names, const struct br_dot_marks *marks,
                       Agraph_t *graph, bool labels)
{
    Agsym_t *label = agattr(graph, AGNODE, (char *)"label", NULL);
    Agsym_t *shape = agattr(graph, AGNODE, (char *)"shape", NULL);
    *names = (struct br_dot_names){.graph = graph};
    if (!label || !labels)
        return true;
    names->nodes = (uint32_t)agnnodes(graph);
    names->label = calloc((size_t)names->nodes + 1, sizeof *names->label);
    names->made = calloc((size_t)names->nodes + 1, sizeof *names->made);
    const char ***place = malloc(((size_t)names->nodes + 1) * sizeof *place);
    names->series = is_series(marks, graph);
    bool done = names->label && names->made && place;
    for (Agnode_t *n = agfstnode(graph); done && n; n = agnxtnode(graph, n))
        done = name_node(names, marks, n, agxget(n, label),
                         shape && strstr(agxget(n, shape), "record"));
    if (done)
        drop_equals(names, place);
    free(place);
    return done;
}

void br_dot_names_finish(struct br_dot_names *names)
{
    for (uint32_t n = 0; names->made && n <= names->nodes; n++)
        free(names->made[n]);
    free(names->made);
    free(names->label);
    names->made = NULL;
    names->label = NULL;
}

bool br_dot_is_labelled(const struct br_dot_names *names, Agnode_t *node)
{
    return names->label && AGSEQ(node) <= names->nodes && names->label[AGSEQ(node)];
}

const char *br_dot_name(const struct br_dot_names *names, Agnode_t *node)
{
    return br_dot_is_labelled(names, node) ? names->label[AGSEQ(node)] : agnameof(node);
}

const char *br_dot_name_of(const struct br_dot_names *names, const char *id)
{
    Agnode_t *node = names->label ? agnode(names->graph, (char *)id, 0) : NULL;
    return node ? br_dot_name(names, node) : id;
}
