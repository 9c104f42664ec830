import SkyrosDisk
import SkyrosTesting

extension SimulatedDisk {
    /// Whether a fault has hit an operation whose error SQLite's Unix file system, and so ours,
    /// ignores: the sync of a new journal's name, or the check whether a journal exists. A power
    /// cut may then leave half a transaction without a journal, which the reader must detect.
    var hasLostJournal: Bool {
        let operations = operations
        return failures.contains { index in
            switch operations[index].kind {
            case .syncDirectory: operations[index].path == Directory.root.rawValue
            case .status: operations[index].path.hasSuffix("-journal")
            default: false
            }
        }
    }
}
