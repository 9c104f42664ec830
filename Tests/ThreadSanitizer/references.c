// Tells the thread sanitizer what it cannot see: that a reference to a Swift object was given up.
//
// The runtime that counts references is not built for the sanitizer. A thread that drops its
// reference to a value is done with it, and the thread that then changes the value in place, or
// frees it, relies on that; the sanitizer reports a race. This library stands between programs and
// runtime (LD_PRELOAD), and says so for each reference that is given up, as the standard library of
// C++ does for its own: https://gcc.gnu.org/onlinedocs/libstdc++/manual/debug.html
//
//     cc -O2 -fPIC -shared Tests/ThreadSanitizer/references.c -o references.so
//     LD_PRELOAD=$PWD/references.so swift test --sanitize=thread --skip-build
//
// Programs without the sanitizer run as they would without it.

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

// The object that a reference leads to; null if there is none, or none that is counted. The sign
// marks what lives for ever, and texts that stand in the reference itself.
static void *object_of(const void *reference) {
    if (!acquire || !publish || (intptr_t)reference < 65536) return NULL;
    return (void *)((uintptr_t)reference & 0x00FFFFFFFFFFFFF8);
}

// What was done with the object before comes before whatever the last owner does with it.
static void give_up(const void *reference) {
    void *object = object_of(reference);
    if (!object) return;
    publish(object);
    acquire(object);
}

// The function of the runtime that bears this name.
#define NEXT(type, name) \
    static void *address; \
    if (!address) address = dlsym(RTLD_NEXT, name); \
    __typeof__(type) next = (__typeof__(type))address;

#define GIVES_UP(name) \
    void name(void *reference) { \
        NEXT(void (*)(void *), #name) \
        give_up(reference); \
        next(reference); \
    }

#define GIVES_UP_MANY(name) \
    void name(void *reference, uint32_t count) { \
        NEXT(void (*)(void *, uint32_t), #name) \
        give_up(reference); \
        next(reference, count); \
    }

#define ASKS_WHETHER_LAST(name) \
    bool name(void *reference) { \
        NEXT(bool (*)(void *), #name) \
        bool is_last = next(reference); \
        void *object = is_last ? object_of(reference) : NULL; \
        if (object) acquire(object); \
        return is_last; \
    }

GIVES_UP(swift_release)
GIVES_UP(swift_bridgeObjectRelease)
GIVES_UP_MANY(swift_release_n)
GIVES_UP_MANY(swift_bridgeObjectRelease_n)
ASKS_WHETHER_LAST(swift_isUniquelyReferenced_native)
ASKS_WHETHER_LAST(swift_isUniquelyReferenced_nonNull_native)
