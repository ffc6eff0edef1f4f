/* Times, sizes and lists of resources in the form of Slurm's programs. The calls return whether the
 * text is such a value, without a diagnostic. Internal to this room. */
#ifndef BR_CLUSTER_WORKLOAD_READ_SLURM_VALUE_H
#define BR_CLUSTER_WORKLOAD_READ_SLURM_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* A point of time, "2024-03-01T12:00:00" or digits (SLURM_TIME_FORMAT=%s), in seconds since the
 * beginning of 1970, as if all of it were in one zone. */
bool br_slurm_time(const char *text, int64_t *seconds);
/* "[DAYS-]HOURS:MINUTES:SECONDS" or "MINUTES:SECONDS.THOUSANDTHS"; at most 63 years. */
bool br_slurm_duration(const char *text, int64_t *ns);
/* A count such as "4" or "2K", up to 2^32 - 1; K is 1024. */
bool br_slurm_count(const char *text, uint32_t *count);
/* A size such as "4000M" or "1.5G", in bytes; without a letter in MiB. *rest is the text after the
 * size. At most 10^18. */
bool br_slurm_size(const char *text, int64_t *bytes, const char **rest);

/* The values of a list such as "cpu=4,mem=8G,node=1,billing=4,gres/gpu=2"; 0 if missing. Kinds of
 * one resource ("gres/gpu:a100=2") count if the list has no total. */
struct br_slurm_tres {
    uint32_t cpus, nodes, gpus;
    int64_t mem_bytes;
};
bool br_slurm_tres(const char *text, struct br_slurm_tres *tres);

#endif
