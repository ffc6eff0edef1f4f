#include "parsers/dot/clusters.h"

#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"

const char *br_dot_value(void *object, const char *name)
{
    const char *value = agget(object, (char *)name);
    return value ? value : "";
}

static bool list_clusters(struct br_dot_clusters *clusters, Agraph_t *graph)
{
    for (Agraph_t *sub = agfstsubg(graph); sub; sub = agnxtsubg(sub)) {
        if (!br_grow(&clusters->cluster, clusters->count, &clusters->room,
                     sizeof *clusters->cluster))
            return false;
        clusters->cluster[clusters->count++] = sub;
        if (!list_clusters(clusters, sub))
            return false;
    }
    return true;
}

static int clusters_by_name(const void *a, const void *b)
{
    Agraph_t *const *x = a, *const *y = b;
    const int order = strcmp(agnameof(*x), agnameof(*y));
    return order ? order : AGSEQ(*x) < AGSEQ(*y) ? -1 : AGSEQ(*x) > AGSEQ(*y);
}

bool br_dot_clusters_init(struct br_dot_clusters *clusters, Agraph_t *graph)
{
    *clusters = (struct br_dot_clusters){0};
    if (!list_clusters(clusters, graph))
        return false;
    if (clusters->count)
        qsort(clusters->cluster, clusters->count, sizeof *clusters->cluster, clusters_by_name);
    return true;
}

void br_dot_clusters_finish(struct br_dot_clusters *clusters)
{
    free(clusters->cluster);
    clusters->cluster = NULL;
}

Agraph_t *br_dot_end(const struct br_dot_clusters *clusters, Agedge_t *edge, const char *name)
{
    const char *wanted = br_dot_value(edge, name);
    uint32_t low = 0, high = *wanted ? clusters->count : 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (strcmp(agnameof(clusters->cluster[middle]), wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    /* Joined graphs may have clusters of equal names. */
    Agnode_t *node = strcmp(name, "ltail") == 0 ? agtail(edge) : aghead(edge);
    Agraph_t *first = NULL;
    for (; *wanted && low < clusters->count; low++) {
        Agraph_t *cluster = clusters->cluster[low];
        if (strcmp(agnameof(cluster), wanted) != 0)
            break;
        if (agsubnode(cluster, node, 0))
            return cluster;
        if (!first)
            first = cluster;
    }
    return first;
}
