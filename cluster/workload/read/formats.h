/* The readers of workloads behind the table in workloads.c: the calls of one row. Internal to this
 * room. */
#ifndef BR_CLUSTER_WORKLOAD_READ_FORMATS_H
#define BR_CLUSTER_WORKLOAD_READ_FORMATS_H

#include "base/text/named.h"
#include "parsers/text/source.h"
#include "cluster/workload/read/options.h"
#include "cluster/workload/workload.h"

/* Fills the workload, which has its name and source and is otherwise empty. The frame finishes it,
 * and releases it on failure. */
typedef enum br_status br_read_workload(struct br_source *source,
                                        const struct br_workload_options *options,
                                        struct br_workload *workload, struct br_diag *diag);

/* The calls behind the table, for a reader whose jobs are those of another file. It gets them with
 * its options, so that it need not know the table. */
struct br_workload_table {
    const char *(*recognise)(const char *path);
    enum br_status (*parse)(const char *path, const struct br_workload_options *options,
                            struct br_workload **workload, struct br_diag *diag);
};

/* Are the first bytes of a file, NUL-terminated, in the format? */
typedef bool br_recognise_workload(const char *text);

struct br_workload_format {
    struct br_named named;
    br_recognise_workload *recognise;
    br_read_workload *read;
};

br_recognise_workload br_is_workload_xml, br_is_workload_csv, br_is_swf, br_is_sacct, br_is_tasks,
    br_is_sacct_json;
br_read_workload br_read_workload_xml, br_read_workload_csv, br_read_swf, br_read_sacct,
    br_read_spark, br_read_tasks, br_read_sacct_json;

#endif
