/* Dates in logs and records. */
#ifndef BR_PARSERS_TEXT_DATE_H
#define BR_PARSERS_TEXT_DATE_H

#include <stdint.h>

/* "2018-11-07 10:12:06.477" or "2018-11-07T10:12:06Z" as nanoseconds since 1970; fractions to the
 * millisecond, and offsets from UTC such as "+01:00" after them count. -1: it is no such date,
 * or one after the year 2115. */
int64_t br_date_parse(const char *text);

#endif
