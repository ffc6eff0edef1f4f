/* Reading jobs, clusters and plans from files. One file and one row of the table in parsers.c per
 * format; the format is recognised from the content. Nothing here reaches the network, and a reader
 * opens only the file that it was given. */
#ifndef BR_PARSERS_PARSERS_H
#define BR_PARSERS_PARSERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text/named.h"
#include "parsers/jobs/native.h"
#include "parsers/ninja/build.h"
#include "parsers/plans/plans.h"
#include "parsers/reader/input.h"

/* The formats of jobs. */
extern const struct br_names br_job_formats;

/* Reads a job from the file, or from standard input if path is "-". On failure *input is zeroed and
 * the diagnostic has file, line and column. options may be NULL. */
enum br_status br_parse_job(const char *path, const struct br_parse_options *options,
                            struct br_input *input, struct br_diag *diag);
/* The name of the format recognised from a file's first bytes; NULL if no format is, or the file
 * cannot be read. The rest of the file may still be invalid. */
const char *br_parse_recognise(const char *path);
#endif
