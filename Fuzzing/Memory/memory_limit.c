// No input has more than some kilobytes, so whoever asks for this much has believed a length.
// libFuzzer has a limit of its own, which works only together with another sanitizer.

#include <stdlib.h>

#ifdef __GLIBC__

static const size_t allocation_bytes_max = 48u << 20;

// The C library's own, by the name that it keeps for those who replace `malloc`.
extern void *__libc_malloc(size_t size);

void *malloc(size_t size) {
    if (size > allocation_bytes_max) abort();
    return __libc_malloc(size);
}

#endif
