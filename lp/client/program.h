/* The program bigrocks-bound. */
#ifndef BR_LP_CLIENT_PROGRAM_H
#define BR_LP_CLIENT_PROGRAM_H

#include <stdbool.h>

/* The path of the program that is started if the caller gives none, into `path` of PATH_MAX bytes.
 * False if there is none: then the path is the last that was looked at. */
bool br_bound_program_path(char *path);

#endif
