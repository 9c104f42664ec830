public import Foundation
package import SkyrosDisk

extension Archive {
    /// Opens the store at `url` to read it as of a moment: damage after it is no obstacle.
    ///
    ///     let then = try Archive.reading(asOf: .sequence(4_711), at: url)
    ///         .snapshot(asOf: .sequence(4_711))
    ///
    /// If the log is damaged, the archive ends before the first damage, as with `.upToDamage`.
    ///
    /// - Parameters:
    ///   - moment: nil for the newest, for which the whole log must be intact.
    ///   - url: the directory of the store.
    /// - Throws: `StoreError`, as `init(at:entities:reading:)` does; `.logCorrupt` and the like if
    ///   the moment is not before the damage.
    public static func reading(asOf moment: Moment?, at url: URL) throws -> Archive {
        let disk = try StoreDirectory.disk(at: url, creating: false)
        return try reading(asOf: moment, on: Environment(disk: disk))
    }

    /// The same on any disk.
    package static func reading(
        asOf moment: Moment?, on environment: Environment
    ) throws -> Archive {
        do {
            return try Archive(on: environment, isTolerant: moment != nil)
        } catch let error as StoreError where damageCodes.contains(error.code) {
            guard let moment, let archive = try? Archive(on: environment, reading: .upToDamage),
                try archive.holds(moment)
            else { throw error }
            return archive
        }
    }

    /// The state at a moment, of which only one record was read: the first of some that existed
    /// then; nil if none did, or if only a replay can tell.
    ///
    /// - Complexity: O(log n) for each run of the history, and O(events) of the part of the log
    ///   that no run covers, about 1 MiB.
    /// - Throws: as `snapshot(asOf:)`.
    package func state(
        ofFirst ids: [RecordID], _ entity: String, asOf moment: Moment
    ) throws -> Snapshot? {
        guard let historyIndex else { return nil }
        let reader = historyReader
        do {
            let sequence = try reader.sequence(of: moment)
            guard historyIndex.isQuick(through: sequence) else { return nil }
            for id in ids {
                let state = try reader.state(of: entity, id, asOf: sequence, in: historyIndex)
                if let state { return state }
            }
            return nil
        } catch let error as StoreError where Self.damageCodes.contains(error.code) {
            // It may be after the moment.
            return nil
        }
    }

    private static let damageCodes: Set<StoreError.Code> = [
        .logCorrupt, .chainBroken, .segmentMissing, .foreignStore,
    ]

    /// Whether the moment is before the archive's end, so that nothing after it can be missing.
    private func holds(_ moment: Moment) throws -> Bool {
        switch moment {
        case .sequence(let last): last <= sequence
        case .date(let date):
            // That of the last event that was pruned is in the floor.
            try EventReader(log).stamp(of: sequence)?.time.map { $0 > EventTime(date) } ?? false
        }
    }
}
