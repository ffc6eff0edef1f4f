/* The forms of Chakra's execution traces. */
#ifndef BR_PARSERS_WORKFLOWS_CHAKRA_FORMS_H
#define BR_PARSERS_WORKFLOWS_CHAKRA_FORMS_H

#include "parsers/workflows/chakra_nodes.h"

/* Do the first bytes look like the form that simulators read? */
bool chakra_is_binary(const char *text);
/* Make stages of the nodes. The text is of `size` bytes with a NUL after them. */
enum br_status chakra_read_binary(struct chakra *all, const char *bytes, size_t size);
enum br_status chakra_read_json(struct chakra *all, const char *text, size_t size);

#endif
