import Foundation
import SkyrosDisk

/// Moves a store that cannot be opened to a directory beside it, in one step.
///
/// `Orders.skyros` becomes `Orders.skyros.quarantine/1`, then `2`, …. Nothing in them is ever
/// removed.
enum StoreAside {
    /// Whether a new store would be spared the error: it lies in the files, not in the call, the
    /// disk, or another process.
    static func mayHelp(against error: StoreError) -> Bool {
        let codes: [StoreError.Code] = [
            .unsupportedFormat, .foreignStore, .logCorrupt, .segmentMissing, .chainBroken,
            .logBehindCheckpoint, .unknownEntity, .uniqueViolation, .brokenReference, .duplicateID,
            .schemaMismatch, .evolutionFailed, .invalidEvent, .notDecodable,
        ]
        return codes.contains(error.code)
    }

    /// Moves the store at `url`; returns its new path.
    ///
    /// - Throws: `StoreError` with `.alreadyOpen` if it is open, `.notAStore` if there are other
    ///   files in its directory, `.io`.
    static func move(_ url: URL) throws -> String {
        let disk = try StoreDirectory.disk(at: url, creating: false)
        let lock = try StoreError.wrap(try disk.lock())
        defer { lock.release() }
        try StoreCreation(disk: disk).checkHoldsOnlyOwnFiles()
        let path = disk.systemPath ?? url.path(percentEncoded: false)
        let directory = path + ".quarantine"
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            var number = 1
            while FileManager.default.fileExists(atPath: "\(directory)/\(number)") { number += 1 }
            try FileManager.default.moveItem(atPath: path, toPath: "\(directory)/\(number)")
            return "\(directory)/\(number)"
        } catch {
            throw StoreError(
                .io, "the store at \(path) cannot be moved to \(directory)",
                at: StoreError.Place(file: path), cause: error.localizedDescription)
        }
    }
}
