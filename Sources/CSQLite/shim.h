#ifndef SKYROS_CSQLITE_SHIM_H
#define SKYROS_CSQLITE_SHIM_H

#include <sqlite3.h>

// What Swift cannot call or import: variadic functions and macros that are casts.

/// Switches one of the SQLITE_DBCONFIG_… flags; the result code is SQLite's.
static inline int skyros_sqlite3_db_config_flag(sqlite3 *db, int flag, int on) {
    int after = 0;
    return sqlite3_db_config(db, flag, on, &after);
}

/// The destructor that says: the bytes outlive the binding, do not copy them.
static inline sqlite3_destructor_type skyros_sqlite3_static(void) {
    return SQLITE_STATIC;
}

/// The destructor that says: copy the bytes before the call returns.
static inline sqlite3_destructor_type skyros_sqlite3_transient(void) {
    return SQLITE_TRANSIENT;
}

#endif
