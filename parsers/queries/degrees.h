/* A choice of the degree of parallelism for each pipeline of a job of queries. */
#ifndef BR_PARSERS_QUERIES_DEGREES_H
#define BR_PARSERS_QUERIES_DEGREES_H

#include "planner/model/dag.h"

enum { BR_DEGREES_MOST = 64 };
#define BR_DEGREES_WHOLE 1000000

struct br_degrees {
    uint32_t count, degree[BR_DEGREES_MOST]; /* 1 or more, rising */
    uint32_t serial; /* millionths of a pipeline's work that one core does */
    bool by_tasks;   /* no pipeline runs on more cores than it has tasks, its row groups */
};

/* Makes of the finished job `from`, of queries without outputs and turns, one in which a pipeline
 * is one task with an alternative for each degree d: d times the cpu of a task, all of its memory,
 * and as long as Amdahl's law says, w (s + (1 - s) / d), with the work w of all tasks and the
 * serial part s. [Amdahl67] The new job is the caller's, and finished. */
enum br_status br_degrees_choose(const struct br_dag *from, const struct br_degrees *degrees,
                                 struct br_dag **to, struct br_diag *diag);

/* The serial part that fits the times of one query at several degrees, in millionths: least squares
 * on seconds = a + b / degree. *off is the largest distance of a time from this line, over the
 * time. False if the degrees are not two different ones, or no time is above 0. */
struct br_degree_time {
    double degree, seconds;
};
bool br_degrees_fit(const struct br_degree_time *time, uint32_t count, uint32_t *serial,
                    double *off);

#endif
