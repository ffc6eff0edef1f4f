#include "parsers/dot/fused.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char fusion[] = "Fused expression for <b>", function[] = "Subcomputation for <b>";

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The operation that a dashed arrow from the whole cluster leads to. */
static Agnode_t *fused_user_of(Agraph_t *graph, const struct br_dot_clusters *clusters,
                               Agraph_t *cluster)
{
    for (Agnode_t *n = agfstnode(cluster); n; n = agnxtnode(cluster, n)) {
        Agnode_t *own = agsubnode(graph, n, 0);
        for (Agedge_t *e = agfstout(graph, own); e; e = agnxtout(graph, e))
            if (br_dot_end(clusters, e, "ltail") == cluster && !agsubnode(cluster, aghead(e), 0))
                return aghead(e);
    }
    return NULL;
}

/* Loops, branches and calls have a colour of their own. */
static bool is_control(Agnode_t *node)
{
    return strcmp(br_dot_value(node, "color"), "#005005") == 0;
}

Agnode_t *br_dot_fused_control(Agraph_t *graph, const struct br_dot_clusters *clusters,
                               Agraph_t *cluster)
{
    if (!begins_with(br_dot_value(cluster, "label"), function))
        return NULL;
    Agnode_t *user = fused_user_of(graph, clusters, cluster);
    return user && is_control(user) ? user : NULL;
}

static void fuse(struct br_dot_fused *fused, Agraph_t *graph, Agraph_t *cluster, Agnode_t *whole)
{
    for (Agnode_t *n = agfstnode(cluster); n; n = agnxtnode(cluster, n)) {
        Agnode_t *own = agsubnode(graph, n, 0);
        assert(AGSEQ(own) <= fused->nodes);
        fused->whole[AGSEQ(own)] = whole == own ? NULL : whole;
    }
}

bool br_dot_fused_init(struct br_dot_fused *fused, const struct br_dot_clusters *clusters,
                       Agraph_t *graph, const char *text, size_t length)
{
    static const char mark[] = "// Disable the tooltip.  Interestingly";
    *fused = (struct br_dot_fused){0};
    if (!memmem(text, length < 4096 ? length : 4096, mark, sizeof mark - 1))
        return true;
    fused->nodes = (uint32_t)agnnodes(graph);
    fused->whole = calloc((size_t)fused->nodes + 1, sizeof(Agnode_t *));
    fused->label = calloc((size_t)fused->nodes + 1, sizeof *fused->label);
    fused->inside = calloc((size_t)fused->nodes + 1, 1);
    if (!fused->whole || !fused->label || !fused->inside)
        return false;
    /* Functions after fusions, which may stand within them. */
    for (int functions = 0; functions < 2; functions++)
        for (uint32_t k = 0; k < clusters->count; k++) {
            Agraph_t *cluster = clusters->cluster[k];
            const char *label = br_dot_value(cluster, "label");
            Agnode_t *first = agfstnode(cluster);
            if (!first || !begins_with(label, functions ? function : fusion))
                continue;
            Agnode_t *whole =
                functions ? fused_user_of(graph, clusters, cluster) : agsubnode(graph, first, 0);
            const bool is_inside = functions && whole && is_control(whole);
            for (Agnode_t *n = is_inside ? first : NULL; n; n = agnxtnode(cluster, n))
                fused->inside[AGSEQ(n)] = 1;
            if (!whole || is_inside)
                continue;
            fuse(fused, graph, cluster, whole);
            if (!functions)
                fused->label[AGSEQ(whole)] = label + sizeof fusion - 1;
        }
    return true;
}

void br_dot_fused_finish(struct br_dot_fused *fused)
{
    free(fused->whole);
    free(fused->label);
    free(fused->inside);
    fused->whole = NULL;
    fused->label = NULL;
    fused->inside = NULL;
}

Agnode_t *br_dot_fused_whole(const struct br_dot_fused *fused, Agnode_t *node)
{
    for (uint32_t steps = 0; fused->whole && AGSEQ(node) <= fused->nodes && steps < fused->nodes &&
                             fused->whole[AGSEQ(node)];
         steps++)
        node = fused->whole[AGSEQ(node)];
    return node;
}

enum br_dot_kind br_dot_fused_kind(const struct br_dot_fused *fused, Agraph_t *graph,
                                   Agnode_t *node)
{
    const char *label = br_dot_value(node, "label");
    if (!fused->whole)
        return BR_DOT_WORKS;
    if (br_dot_fused_whole(fused, node) != node)
        return BR_DOT_PART;
    if (strcmp(label, "ROOT") == 0)
        return BR_DOT_NO_STEP;
    if (begins_with(label, "<b>Parameter ") && !fused->label[AGSEQ(node)])
        return agfstin(graph, node) || fused->inside[AGSEQ(node)] ? BR_DOT_WAITS : BR_DOT_NO_STEP;
    return is_control(node) ? BR_DOT_WAITS : BR_DOT_WORKS;
}

char *br_dot_fused_name(const struct br_dot_fused *fused, Agnode_t *node)
{
    const char *label = fused->label[AGSEQ(node)];
    if (!label) {
        label = br_dot_value(node, "label");
        label += begins_with(label, "<b>") ? 3 : 0;
    }
    return strndup(label, strcspn(label, "<"));
}
