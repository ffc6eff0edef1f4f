/* The forms of Bazel's log of executed actions. */
#ifndef BR_PARSERS_BUILDERS_BAZEL_FORMS_H
#define BR_PARSERS_BUILDERS_BAZEL_FORMS_H

#include "parsers/builders/bazel_actions.h"

/* Do the first bytes look like the compact form? */
bool bazel_is_compact(const char *text);
/* Make stages and edges of the actions. The text is of `size` bytes with a NUL after them. */
enum br_status bazel_read_compact(struct bazel *bazel, const char *bytes, size_t size);
enum br_status bazel_read_json(struct bazel *bazel, const char *text, size_t size);

#endif
