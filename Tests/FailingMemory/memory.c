// An allocator that fails one allocation: the one with number SKYROS_FAILING_ALLOCATION.
// With number 0 none fails, and the process prints the number of allocations when it exits.
//
// LD_PRELOAD loads it before the C library, whose allocator it calls.

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long count;
static long failing = -1;

__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("SKYROS_FAILING_ALLOCATION");
    if (number) failing = atol(number);
    // Kills a process that hangs.
    alarm(60);
}

__attribute__((destructor)) static void end(void) {
    if (failing == 0) fprintf(stderr, "allocations %ld\n", (long)count);
}

static int fails(void) {
    if (atomic_fetch_add(&count, 1) + 1 != failing) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }

void *calloc(size_t number, size_t size) {
    return fails() ? NULL : __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }

void *memalign(size_t alignment, size_t size) {
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    void *memory = memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}
