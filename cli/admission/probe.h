/* Does a command only ask a tool something, or only start others that ask for admission themselves?
 * Such a one, a probe, runs without waiting. */
#ifndef BR_CLI_ADMISSION_PROBE_H
#define BR_CLI_ADMISSION_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* By the words alone, and for npm's scripts by the environment. What is not known for a question is
 * none: it waits. */
bool cli_is_probe(const char *const *argument, uint32_t arguments);

#endif
