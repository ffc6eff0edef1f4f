#include "parsers/dot/held.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/text/value.h"

static const char blanks[] = " \t\r\n";

/* The next word of the list; sets *last if a comma ends it, which is cut off. */
static char *next_word(char **rest, bool may_end, bool *last)
{
    char *word;
    do
        word = strsep(rest, blanks);
    while (word && !*word);
    *last = !word;
    if (!word || !may_end)
        return word;
    size_t length = strlen(word);
    if (word[length - 1] == ',') {
        word[length - 1] = 0;
        *last = true;
    }
    return word;
}

static enum br_status refuse_outputs(const char *text, const char *owner, struct br_diag *diag)
{
    return br_fail(diag, BR_BAD_INPUT,
                   "write outputs such as \"table mem 2GiB, spill disk 7 end unkept\"",
                   "outputs '%.80s' of %s are no list of ids, resources and amounts", text, owner);
}

enum br_status br_dot_add_outputs(struct br_dag *dag, uint32_t stage, const char *text,
                                  const char *owner, struct br_diag *diag)
{
    char *copy = strdup(text), *rest = copy;
    enum br_status status = copy ? BR_OK : br_fail_memory(diag);
    bool last, none = true;
    for (char *id; !status && (id = next_word(&rest, false, &last)); none = false) {
        char *resource = next_word(&rest, false, &last);
        char *amount = resource ? next_word(&rest, true, &last) : NULL;
        uint32_t flags = 0;
        if (!amount)
            status = refuse_outputs(text, owner, diag);
        else if (strcmp(id, "-") == 0)
            status = br_fail(diag, BR_BAD_INPUT, "rename it, or write the XML form",
                             "an output of %s is called '-', which stands for none", owner);
        while (!status && !last) {
            const char *word = next_word(&rest, true, &last);
            if (!word)
                break;
            if (strcmp(word, "end") == 0)
                flags |= BR_OUTPUT_FROM_END;
            else if (strcmp(word, "unkept") == 0)
                flags |= BR_OUTPUT_UNKEPT;
            else
                status = refuse_outputs(text, owner, diag);
        }
        if (!status)
            status = br_dag_add_output(dag, stage, id, resource, amount, flags, diag);
    }
    if (!status && none)
        status = refuse_outputs(text, owner, diag);
    free(copy);
    return status;
}

enum br_status br_dot_add_time(struct br_dag *dag, uint32_t stage, const char *name,
                               const char *text, const char *owner, br_dot_set_time *set,
                               struct br_diag *diag)
{
    int64_t ns;
    enum br_status status = br_value_seconds(text, name, owner, &ns, diag);
    return status ? status : set(dag, stage, UINT32_MAX, ns, diag);
}

enum br_status br_dot_add_times(struct br_dag *dag, uint32_t stage, const char *name,
                                const char *text, const char *owner, br_dot_set_time *set,
                                struct br_diag *diag)
{
    char *copy = strdup(text), *rest = copy;
    enum br_status status = copy ? BR_OK : br_fail_memory(diag);
    for (char *item; !status && (item = strsep(&rest, ","));) {
        char *colon = strchr(item, ':');
        uint32_t index;
        int64_t ns;
        if (!colon) {
            status = br_fail(diag, BR_BAD_INPUT, "write times such as \"7:61,9:12.5\"",
                             "%s '%.80s' of %s give no index and time", name, item, owner);
            break;
        }
        *colon = 0;
        item += strspn(item, blanks);
        status = br_value_count(item, "index", owner, &index, diag);
        if (!status && index == UINT32_MAX) /* stands for all tasks */
            status = br_fail(diag, BR_BAD_INPUT, "indices count from 0",
                             "%s '%.80s' of %s have an index that is too large", name, item, owner);
        if (!status)
            status = br_value_seconds(colon + 1, name, owner, &ns, diag);
        if (!status)
            status = set(dag, stage, index, ns, diag);
    }
    free(copy);
    return status;
}

bool br_dot_is_own_form(Agraph_t *graph)
{
    return agattr(graph, AGRAPH, (char *)"resources", NULL) != NULL;
}

bool br_dot_is_wait(const char *name)
{
    return strcmp(name, "reads") == 0 || strcmp(name, "lag") == 0 || strcmp(name, "stream") == 0;
}

/* What an arrow says; "" if nothing. */
struct said {
    const char *reads, *lag, *stream;
};

static const char *value_of(Agraph_t *graph, Agedge_t *edge, const char *name)
{
    Agsym_t *symbol = edge ? agattr(graph, AGEDGE, (char *)name, NULL) : NULL;
    return symbol ? agxget(edge, symbol) : "";
}

static enum br_status set_wait(struct br_dag *dag, const struct br_link *link, uint32_t edge,
                               const struct said *said, struct br_diag *diag)
{
    char owner[220];
    int64_t lag_ns = 0;
    bool stream = false;
    enum br_status status = BR_OK;
    snprintf(owner, sizeof owner, "the edge from '%.80s' to '%.80s'", dag->stage[link->parent].id,
             dag->stage[link->child].id);
    if (dag->edge[edge].child != link->child)
        return br_fail(diag, BR_BAD_INPUT, "use another --transfer-mode",
                       "%s becomes a transfer, and has reads, lag or stream", owner);
    if (*said->reads)
        status = br_dag_set_edge_reads(dag, link->parent, link->child,
                                       strcmp(said->reads, "-") == 0 ? "" : said->reads, diag);
    if (!status && *said->lag)
        status = br_value_seconds(said->lag, "lag", owner, &lag_ns, diag);
    if (!status && *said->stream)
        status = br_value_choice(said->stream, "stream", owner, "yes", "no", &stream, diag);
    if (!status && lag_ns)
        status = br_dag_set_edge_lag(dag, link->parent, link->child, lag_ns, diag);
    if (!status && stream)
        status = br_dag_set_edge_stream(dag, link->parent, link->child, diag);
    return status;
}

enum br_status br_dot_add_waits(const struct br_dot_reader *reader, const struct br_dot_list *list,
                                const struct br_link *link, const uint32_t *number,
                                struct br_diag *diag)
{
    Agraph_t *graph = reader->graph;
    if (!br_dot_is_own_form(graph) || !(agattr(graph, AGEDGE, (char *)"reads", NULL) ||
                                        agattr(graph, AGEDGE, (char *)"lag", NULL) ||
                                        agattr(graph, AGEDGE, (char *)"stream", NULL)))
        return BR_OK;
    enum { NONE, PLAIN, WAITS };
    unsigned char *seen = calloc((size_t)reader->dag->edges + 1, 1);
    enum br_status status = seen ? BR_OK : br_fail_memory(diag);
    for (uint32_t k = 0; k < list->count && !status; k++) {
        Agedge_t *edge = list->ends[k].edge;
        const struct said said = {value_of(graph, edge, "reads"), value_of(graph, edge, "lag"),
                                  value_of(graph, edge, "stream")};
        const bool waits = *said.reads || *said.lag || *said.stream;
        unsigned char *before = &seen[number[k]];
        br_value_place(diag, link[k].pos);
        if (*before == WAITS || (*before && waits))
            status = br_fail(diag, BR_BAD_INPUT, "join the stages by one edge",
                             "two edges go from '%.80s' to '%.80s', and one of them has reads, lag "
                             "or stream",
                             reader->dag->stage[link[k].parent].id,
                             reader->dag->stage[link[k].child].id);
        else if (waits)
            status = set_wait(reader->dag, &link[k], number[k], &said, diag);
        *before = waits ? WAITS : PLAIN;
    }
    free(seen);
    return status;
}
