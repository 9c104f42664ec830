import SkyrosDisk
import SkyrosTesting

extension SimulatedDisk {
    /// Whether a fault has hit what SQLite's file system on Unix, and ours with it, says nothing
    /// of: the sync of a new journal's name, or the question whether there is a journal. A power
    /// cut may then leave half a transaction and no journal, which its reader has to notice.
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
