#ifndef BR_PARSERS_BUILDERS_BAZEL_H
#define BR_PARSERS_BUILDERS_BAZEL_H

#include <stdbool.h>

/* Do the first bytes look like Bazel's log of executed actions, of any form? */
bool br_is_bazel(const char *text);

#endif
