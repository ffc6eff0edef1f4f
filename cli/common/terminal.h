/* How wide the terminal is. */
#ifndef BR_CLI_COMMON_TERMINAL_H
#define BR_CLI_COMMON_TERMINAL_H

#include <stdint.h>

/* Columns of the terminal that the descriptor is, at this moment; where it tells none, what COLUMNS
 * in the environment says; 0 where nobody says anything. */
uint32_t cli_terminal_columns(int fd);

#endif
