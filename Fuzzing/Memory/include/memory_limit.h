#ifndef MEMORY_LIMIT_H
#define MEMORY_LIMIT_H

// Empty: linking the target is enough, see memory_limit.c.

#endif
