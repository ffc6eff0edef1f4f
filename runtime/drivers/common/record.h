/* Records of the journal: lines of known length, each with a checksum of its own.
 *
 * 16 hexadecimal digits, a blank, the text filled up with blanks, a line's end. The checksum covers
 * the text and a seed, so leftovers of another file on the disk are not taken for a record.
 */
#ifndef BR_RUNTIME_DRIVERS_COMMON_RECORD_H
#define BR_RUNTIME_DRIVERS_COMMON_RECORD_H

#include <stdint.h>

enum {
    BR_RECORD_SUM = 16,
    BR_RECORD_SHORT = 48, /* of a task */
    BR_RECORD_LONG = 192, /* of the run, a job and a session; a multiple of the short one */
};

/* Writes the record of the text, which has to fit, as `size` bytes and a NUL. */
void br_record_write(char *record, uint32_t size, uint64_t seed, const char *text);
/* The text of the record of that size at the place, without the blanks at its end; NULL if there is
 * none, and then nothing changes. */
char *br_record_read(char *at, const char *end, uint32_t size, uint64_t seed);

#endif
