#ifndef MEMORY_LIMIT_H
#define MEMORY_LIMIT_H

// Linking this is enough: see memory_limit.c.

#endif
