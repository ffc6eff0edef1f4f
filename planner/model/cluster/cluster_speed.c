/* Speeds of machines. */
#include <inttypes.h>

#include "planner/model/cluster/cluster.h"

static bool is_one(struct br_decimal value)
{
    return value.mantissa == 1 && value.exponent == 0;
}

enum br_status br_cluster_set_speed(struct br_cluster *cluster, uint32_t cls, const char *speed,
                                    struct br_diag *diag)
{
    static const struct br_decimal least = {1, -6}, most = {1, 6};
    struct br_decimal value;
    BR_NEED(diag, cluster);
    if (cls >= cluster->classes)
        return br_fail(diag, BR_USAGE, NULL, "there is no class number %" PRIu32, cls);
    if (!speed || br_decimal_parse(speed, &value) || br_decimal_compare(value, least) < 0 ||
        br_decimal_compare(value, most) > 0)
        return br_fail(diag, BR_BAD_INPUT,
                       "write a number such as 0.5, by which durations are divided",
                       "speed '%.40s' of class '%.80s' is not a number within 0.000001 and 1000000",
                       speed ? speed : "", cluster->cls[cls].name);
    cluster->cls[cls].speed = value;
    cluster->speeds = false;
    for (uint32_t c = 0; c < cluster->classes; c++)
        cluster->speeds |= !is_one(cluster->cls[c].speed);
    return BR_OK;
}

enum br_status br_cluster_copy_speed(struct br_cluster *cluster, uint32_t cls,
                                     const struct br_class *from, struct br_diag *diag)
{
    char text[BR_DECIMAL_TEXT];
    br_decimal_format(from->speed, text, sizeof text);
    return br_cluster_set_speed(cluster, cls, text, diag);
}

int64_t br_class_duration(const struct br_class *cls, int64_t duration_ns)
{
    const struct br_decimal amount = {.mantissa = duration_ns, .exponent = -9};
    int64_t ns;
    if (is_one(cls->speed))
        return duration_ns;
    return br_decimal_quotient_ns(amount, cls->speed, &ns) ? ns : INT64_MAX;
}
