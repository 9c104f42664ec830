// Inputs have a few kilobytes, so a larger allocation means that the code trusted a length field.
// libFuzzer's own limit on allocations only works together with another sanitizer.

#include <stdlib.h>

#ifdef __GLIBC__

static const size_t allocation_bytes_max = 48u << 20;

// The allocator of the C library, under the name that it keeps when `malloc` is replaced.
extern void *__libc_malloc(size_t size);

void *malloc(size_t size) {
    if (size > allocation_bytes_max) abort();
    return __libc_malloc(size);
}

#endif
