/* The job as the rooms see it: plain structs over flat arrays. The calls that build and check it
 * are public, in bigrocks/dag.h. Everything here is read-only after br_dag_finish. */
#ifndef BR_PLANNER_MODEL_DAG_H
#define BR_PLANNER_MODEL_DAG_H

#include <bigrocks/dag.h>

#include <stdbool.h>

#include "base/collections/arena.h"
#include "base/collections/csr.h"
#include "base/collections/memory.h"
#include "base/numbers/decimal.h"
#include "base/text/diag.h"
#include "base/text/named.h"
#include "planner/model/alternatives.h"
#include "planner/model/storage.h"
#include "planner/model/times.h"

/* The values of enum br_edge_type, by the names that all forms give them. */
extern const struct br_names br_edge_types;

struct br_resource {
    const char *name;
    const char *unit; /* NULL if not given */
    bool declared;    /* by br_dag_add_resource, not only by a demand */
    bool in_bytes;    /* some demand is written in bytes, such as "2GiB" */
};

struct br_demand {
    uint32_t stage;
    uint32_t resource; /* index into br_dag.resource */
    struct br_decimal amount;
};

struct br_stage {
    const char *id;
    const char *command; /* NULL if not given */
    int64_t duration_ns; /* of every task that has no duration of its own */
    /* Durations are lognormal; their mean is the declared one. This is the standard deviation of
     * their logarithm, 0 if tasks last exactly as declared. A duration beyond the longest is cut to
     * it. */
    struct br_decimal spread;
    int64_t longest_ns; /* 0: not said */
    bool by_hand;       /* the duration was set by hand, so what was measured does not replace it */
    uint32_t tasks;
    uint32_t first_task;
    uint32_t first_demand, demands; /* run in br_dag.demand */
    uint32_t alternatives;          /* that it has by name; 0: its tasks run in one way */
    /* In the job of a choice (planner/modes/fixed.h): by which alternative its tasks run, NULL if
     * the given stage has none. */
    const char *chosen;
    uint32_t chosen_number; /* the same, counted within the given stage */
    /* In a divided job and in that of a choice: the index that its first task has in the given
     * stage. */
    uint32_t first_index;
    struct br_pos pos; /* the place in the file at which it stands, if known */
};

struct br_edge {
    uint32_t parent, child; /* stages */
    enum br_edge_type type;
    uint32_t overlap; /* of a range */
    int64_t bytes;    /* that all tasks of the parent hand on to those of the child; 0: none */
    struct br_pos pos;
};

/* Attributes that a file has beyond the model; passed through untouched. */
#define BR_MAX_ATTRIBUTES 10000000u
enum br_owner { BR_OWNER_JOB, BR_OWNER_STAGE, BR_OWNER_EDGE };
struct br_attribute {
    enum br_owner owner;
    uint32_t index; /* of the stage or the edge; 0 for the job */
    const char *name, *value;
};

struct br_dag {
    struct br_arena arena; /* owns all texts */
    const char *name;
    const char
        *source; /* the file from which it was read, for diagnostics; NULL if built in memory */
    bool finished;

    uint32_t resources, stages, tasks, demands, edges, attributes, doubts;
    struct br_resource *resource;
    struct br_stage *stage;
    struct br_demand *demand;       /* grouped by stage, in the order given */
    struct br_edge *edge;           /* in the order given, without duplicates */
    struct br_attribute *attribute; /* in the order given */
    const char **doubt;             /* by br_dag_add_doubt */
    int64_t bytes;                  /* the bytes that all edges carry */
    int64_t recorded_ns;     /* makespan of the run of which this job is the record; 0: of none */
    uint32_t recorded_cores; /* that this run had; 0: not told */
    uint64_t given; /* of the job of a choice: the fingerprint of the job whose choice it is, with
                     * commands; its tasks have the same numbers. 0: of none */
    int64_t *duration_ns;       /* by task */
    uint32_t *topological;      /* stages, parents first, ties by number */
    struct br_storage *storage; /* owned; NULL: nothing outlives its task */
    struct br_times *times;     /* owned; NULL: no releases, deadlines, lags and streams */
    struct br_alternatives *alternatives; /* owned; NULL: no alternatives, no classes, and nothing
                                           * is consumed */
    struct br_waves *waves;     /* durations by executor count, owned; NULL: not measured */
    struct br_dag *written;     /* the job before it was divided (planner/model/ranges.h), finished,
                                 * owned; NULL: it was not. Tasks have the same numbers there */
    struct br_memory *memory;   /* that br_dag_reset keeps, owned; NULL: none */
    struct br_dag_build *build; /* capacities and indices while it grows */
};

