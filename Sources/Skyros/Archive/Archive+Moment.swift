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
