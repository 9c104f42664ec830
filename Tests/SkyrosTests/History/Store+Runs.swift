import SkyrosLog

@testable import Skyros

extension Store {
    /// Makes a run of what has none, however small; returns whether it did. False without an index.
    func makeRun() throws -> Bool {
        guard let index = session.history else { return false }
        let newest = snapshot
        return try index.makeNext(
            through: newest.sequence, from: { newest }, isComplete: true, syncing: {})
    }
}
