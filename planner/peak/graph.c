#include "planner/peak/graph.h"

#include <assert.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"

static const uint32_t no_node = UINT32_MAX;

static bool graph_arc(struct br_peak_graph *g, uint32_t from, uint32_t to)
{
    if (!br_grow(&g->arc, g->arcs, &g->arc_room, sizeof *g->arc))
        return false;
    g->arc[g->arcs++] = (struct br_peak_arc){from, to};
    return true;
}

static uint32_t stage_tasks(const struct br_general *job, uint32_t stage)
{
    return job->stage_first[stage + 1] - job->stage_first[stage];
}

/* The node at whose end all tasks of the stage have ended; no_node when memory is out. */
static uint32_t graph_end(struct br_peak_graph *g, uint32_t stage)
{
    const uint32_t first = g->job->stage_first[stage];
    if (stage_tasks(g->job, stage) == 1)
        return first;
    if (g->end[stage] != no_node)
        return g->end[stage];
    for (uint32_t t = first; t < g->job->stage_first[stage + 1]; t++)
        if (!graph_arc(g, t, g->nodes))
            return no_node;
    return g->end[stage] = g->nodes++;
}

static bool graph_precedence(struct br_peak_graph *g)
{
    const struct br_general *job = g->job;
    for (uint32_t s = 0; s < job->stages; s++)
        for (uint32_t a = job->child_first[s]; a < job->child_first[s + 1]; a++) {
            const struct br_stage_arc *arc = &job->child[a];
            const uint32_t first = job->stage_first[arc->stage];
            const uint32_t end = arc->one_to_one ? 0 : graph_end(g, s);
            if (end == no_node)
                return false;
            for (uint32_t i = 0; i < stage_tasks(job, arc->stage); i++)
                if (!graph_arc(g, arc->one_to_one ? job->stage_first[s] + i : end, first + i))
                    return false;
        }
    return true;
}

/* The node uses up so much of what the maker leaves. */
static void graph_use(struct br_peak_graph *g, uint32_t maker, uint32_t node, int64_t amount)
{
    g->frees[node] += amount;
    if (g->kept[maker] == no_node || amount > g->most[maker]) {
        g->kept[maker] = node;
        g->most[maker] = amount;
    }
}

/* The instances of an output: each is used up by its one reader, or by a node behind all. */
static bool graph_output(struct br_peak_graph *g, uint32_t o)
{
    const struct br_general *job = g->job;
    const struct br_general_output *output = &job->output[o];
    const uint32_t first = job->stage_first[output->stage];
    const uint32_t count = stage_tasks(job, output->stage);
    const uint32_t readers = job->reader_first[o + 1] - job->reader_first[o];
    bool pairs = false;
    for (uint32_t k = job->reader_first[o]; k < job->reader_first[o + 1]; k++)
        pairs |= job->reader[k].one_to_one;
    uint32_t node = no_node;
    for (uint32_t i = 0; i < count && readers; i++) {
        const bool again = i > 0 && !pairs; /* the same readers as before */
        if (readers > 1 && !again) {
            node = g->nodes++;
            assert(g->nodes <= g->room);
        }
        for (uint32_t k = job->reader_first[o]; k < job->reader_first[o + 1] && !again; k++) {
            const struct br_stage_arc *reader = &job->reader[k];
            const uint32_t end = reader->one_to_one ? job->stage_first[reader->stage] + i
                                                    : graph_end(g, reader->stage);
            if (end == no_node || (readers > 1 && !graph_arc(g, end, node)))
                return false;
            node = readers > 1 ? node : end;
        }
        graph_use(g, first + i, node, output->amount);
    }
    for (uint32_t k = job->reader_first[o]; k < job->reader_first[o + 1]; k++)
        for (uint32_t i = 0; i < stage_tasks(job, job->reader[k].stage); i++)
            g->reads[job->stage_first[job->reader[k].stage] + i] +=
                job->reader[k].one_to_one ? output->amount : output->amount * count;
    return true;
}

