/* Integers of 128 bits, for products of times and amounts that do not fit 64. */
#ifndef BR_BASE_NUMBERS_WIDE_H
#define BR_BASE_NUMBERS_WIDE_H

__extension__ typedef __int128 br_wide;
__extension__ typedef unsigned __int128 br_uwide;

#endif
