#include "planner/eligibility/features.h"

static const struct {
    unsigned feature;
    const char *name;
} features[] = {
    {BR_FEATURE_OUTPUTS, "outputs that are held until they are read"},
    {BR_FEATURE_RELEASES, "release times"},
    {BR_FEATURE_DEADLINES, "deadlines"},
    {BR_FEATURE_LAGS, "lags on edges"},
    {BR_FEATURE_STREAMS, "streams between tasks"},
    {BR_FEATURE_SHARED, "resources that all machines share"},
    {BR_FEATURE_CALENDAR, "machines or amounts that change with time"},
    {BR_FEATURE_ALTERNATIVES, "alternatives of stages"},
    {BR_FEATURE_CLASSES, "stages that name classes of machines"},
    {BR_FEATURE_CONSUMED, "resources that are consumed"},
    {BR_FEATURE_SPEED, "machines of other speeds than 1"},
};

static unsigned features_of_ways(const struct br_alternatives *all)
{
    if (!all)
        return 0;
    return (all->named ? BR_FEATURE_ALTERNATIVES : 0) | (all->any_class ? BR_FEATURE_CLASSES : 0) |
           (all->any_consumed ? BR_FEATURE_CONSUMED : 0);
}

static unsigned features_of_job(const struct br_dag *dag)
{
    const struct br_times *times = dag->times;
    unsigned found = dag->storage && dag->storage->outputs ? BR_FEATURE_OUTPUTS : 0;
    found |= features_of_ways(dag->alternatives);
    if (!times)
        return found;
    found |= times->releases.count ? BR_FEATURE_RELEASES : 0;
    found |= times->deadlines.count ? BR_FEATURE_DEADLINES : 0;
    for (uint32_t k = 0; k < times->waits; k++)
        found |= times->given[k].stream ? BR_FEATURE_STREAMS : BR_FEATURE_LAGS;
    return found;
}

unsigned br_features(const struct br_dag *dag, const struct br_cluster *cluster)
{
    unsigned found = features_of_job(dag);
    if (!cluster)
        return found;
    if (cluster->calendar)
        found |= BR_FEATURE_CALENDAR;
    if (cluster->speeds)
        found |= BR_FEATURE_SPEED;
    for (uint32_t r = 0; r < dag->resources && cluster->shareds; r++)
        if (br_cluster_shared(cluster, dag->resource[r].name))
            found |= BR_FEATURE_SHARED;
    return found;
}

static enum br_status refuse_features(unsigned unknown, const char *who, struct br_diag *diag)
{
    for (unsigned k = 0; k < sizeof features / sizeof *features; k++)
        if (unknown & features[k].feature)
            return br_fail(diag, BR_BAD_INPUT,
                           features[k].feature & BR_FEATURES_MODES
                               ? "plan it, and give the job of the plan's choice: render PLAN "
                                 "--format choice"
                               : "leave them out for this",
                           "the %s has %s, which %s does not know",
                           features[k].feature & BR_FEATURES_OF_JOB ? "job" : "cluster",
                           features[k].name, who);
    return BR_OK;
}

enum br_status br_features_refuse(const struct br_dag *dag, const struct br_cluster *cluster,
                                  unsigned known, const char *who, struct br_diag *diag)
{
    return refuse_features(br_features(dag, cluster) & ~known, who, diag);
}

enum br_status br_features_refuse_cluster(const struct br_cluster *cluster, unsigned known,
                                          const char *who, struct br_diag *diag)
{
    const unsigned found = (cluster->calendar ? BR_FEATURE_CALENDAR : 0) |
                           (cluster->shareds ? BR_FEATURE_SHARED : 0) |
                           (cluster->speeds ? BR_FEATURE_SPEED : 0);
    return refuse_features(found & ~known, who, diag);
}
