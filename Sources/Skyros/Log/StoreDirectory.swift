import Foundation
import SkyrosDisk

/// The directory of a store, as a user names it.
enum StoreDirectory {
    static func missing(at path: String) -> StoreError {
        StoreError(.notAStore, "there is no store at \(path); check the path")
    }

    /// The directory of a store at `url`.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if `url` names no file; `.notAStore` if it, or a
    ///   part of its path, is a file and no directory.
    static func disk(at url: URL, creating: Bool) throws(StoreError) -> PosixDisk {
        guard url.isFileURL else {
            let shown = url.absoluteString
            throw StoreError(.invalidInput, "\(shown) is no file URL; use URL(filePath:)")
        }
        let path = url.path(percentEncoded: false)
        do throws(DiskError) {
            return try PosixDisk(path: path, creating: creating)
        } catch {
            if !creating, error.isNotFound { throw missing(at: path) }
            guard error.isNoDirectory else { throw StoreError(error) }
            throw StoreError(
                .notAStore, "\(path) is a file, or lies in one, and a store is a directory",
                at: StoreError.Place(file: path))
        }
    }
}
