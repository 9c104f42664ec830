// Shows the thread sanitizer the happens-before edges of Swift's reference counting.
//
// The Swift runtime is not instrumented for the sanitizer. When one thread releases its reference
// to a value and another one then changes the value in place or frees it, the sanitizer reports a
// false race. This library is loaded before the runtime (LD_PRELOAD) and annotates each release,
// as the standard library of C++ does for its reference counts:
// https://gcc.gnu.org/onlinedocs/libstdc++/manual/debug.html
//
//     cc -O2 -fPIC -shared Tests/ThreadSanitizer/references.c -o references.so
//     LD_PRELOAD=$PWD/references.so swift test --sanitize=thread --skip-build
//
// It has no effect on programs without the sanitizer.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// https://github.com/llvm/llvm-project/blob/main/compiler-rt/include/sanitizer/tsan_interface.h
static void (*acquire)(void *);
static void (*publish)(void *);

__attribute__((constructor)) static void find_sanitizer(void) {
    acquire = (void (*)(void *))dlsym(RTLD_DEFAULT, "__tsan_acquire");
    publish = (void (*)(void *))dlsym(RTLD_DEFAULT, "__tsan_release");
}

// The object that a reference points to; null if there is none or it is not counted. The sign bit
// marks immortal objects and small strings.
static void *object_of(const void *reference) {
    if (!acquire || !publish || (intptr_t)reference < 65536) return NULL;
    return (void *)((uintptr_t)reference & 0x00FFFFFFFFFFFFF8);
}

// Orders every earlier access to the object before the accesses of its last owner.
static void annotate_release(const void *reference) {
    void *object = object_of(reference);
    if (!object) return;
    publish(object);
    acquire(object);
}

// Looks up the runtime's own function of this name.
#define NEXT(type, name) \
    static void *address; \
    if (!address) address = dlsym(RTLD_NEXT, name); \
    __typeof__(type) next = (__typeof__(type))address;

#define RELEASE(name) \
    void name(void *reference) { \
        NEXT(void (*)(void *), #name) \
        annotate_release(reference); \
        next(reference); \
    }

#define RELEASE_N(name) \
    void name(void *reference, uint32_t count) { \
        NEXT(void (*)(void *, uint32_t), #name) \
        annotate_release(reference); \
        next(reference, count); \
    }

#define IS_UNIQUE(name) \
    bool name(void *reference) { \
        NEXT(bool (*)(void *), #name) \
        bool is_last = next(reference); \
        void *object = is_last ? object_of(reference) : NULL; \
        if (object) acquire(object); \
        return is_last; \
    }

RELEASE(swift_release)
RELEASE(swift_bridgeObjectRelease)
RELEASE_N(swift_release_n)
RELEASE_N(swift_bridgeObjectRelease_n)
IS_UNIQUE(swift_isUniquelyReferenced_native)
IS_UNIQUE(swift_isUniquelyReferenced_nonNull_native)