/* Does task k of the child wait for task k of the parent alone? A barrier, and any edge from a
 * stage of one task, is waited for as a whole. */
static inline bool br_dag_is_paired(const struct br_dag *dag, const struct br_edge *edge)
{
    return edge->type == BR_ONE_TO_ONE && dag->stage[edge->parent].tasks > 1;
}

/* For parsers: where the stage (or the edge added last) stands in the file named by
 * br_dag_set_source, so that faults found later are reported there. */
enum br_status br_dag_set_source(struct br_dag *dag, const char *file, struct br_diag *diag);
void br_dag_set_stage_pos(struct br_dag *dag, uint32_t stage, struct br_pos pos);
/* Renames the job; the text is copied. BR_SYSTEM (memory). */
enum br_status br_dag_set_name(struct br_dag *dag, const char *name, struct br_diag *diag);
/* Replaces the duration of the stage; overrides of its tasks stay. Before br_dag_finish. */
void br_dag_set_stage_duration(struct br_dag *dag, uint32_t stage, int64_t duration_ns);
/* Replaces the duration of the task with that index, or of all tasks (UINT32_MAX), by every
 * alternative, in a finished dag. */
void br_dag_replace_duration(struct br_dag *dag, uint32_t stage, uint32_t index,
                             int64_t duration_ns);
/* Sets the spread and the longest of the stage's durations: a spread within 0 and BR_SPREAD_MAX,
 * longest_ns of 0 or more. */
#define BR_SPREAD_MAX 10
void br_dag_set_stage_spread(struct br_dag *dag, uint32_t stage, struct br_decimal spread,
                             int64_t longest_ns);
/* Gives each task with a duration of its own, by each alternative of its stage, so many thousandths
 * of that: those of thousandths[stage * most + k] which are not 0 are for its alternatives in turn.
 * Before br_dag_finish. O(durations set x most). */
enum br_status br_dag_scale_durations(struct br_dag *dag, const uint32_t *thousandths,
                                      uint32_t most, struct br_diag *diag);
void br_dag_set_edge_pos(struct br_dag *dag, struct br_pos pos);
/* The longest duration of each stage's tasks, before br_dag_finish. O(stages + durations set). */
void br_dag_longest(const struct br_dag *dag, int64_t *longest_ns);
/* The stage with this id, or UINT32_MAX. O(1) expected; before and after br_dag_finish. */
uint32_t br_dag_find_stage(const struct br_dag *dag, const char *id);
/* The edge that was added or found again by the last br_dag_add_edge, or UINT32_MAX. */
uint32_t br_dag_last_edge(const struct br_dag *dag);
/* Keeps an attribute that the model does not know. */
enum br_status br_dag_add_attribute(struct br_dag *dag, enum br_owner owner, uint32_t index,
                                    const char *name, const char *value, struct br_diag *diag);
/* Keeps a sentence for the users of the job: what the reader had to leave out or to assume. Copied,
 * cut at 400 bytes. */
