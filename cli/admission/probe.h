/* Does a command only ask a tool a question, or only start others that ask for admission
 * themselves? Such a command, a probe, runs without waiting. */
#ifndef BR_CLI_ADMISSION_PROBE_H
#define BR_CLI_ADMISSION_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* Judges by the words alone, and npm's scripts by the environment. A word that is not known to be a
 * question is not one: the command waits. */
bool cli_is_probe(const char *const *argument, uint32_t arguments);

#endif
