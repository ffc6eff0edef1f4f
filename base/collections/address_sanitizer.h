/* Calls to the address sanitizer. The build defines BR_ADDRESS_SANITIZER if the sanitizer is on;
 * else the calls do nothing. */
#ifndef BR_BASE_COLLECTIONS_ADDRESS_SANITIZER_H
#define BR_BASE_COLLECTIONS_ADDRESS_SANITIZER_H

/* BR_SANITIZER_GAP: bytes that nobody may touch behind each piece of memory. */
#ifdef BR_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#define BR_SANITIZER_GAP 1
#else
#define BR_SANITIZER_GAP 0
#define ASAN_POISON_MEMORY_REGION(memory, size) ((void)(memory), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(memory, size) ((void)(memory), (void)(size))
#endif

#endif
