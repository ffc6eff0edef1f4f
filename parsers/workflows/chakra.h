#ifndef BR_PARSERS_WORKFLOWS_CHAKRA_H
#define BR_PARSERS_WORKFLOWS_CHAKRA_H

#include <stdbool.h>

/* Do the first bytes look like an execution trace of Chakra's, of any form? */
bool br_is_chakra(const char *text);

#endif
