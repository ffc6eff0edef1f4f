/* The files that the jobs of a workflow read and write: the bytes of an edge, and contradictions
 * between files and edges. For formats that list files by job. */
#ifndef BR_PARSERS_WORKFLOWS_USES_H
#define BR_PARSERS_WORKFLOWS_USES_H

#include "parsers/reader/input.h"

enum { BR_USE_INPUT = 1, BR_USE_OUTPUT = 2 };

/* One file of one job. */
struct br_file_use {
    uint32_t stage, file; /* files get their numbers from br_uses_sort */
    const char *name;     /* borrowed */
    int64_t bytes;
    int direction; /* BR_USE_INPUT, BR_USE_OUTPUT or both */
    struct br_pos pos;
};

struct br_uses {
    uint32_t uses, room;
    struct br_file_use *use;
};

/* Adds one; false when memory is out. */
bool br_uses_add(struct br_uses *uses, struct br_file_use use);
void br_uses_finish(struct br_uses *uses);

/* Numbers the files by name, and sorts by job and file, each pair once. If a job has a file with
 * several sizes, the largest counts. O(n log n). */
void br_uses_sort(struct br_uses *uses);
/* The bytes that the parent writes and the child reads, from sorted uses; false if the sum
 * overflows. O(shorter list x log n). */
bool br_uses_shared(const struct br_uses *uses, uint32_t parent, uint32_t child, int64_t *bytes);
/* Makes each written file with a size an output of its job on the resource, and says which edges of
 * the job, whose own edges are there and which is not finished, read it. A job that reads a file
 * that one other job writes waits for that job. From sorted uses. BR_USAGE if transfers become
 * stages or demands, or if the resource has no name. O((uses + edges) log uses). */
enum br_status br_uses_hold(const struct br_uses *uses, struct br_dag *dag,
                            const struct br_parse_options *options, struct br_diag *diag);
/* The uses of a stage: from the result to that of the next stage. O(log uses). */
uint32_t br_uses_first(const struct br_uses *uses, uint32_t stage, uint32_t file);
/* The stage that alone writes each file, BR_NO_WRITER or BR_SEVERAL_WRITERS; on the heap, NULL when
 * memory is out. O(uses). */
#define BR_NO_WRITER UINT32_MAX
#define BR_SEVERAL_WRITERS (UINT32_MAX - 1)
uint32_t *br_uses_writers(const struct br_uses *uses);
/* The workflow contradicts itself if a job of the finished dag reads a file that only one job
 * writes, and that one waits for the reader: BR_BAD_INPUT with the cycle. From sorted uses. */
enum br_status br_uses_check(const struct br_uses *uses, const struct br_dag *dag,
                             struct br_diag *diag);

#endif
