/* Takings of memory, counted and refused: for programs that are linked with
 * --wrap=malloc, --wrap=calloc and --wrap=realloc. */
#ifndef BR_TESTS_SUPPORT_TAKINGS_H
#define BR_TESTS_SUPPORT_TAKINGS_H

#include <stdint.h>

extern uint32_t taken;  /* so far; the test sets it back */
extern uint32_t refuse; /* the taking, from 0, that fails; UINT32_MAX: none does */

#endif