enum br_status br_dag_add_doubt(struct br_dag *dag, struct br_diag *diag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Lists the numbers of edges by the stage in which they begin (as its parent) or end (as its
 * child), in their order. The arrays are the caller's: `first` of br_csr_room(stages) zeros, with
 * the lists as in csr.h after the call; and `edge` of as many as there are edges.
 * O(stages + edges). */
enum br_edge_end { BR_EDGE_PARENT, BR_EDGE_CHILD };
void br_dag_list_edges(const struct br_dag *dag, enum br_edge_end end, uint32_t *first,
                       uint32_t *edge);

/* A fingerprint of the job's structure: stages with their ids and counts of tasks, and edges, in
 * their order; with `commands` also those. Durations, demands and bytes are left out: another run
 * of the job may know them better. O(stages + edges). */
uint64_t br_dag_fingerprint(const struct br_dag *dag, bool commands);
/* A fingerprint of durations and demands, in their order. O(tasks + demands). */
uint64_t br_dag_details_fingerprint(const struct br_dag *dag);

/* Adds the outputs, reads, times and alternatives of the finished job `from`, whose stages and
 * edges have the same numbers. */
enum br_status br_dag_copy_features(struct br_dag *to, const struct br_dag *from,
                                    struct br_diag *diag);
/* The same without alternatives, classes and what is consumed. */
enum br_status br_dag_copy_held_and_timed(struct br_dag *to, const struct br_dag *from,
                                          struct br_diag *diag);

/* Adds the outputs, releases, deadlines and alternatives of the finished job `from`, whose stage s
 * is stages first[s] .. first[s + 1] - 1 here: all of it, or its tasks one by one. */
enum br_status br_dag_copy_to_pieces(struct br_dag *to, const struct br_dag *from,
                                     const uint32_t *first, struct br_diag *diag);
/* The ids of the outputs that the edge reads, with blanks between them; to be freed. NULL when
 * memory is out. */
char *br_dag_reads_text(const struct br_storage *storage, uint32_t edge);

/* Orders the stages, as a part of br_dag_finish: fills dag->topological, or describes a cycle task
 * by task. O((stages + edges) log stages). */
enum br_status br_dag_order(struct br_dag *dag, struct br_diag *diag);
/* Sorts the outputs and resolves their reads, as a part of br_dag_finish. */
enum br_status br_dag_finish_outputs(struct br_dag *dag, struct br_diag *diag);
/* Merges what stages and their alternatives say, and gives each task its shortest duration, as a
 * part of br_dag_finish, while the durations that were set are still there. */
enum br_status br_dag_finish_alternatives(struct br_dag *dag, struct br_diag *diag);
/* For parsers: where the alternative that was added last stands. */
void br_dag_set_alternative_pos(struct br_dag *dag, struct br_pos pos);
/* Spreads the times over tasks and edges, as a part of br_dag_finish. BR_BAD_INPUT if a task is
 * released after its deadline. */
enum br_status br_dag_finish_times(struct br_dag *dag, struct br_diag *diag);

/* How many alternatives the stage has by name; 0: none. O(1). */
uint32_t br_alternatives_of(const struct br_dag *dag, uint32_t stage);
/* The alternative of the stage with that id, counted within the stage; UINT32_MAX if there is none.
 * In a finished job. O(alternatives of the stage). */
uint32_t br_alternative_find(const struct br_dag *dag, uint32_t stage, const char *id);
/* What the task lasts by the alternative (a number in br_alternatives.alternative) on a machine of
 * speed 1. O(1). */
int64_t br_alternative_duration(const struct br_dag *dag, uint32_t alternative, uint32_t task);
/* Gives task `index` of the stage this duration by all its alternatives, in a finished job. */
void br_alternatives_replace_duration(struct br_dag *dag, uint32_t stage, uint32_t index,
                                      int64_t duration_ns);

/* Does the edge read all outputs of its parent? The job has outputs. */
static inline bool br_edge_reads_all(const struct br_dag *dag, uint32_t edge)
{
    const struct br_storage *storage = dag->storage;
    const uint32_t parent = dag->edge[edge].parent;
    return storage->edge_first[edge + 1] - storage->edge_first[edge] ==
           storage->stage_first[parent + 1] - storage->stage_first[parent];
}

static inline int64_t br_dag_release(const struct br_dag *dag, uint32_t task)
{
    return dag->times && dag->times->release_ns ? dag->times->release_ns[task] : 0;
}

/* INT64_MAX if there is none. */
static inline int64_t br_dag_deadline(const struct br_dag *dag, uint32_t task)
{
    return dag->times && dag->times->deadline_ns ? dag->times->deadline_ns[task] : INT64_MAX;
}

static inline struct br_wait br_dag_wait(const struct br_dag *dag, uint32_t edge)
{
    return dag->times && dag->times->wait ? dag->times->wait[edge] : (struct br_wait){0, false};
}

#endif
