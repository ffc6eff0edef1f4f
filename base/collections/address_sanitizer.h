/* Calls to the address sanitizer, which are there where BR_ADDRESS_SANITIZER is 1, not 0. */
#ifndef BR_BASE_COLLECTIONS_ADDRESS_SANITIZER_H
#define BR_BASE_COLLECTIONS_ADDRESS_SANITIZER_H

#ifdef __SANITIZE_ADDRESS__
#define BR_ADDRESS_SANITIZER 1
#elif defined __has_feature
#define BR_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define BR_ADDRESS_SANITIZER 0
#endif

#if BR_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, size) ((void)(memory), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(memory, size) ((void)(memory), (void)(size))
#endif

#endif
