/* This process looks often. If much time has passed between two looks, it was not running. */
#include "runtime/drivers/local/awake.h"

#include <assert.h>

static const int64_t away_least_ns = INT64_C(1000000000);

void br_awake_look(struct br_awake *awake, int64_t now_ns)
{
    int64_t between_ns = now_ns - awake->looked_ns;
    assert(between_ns >= 0);
    awake->looked_ns = now_ns;
    awake->absent_ns = between_ns >= away_least_ns ? between_ns : 0;
    awake->away_ns += awake->absent_ns;
}

int64_t br_awake_at(const struct br_awake *awake, int64_t time_ns)
{
    return time_ns - awake->away_ns;
}

int64_t br_awake_ns(const struct br_awake *awake)
{
    return br_awake_at(awake, awake->looked_ns);
}
