// Calls of Linux that Swift's module of the C library leaves out.

#ifdef __linux__
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct clinux_identity {
    uint64_t device, inode;
};

/// The device and inode number of the file with this name, which is not followed if it is a link.
/// Returns 0, or -1 and sets `errno`.
///
/// Unlike `fstatat` it asks for no time. Once the times of a file were asked for, Linux 6.13 and
/// newer give its next write another time, and the sync after it commits the journal.
/// Source: `man 2 statx`, from which the layout is; Documentation/filesystems/multigrain-ts.rst.
static inline int clinux_identity(int directory, const char *name, struct clinux_identity *result) {
    struct {
        uint32_t mask, block_size;
        uint64_t attributes;
        uint32_t links, user, group;
        uint16_t mode, spare;
        uint64_t inode, size, blocks, attributes_mask;
        uint64_t times[8];
        uint32_t special_major, special_minor, major, minor;
        uint64_t others[14];
    } status;
    const int no_follow = 0x100;
    const unsigned inode_only = 0x100;
    if (syscall(SYS_statx, directory, name, no_follow, inode_only, &status) != 0) return -1;
    result->device = makedev(status.major, status.minor);
    result->inode = status.inode;
    return 0;
}
#endif
