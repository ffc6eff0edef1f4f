/* The native forms: a job, a cluster, and a cluster in words. */
#ifndef BR_PARSERS_JOBS_NATIVE_H
#define BR_PARSERS_JOBS_NATIVE_H

#include "parsers/reader/input.h"

/* Reads a job in the native XML form, as br_parse_job does; for a program that needs no other. */
enum br_status br_parse_job_xml(const char *path, struct br_input *input, struct br_diag *diag);

/* Reads a cluster in the native XML form. */
enum br_status br_parse_cluster(const char *path, struct br_cluster **cluster,
                                struct br_diag *diag);

/* "cpu=16,mem=64GiB" on `machines` machines of class "m". Faults name the column in the text. */
enum br_status br_parse_capacity(uint32_t machines, const char *capacity,
                                 struct br_cluster **cluster, struct br_diag *diag);
/* Adds "licence=5,scratch=2TiB" to what all machines of the cluster share. */
enum br_status br_parse_shared(const char *shared, struct br_cluster *cluster,
                               struct br_diag *diag);

#endif