/* Nodes of ends first, so that the others have numbers of their own. */
static bool graph_ends(struct br_peak_graph *g)
{
    const struct br_general *job = g->job;
    for (uint32_t o = 0; o < job->outputs; o++)
        for (uint32_t k = job->reader_first[o]; k < job->reader_first[o + 1]; k++)
            if (job->output[o].resource == g->resource && !job->reader[k].one_to_one &&
                graph_end(g, job->reader[k].stage) == no_node)
                return false;
    g->first_free = g->nodes;
    return true;
}

bool br_peak_graph_init(struct br_peak_graph *g, const struct br_general *job, uint32_t resource)
{
    const size_t room = (size_t)job->tasks + job->stages + job->instances + 1;
    *g = (struct br_peak_graph){.job = job, .resource = resource, .nodes = job->tasks};
    g->room = (uint32_t)room;
    g->run = br_calloc(room, sizeof *g->run);
    g->stays = br_calloc(room, sizeof *g->stays);
    g->frees = br_calloc(room, sizeof *g->frees);
    g->reads = br_calloc(room, sizeof *g->reads);
    g->most = br_calloc(room, sizeof *g->most);
    g->kept = br_malloc(room * sizeof *g->kept);
    g->end = br_malloc(((size_t)job->stages + 1) * sizeof *g->end);
    if (!g->run || !g->stays || !g->frees || !g->reads || !g->most || !g->kept || !g->end)
        return false;
    for (size_t k = 0; k < room; k++)
        g->kept[k] = no_node;
    for (uint32_t s = 0; s < job->stages; s++)
        g->end[s] = no_node;
    for (uint32_t t = 0; t < job->tasks; t++) {
        const size_t at = (size_t)job->task_stage[t] * job->resources + resource;
        g->run[t] = job->made[at] + (job->duration[t] ? job->demand[at] : 0);
        g->stays[t] = job->made[at] + job->late[at];
    }
    if (!graph_precedence(g) || !graph_ends(g))
        return false;
    for (uint32_t o = 0; o < job->outputs; o++)
        if (job->output[o].resource == resource && job->output[o].amount && !graph_output(g, o))
            return false;
    return true;
}

void br_peak_graph_finish(struct br_peak_graph *g)
{
    br_free(g->run);
    br_free(g->stays);
    br_free(g->frees);
    br_free(g->reads);
    br_free(g->most);
    br_free(g->kept);
    br_free(g->end);
    br_free(g->arc);
}

static struct br_peak_node graph_climb(int64_t run, int64_t stays, int64_t frees)
{
    const int64_t net = stays - frees;
    return (struct br_peak_node){run > net ? run : net, net};
}

/* Frees that wait for one node alone, all others being implied, are done by that node. Removes
 * their arcs; true in `gone` for them. */
static void graph_join_frees(struct br_peak_graph *g, uint32_t *parents, uint32_t *parent,
                             bool *gone)
{
    for (uint32_t k = 0; k < g->arcs; k++) {
        parents[g->arc[k].to]++;
        parent[g->arc[k].to] = g->arc[k].from;
    }
    for (uint32_t v = g->first_free; v < g->nodes; v++)
        if (parents[v] == 1) {
            gone[v] = true;
            g->frees[parent[v]] += g->frees[v];
            g->frees[v] = 0;
        }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < g->arcs; k++)
        if (!gone[g->arc[k].to])
            g->arc[kept++] = g->arc[k];
    g->arcs = kept;
}

/* Is something made at the end of a task, and something freed by a node behind tasks? If a task did
 * both at its end, the sum counts, and not the greater. */
static bool graph_is_late(const struct br_peak_graph *g)
{
    const struct br_general *job = g->job;
    bool late = false, behind = false;
    for (uint32_t s = 0; s < job->stages; s++)
        late |= job->late[(size_t)s * job->resources + g->resource] > 0;
    for (uint32_t v = job->tasks; v < g->nodes; v++)
        behind |= g->frees[v] > 0;
    return late && behind;
}

