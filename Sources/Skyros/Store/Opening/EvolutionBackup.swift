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

    /// - Parameter state: that after the last event to copy.
    /// - Returns: nil if the store has no directory in a file system.
    init?(of source: any Disk, _ storeID: StoreID, in state: Snapshot) {
        guard let root = source.systemPath else { return nil }
        let plain = "\(Self.directory)/\(state.sequence.rawValue.digits(20))"
        var (name, number) = (plain, 1)
        // An erasure leaves the copies of the history that it has erased.
        while Self.isOfAnotherHistory(URL(filePath: root).appending(path: name), storeID, state) {
            number += 1
            name = "\(plain).\(number)"
        }
        self.name = name
        url = URL(filePath: root).appending(path: name)
        self.source = source
        sequence = state.sequence
    }

    /// Whether a directory has a copy that another store has made, or this one before its history
    /// was replaced.
    private static func isOfAnotherHistory(
        _ url: URL, _ storeID: StoreID, _ state: Snapshot
    ) -> Bool {
        guard let copy = try? Archive(at: url) else { return false }
        if copy.log.storeID != storeID { return true }
        guard copy.sequence >= state.sequence else { return false }
        let chainHash = try? copy.historyReader.chainHash(through: state.sequence)
        return chainHash != state.chainHash
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
