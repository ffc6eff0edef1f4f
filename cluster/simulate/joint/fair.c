/* Bounded unfairness among groups, as the enforcer has it. [Grandl16] What starts is what goes
 * first, until a group is owed more than kappa of the cluster. Then that group goes first, and the
 * others take what it cannot use; a cluster more, and machines are kept free until its tasks fit.
 * Held jobs want nothing. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/enforcer/decide.h"
#include "cluster/simulate/joint/dispatch.h"

enum { NO_GROUP = -1 };

static uint32_t group_of(const struct br_joint_scene *scene, struct br_scene_open open)
{
    return scene->live[open.slot].job->group;
}

/* Counts what groups want. One without jobs is owed nothing. */
static void fair_count(const struct br_dispatch *d)
{
    const struct br_joint_scene *scene = d->scene;
    uint32_t groups = scene->sharing->groups;
    memset(scene->wants, 0, groups * sizeof *scene->wants);
    for (uint32_t k = 0; k < scene->slots; k++)
        if (scene->live[k].job && scene->live[k].tasks_left)
            scene->wants[scene->live[k].job->group] = 1;
    for (uint32_t g = 0; g < groups; g++) {
        scene->owed[g] = scene->wants[g] ? scene->owed[g] : 0;
        scene->wants[g] = 0;
    }
    for (uint32_t k = 0; k < scene->opens; k++) {
        struct br_scene_open open = scene->open[k];
        const struct br_scene_live *live = &scene->live[open.slot];
        if (!br_dispatch_holds(d, open.slot))
            scene->wants[live->job->group] +=
                live->ready_end[open.stage] - live->ready_first[open.stage];
    }
}

/* The group that is owed most of those that want something, if that is too much. */
static int64_t most_owed(const struct br_joint_scene *scene)
{
    int64_t most = NO_GROUP;
    uint32_t wanting = 0;
    for (uint32_t g = 0; g < scene->sharing->groups; g++)
        if (scene->wants[g]) {
            wanting++;
            most = most == NO_GROUP || scene->owed[g] > scene->owed[most] ? g : most;
        }
    return wanting > 1 && scene->owed[most] >= scene->sharing->kappa ? most : NO_GROUP;
}

/* A task of the stage starts: what all groups that want something are owed. */
static void fair_account(const struct br_joint_scene *scene, struct br_scene_open open)
{
    const struct br_scene_sharing *sharing = scene->sharing;
    const struct br_joint_job *job = scene->live[open.slot].job;
    double weights = 0, part = 1 / sharing->slots;
    if (sharing->fairness == BR_FAIR_DOMINANT)
        part = job->stage[open.stage].share;
    for (uint32_t g = 0; g < sharing->groups; g++)
        weights += scene->wants[g] ? sharing->group[g].weight : 0;
    for (uint32_t g = 0; g < sharing->groups; g++)
        if (scene->wants[g])
            scene->owed[g] +=
                part * scene->step * (sharing->group[g].weight / weights - (g == job->group));
    assert(weights > 0 && scene->wants[job->group]);
    scene->wants[job->group]--;
}

/* Is the machine kept free for the group, some ready task of which it holds when empty? */
static bool fair_is_kept(const struct br_dispatch *d, int64_t group, uint32_t machine)
{
    const struct br_joint_scene *scene = d->scene;
    uint32_t width = scene->resources;
    const int64_t *capacity =
        scene->capacities->capacity + (size_t)scene->capacities->machine_class[machine] * width;
    assert(group != NO_GROUP);
    if (scene->owed[group] < scene->sharing->kappa + BR_KEEPS_FREE)
        return false;
    for (uint32_t k = 0; k < scene->opens; k++) {
        struct br_scene_open open = scene->open[k];
        const struct br_scene_live *live = &scene->live[open.slot];
        uint32_t r = 0;
        if (live->job->group != group || !br_scene_is_open(live, open.stage) ||
            br_dispatch_holds(d, open.slot))
            continue;
        while (r < width && open.demand[r] <= capacity[r])
            r++;
        if (r == width)
            return true;
    }
    return false;
}

/* May the stage start a task on the machine, when the group goes first (`others`: when it has taken
 * what it can)? */
static bool may_start(const struct br_dispatch *d, struct br_scene_open open, uint32_t machine,
                      int64_t group, bool others)
{
    const struct br_joint_scene *scene = d->scene;
    const struct br_scene_live *live = &scene->live[open.slot];
    return (open.fresh || scene->is_changed[machine]) && br_scene_is_open(live, open.stage) &&
           (group == NO_GROUP || (live->job->group == group) != others) &&
           br_dispatch_fits(scene, open.demand, machine) && !br_dispatch_holds(d, open.slot);
}

/* The stage that goes first on the machine, or packs best; NULL if none may start. */
static const struct br_scene_open *fair_find(const struct br_dispatch *d, uint32_t machine,
                                             int64_t group, bool others, double eta)
{
    struct br_joint_scene *scene = d->scene;
    const struct br_scene_open *best = NULL;
    double most = -INFINITY;
    scene->looks += scene->opens;
    for (uint32_t k = 0; k < scene->opens; k++) {
        const struct br_scene_open *open = &scene->open[k];
        if (!may_start(d, *open, machine, group, others))
            continue;
        if (d->order->eta <= 0)
            return open;
        double score = br_dispatch_score(scene, *open, machine, eta);
        if (score > most) {
            most = score;
            best = open;
        }
    }
    return best;
}

/* Starts what may start on all machines, until another group goes first. Returns whether anything
 * did. */
static bool fair_serve(const struct br_dispatch *d, int64_t group, bool others, double eta)
{
    struct br_joint_scene *scene = d->scene;
    bool any = false;
    assert(group == NO_GROUP || (uint64_t)group < scene->sharing->groups);
    for (uint32_t k = 0; k < scene->changes + scene->machines; k++) {
        uint32_t machine = k < scene->changes ? scene->changed[k] : k - scene->changes;
        const struct br_scene_open *open;
        if (k >= scene->changes && !scene->any_fresh)
            break;
        while (!scene->away[machine] && !(others && fair_is_kept(d, group, machine)) &&
               (open = fair_find(d, machine, group, others, eta))) {
            fair_account(scene, *open);
            br_dispatch_start(d, *open, machine);
            any = true;
            /* A job that has started all its tasks lets go those that it held: they count, too. */
            if (most_owed(scene) != group || !scene->live[open->slot].to_start)
                return true;
        }
    }
    return any;
}

void br_dispatch_fairly(struct br_dispatch *d)
{
    struct br_joint_scene *scene = d->scene;
    double eta = d->order->eta > 0 ? br_dispatch_eta(scene, d->order->eta) : 0;
    uint32_t kept = 0;
    int64_t group;
    bool any;
    br_dispatch_sort(d);
    do {
        fair_count(d);
        group = most_owed(scene);
        any = fair_serve(d, group, false, eta);
        if (!any && group != NO_GROUP)
            any = fair_serve(d, group, true, eta);
    } while (any);
    bool keeps = group != NO_GROUP && scene->owed[group] >= scene->sharing->kappa + BR_KEEPS_FREE;
    for (uint32_t k = 0; k < scene->opens; k++) {
        struct br_scene_open open = scene->open[k];
        bool passed = br_dispatch_holds(d, open.slot) || (keeps && group_of(scene, open) != group);
        open.fresh = passed;
        d->held |= passed;
        if (br_scene_is_open(&scene->live[open.slot], open.stage))
            scene->open[kept++] = open;
    }
    scene->opens = kept;
}