enum br_peak_answer br_peak_graph_solve(struct br_peak_graph *g, uint32_t *order, int64_t *peak,
                                        bool *exact)
{
    const size_t n = (size_t)g->nodes + 1;
    enum br_peak_answer answer = BR_PEAK_MEMORY;
    uint32_t *parents = br_calloc(n, sizeof *parents), *parent = br_calloc(n, sizeof *parent);
    uint32_t *all = br_calloc(n, sizeof *all);
    bool *gone = br_calloc(n, sizeof *gone);
    struct br_peak_node *node = br_calloc(n, sizeof *node);
    if (parents && parent && all && gone && node && br_peak_reduce(g->nodes, g->arc, &g->arcs)) {
        graph_join_frees(g, parents, parent, gone);
        for (uint32_t v = 0; v < g->nodes; v++)
            node[v] = graph_climb(g->run[v], g->stays[v], g->frees[v]);
        answer = br_peak_network(node, g->nodes, g->arc, g->arcs, all, peak);
    }
    uint32_t used = 0;
    for (uint32_t k = 0; answer == BR_PEAK_FOUND && k < g->nodes; k++)
        if (all[k] < g->job->tasks)
            order[used++] = all[k];
    assert(answer != BR_PEAK_FOUND || used == g->job->tasks);
    *exact = answer == BR_PEAK_FOUND && !graph_is_late(g);
    br_free(parents);
    br_free(parent);
    br_free(all);
    br_free(gone);
    br_free(node);
    return answer;
}

/* What a task needs alone: what it reads, and holds while it runs. */
static int64_t graph_alone(const struct br_peak_graph *g)
{
    int64_t most = 0;
    for (uint32_t t = 0; t < g->job->tasks; t++) {
        const int64_t run = g->reads[t] + g->run[t];
        most = run > most ? run : most;
        most = g->stays[t] > most ? g->stays[t] : most;
    }
    return most;
}

/* What is made and used up in the forest: what others than the kept reader use is left out. For a
 * node behind several tasks one of them counts. */
static uint32_t graph_thin(const struct br_peak_graph *g, int64_t *stays, int64_t *frees,
                           uint32_t *stands_for, struct br_peak_arc *arc)
{
    const struct br_general *job = g->job;
    uint32_t arcs = 0;
    for (uint32_t v = 0; v < g->nodes; v++)
        stands_for[v] = v;
    for (uint32_t k = 0; k < g->arcs; k++)
        if (g->arc[k].to >= job->tasks)
            stands_for[g->arc[k].to] = g->arc[k].from;
    for (uint32_t t = 0; t < job->tasks; t++) {
        const uint32_t stage = job->task_stage[t];
        int64_t used = 0;
        for (uint32_t o = job->output_first[stage]; o < job->output_first[stage + 1]; o++)
            if (job->output[o].resource == g->resource && !job->output[o].result)
                used += job->output[o].amount;
        stays[t] = g->stays[t] - used;
        if (g->kept[t] == no_node)
            continue;
        const uint32_t to = stands_for[stands_for[g->kept[t]]];
        assert(to < job->tasks);
        stays[t] += g->most[t];
        frees[to] += g->most[t];
        arc[arcs++] = (struct br_peak_arc){t, to};
    }
    return arcs;
}

int64_t br_peak_graph_bound(struct br_peak_graph *g, const char **method)
{
    const size_t n = (size_t)g->nodes + 1;
    struct br_peak_node *node = br_calloc(n, sizeof *node);
    int64_t *stays = br_calloc(n, sizeof *stays), *frees = br_calloc(n, sizeof *frees);
    struct br_peak_arc *arc = br_calloc(n, sizeof *arc);
    uint32_t *order = br_calloc(n, sizeof *order), *stands_for = br_calloc(n, sizeof *stands_for);
    int64_t bound = -1;
    if (node && stays && frees && arc && order && stands_for) {
        const uint32_t tasks = g->job->tasks;
        const uint32_t arcs = graph_thin(g, stays, frees, stands_for, arc);
        for (uint32_t t = 0; t < tasks; t++)
            node[t] = graph_climb(g->run[t], stays[t], frees[t]);
        if (br_peak_network(node, tasks, arc, arcs, order, &bound) != BR_PEAK_FOUND)
            bound = -1; /* a forest is series-parallel, so memory is out */
    }
    const int64_t alone = graph_alone(g);
    *method = bound > alone ? "a forest of the tasks" : "one task with what it reads";
    br_free(node);
    br_free(stays);
    br_free(frees);
    br_free(arc);
    br_free(order);
    br_free(stands_for);
    return bound < 0 ? -1 : bound > alone ? bound : alone;
}
