#ifndef SKYROS_CPQ_SHIM_H
#define SKYROS_CPQ_SHIM_H

#include <libpq-fe.h>

#endif
