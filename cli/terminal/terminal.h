/* The width of the terminal. */
#ifndef BR_CLI_TERMINAL_TERMINAL_H
#define BR_CLI_TERMINAL_TERMINAL_H

#include <stdint.h>

/* Present number of columns of the descriptor's terminal; if it reports none, $COLUMNS; 0 if that
 * is not set either. */
uint32_t cli_terminal_columns(int fd);

#endif
