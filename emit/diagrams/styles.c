/* Tables of the styles that are taken over, by owner. */
#include "emit/diagrams/styles.h"

#include <string.h>

#include "emit/write/write.h"

static const char *const of_graph[] = {"rankdir",     "nodesep",  "ranksep", "splines",
                                       "bgcolor",     "fontname", "ratio",   "size",
                                       "concentrate", "dpi",      NULL};
static const char *const of_node[] = {"shape", "fontname",   "fontcolor",   "peripheries",
                                      "sides", "skew",       "orientation", "regular",
                                      "group", "distortion", NULL};
static const char *const of_border[] = {"color", "penwidth", NULL};
static const char *const of_edge[] = {"arrowhead", "arrowtail", "dir",       "weight",   "minlen",
                                      "headlabel", "taillabel", "fontcolor", "fontname", NULL};

enum br_status br_styles_init(struct br_styles *styles, const struct br_emit_input *input,
                              struct br_diag *diag)
{
    *styles = (struct br_styles){.input = input};
    return br_attributes_init(&styles->by, input->dag, diag);
}

void br_styles_finish(struct br_styles *styles)
{
    br_attributes_finish(&styles->by);
}

/* A plain value; NULL if there is none, or one in angle brackets. */
static const char *styles_value_of(const struct br_styles *styles, enum br_owner owner,
                                   uint32_t index, const char *name)
{
    uint32_t count;
    const struct br_attribute **run = br_attributes_run(&styles->by, owner, index, &count);
    for (uint32_t a = 0; a < count; a++)
        if (strcmp(run[a]->name, name) == 0)
            return *run[a]->value && *run[a]->value != '<' ? run[a]->value : NULL;
    return NULL;
}

static void write_value(FILE *out, const char *name, const char *value)
{
    fprintf(out, ", %s=\"", name);
    br_write_text(out, BR_QUOTE_DOT, value);
    putc('"', out);
}

static void write_values(const struct br_styles *styles, enum br_owner owner, uint32_t index,
                         const char *const *names, FILE *out)
{
    for (; *names; names++) {
        const char *value = styles_value_of(styles, owner, index, *names);
        /* Labels of records have marks of their own. */
        if (value && !(strcmp(*names, "shape") == 0 && strstr(value, "record")))
            write_value(out, *names, value);
    }
}

bool br_styles_is_box(const struct br_styles *styles, uint32_t stage)
{
    static const char *const boxes[] = {"box", "rect", "rectangle", "square"};
    const char *shape = styles_value_of(styles, BR_OWNER_STAGE, stage, "shape");
    bool same = !shape || strstr(shape, "record");
    for (size_t k = 0; !same && k < sizeof boxes / sizeof *boxes; k++)
        same = strcmp(shape, boxes[k]) == 0;
    return same;
}

bool br_styles_label(const struct br_styles *styles, uint32_t stage, FILE *out)
{
    const char *label = styles_value_of(styles, BR_OWNER_STAGE, stage, "label");
    if (label)
        br_write_text(out, BR_QUOTE_DOT, label);
    return label != NULL;
}

void br_styles_graph(const struct br_styles *styles, FILE *out)
{
    write_values(styles, BR_OWNER_JOB, 0, of_graph, out);
}

void br_styles_fill(const struct br_styles *styles, uint32_t stage, FILE *out)
{
    static const char *const kept[] = {"rounded", "dashed", "dotted", "bold", "diagonals"};
    const char *style = styles_value_of(styles, BR_OWNER_STAGE, stage, "style");
    for (size_t k = 0; style && k < sizeof kept / sizeof *kept; k++)
        if (strstr(style, kept[k])) {
            fprintf(out, ", style=\"filled,%s\"", kept[k]);
            break;
        }
    if (styles->input->colour != BR_COLOUR_INPUT)
        return;
    const char *filling = styles_value_of(styles, BR_OWNER_STAGE, stage, "fillcolor");
    if (!filling && style && strstr(style, "filled"))
        filling = styles_value_of(styles, BR_OWNER_STAGE, stage, "color"); /* Graphviz's default */
    if (filling)
        write_value(out, "fillcolor", filling);
}

void br_styles_node(const struct br_styles *styles, uint32_t stage, FILE *out, bool border)
{
    write_values(styles, BR_OWNER_STAGE, stage, of_node, out);
    if (border)
        write_values(styles, BR_OWNER_STAGE, stage, of_border, out);
}

bool br_styles_arrow(const struct br_styles *styles, uint32_t edge, FILE *out, bool more)
{
    write_values(styles, BR_OWNER_EDGE, edge, of_edge, out);
    const char *label = styles_value_of(styles, BR_OWNER_EDGE, edge, "label");
    fputs(label || more ? ", label=\"" : "", out);
    if (label)
        br_write_text(out, BR_QUOTE_DOT, label);
    fputs(label && more ? "\\n" : "", out);
    return label != NULL;
}
