import CSQLite
import SkyrosDisk

/// SQLite's extended result codes for I/O errors, chosen as SQLite's Unix file system does.
///
/// Source: `os_unix.c` of SQLite 3.40; numbers from https://www.sqlite.org/rescode.html.
enum FileSystemCode {
    static let shortRead = SQLITE_IOERR | 2 << 8
    static let syncFailed = SQLITE_IOERR | 4 << 8
    static let directorySyncFailed = SQLITE_IOERR | 5 << 8
    static let truncateFailed = SQLITE_IOERR | 6 << 8
    static let statusFailed = SQLITE_IOERR | 7 << 8
    static let lockFailed = SQLITE_IOERR | 15 << 8
    static let deleteFailed = SQLITE_IOERR | 10 << 8
    static let nothingToDelete = SQLITE_IOERR | 23 << 8
    private static let readFailed = SQLITE_IOERR | 1 << 8
    private static let writeFailed = SQLITE_IOERR | 3 << 8
    private static let mediumFailed = SQLITE_IOERR | 33 << 8

    static func ofRead(_ error: DiskError) -> Int32 {
        error.isUnreadableMedium ? mediumFailed : readFailed
    }

    static func ofWrite(_ error: DiskError) -> Int32 {
        error.reason == .system(System.noSpace) ? SQLITE_FULL : writeFailed
    }
}
