import Foundation
import SkyrosDisk
import SkyrosLog

/// The copy of a store that is made before the first write by a newer version of the app.
///
/// Opening makes none: it would take as long as reading the whole log, also for an app that only
/// reads. The thread that calls `make` holds the writer lock.
final class EvolutionBackup: Sendable {
    /// The path of the copy, relative to the store's directory.
    let name: String
    private let url: URL
    private let source: any Disk
    private let sequence: SequenceNumber
    private let isDone = Locked(false)

    /// The directory in the store for its copies.
    static let directory = "backups"

    /// - Returns: nil if the store has no directory in a file system.
    init?(of source: any Disk, at sequence: SequenceNumber) {
        guard let root = source.systemPath else { return nil }
        name = "\(Self.directory)/\(sequence.rawValue.digits(20))"
        url = URL(filePath: root).appending(path: name)
        self.source = source
        self.sequence = sequence
    }

    /// Makes the copy, unless it was made, or the store was erased since the opening.
    ///
    /// - Parameters:
    ///   - newest: the store's last event.
    ///   - sync: makes all events durable; called if there is something to copy.
    /// - Throws: `StoreError`; the next call tries again.
    func make(at newest: SequenceNumber, syncing sync: () throws -> Void) throws {
        guard !isDone.withLock({ $0 }) else { return }
        if newest >= sequence, try !exists() {
            try sync()
            do {
                try copy()
            } catch let error as StoreError where error.code == .belowFloor {
                // An incomplete copy of an earlier process ends below the floor by now.
                try FileManager.default.removeItem(at: url)
                try copy()
            }
        }
        isDone.withLock { $0 = true }
    }

    private func copy() throws {
        let target = try StoreDirectory.disk(at: url, creating: true)
        let backup = try Backup(of: source, onto: Environment(disk: target))
        do {
            _ = try backup.update()
        } catch {
            // The first error counts.
            try? backup.close()
            throw error
        }
        try backup.close()
    }

    /// Whether an earlier process made the copy. An incomplete one is completed.
    private func exists() throws -> Bool {
        guard let copy = try? Archive(at: url) else { return false }
        return copy.sequence >= sequence
    }
}
