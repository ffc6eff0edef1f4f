/* The hashes that identify commands in a .ninja_log. Internal to this room. */
#ifndef BR_EMIT_NINJA_HASH_H
#define BR_EMIT_NINJA_HASH_H

#include <stddef.h>
#include <stdint.h>

/* For logs of versions 5 and 6: MurmurHash64A of Austin Appleby. */
uint64_t br_ninja_murmur(const char *text, size_t size);
/* For version 7: rapidhash (version 1) of Nicolas De Carli. */
uint64_t br_ninja_rapid(const char *text, size_t size);

#endif
