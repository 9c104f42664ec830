/// The directories of Sources as the floors of a house: who stands on whom.
enum Floors {
    /// Of every directory its directories, from bottom to top.
    ///
    /// A directory names its own types and those of lower floors, so there is no arrow upwards and
    /// no circle, and directories that share a floor, like the stages, never name each other. Files
    /// beside the directories have no floor, and name and are named freely, unless a floor is `wiring`.
    static let all: [String: [[String]]] = [
        "Sources/SkyrosDisk/": [["Memory", "Threads"], ["Posix"]],
        "Sources/SkyrosLog/": [["Format"], ["Reading"], ["Writing"], ["Recovery"], ["Salvage"]],
        "Sources/Skyros/": [
            ["Coding"], ["Model"], ["State"], ["Write", "Log", "Projection", "View", "Checkpoint"],
            ["History", "Live"], ["Archive"], [wiring],
        ],
        "Sources/Skyros/Coding/": [["CBOR"], ["Codable"], ["Values"], ["JSON", "Records"]],
        "Sources/Skyros/Model/": [["Errors"], ["Entities"], ["Records"], ["Events"]],
        "Sources/Skyros/State/": [["Nodes"], ["IndexBTree", "RowTrie"], ["Fetch"]],
        "Sources/SkyrosTesting/": [["Replay", "Simulation"], ["SQLite"], ["Crashes"]],
        "Sources/SkyrosTool/": [["Commands"]],
    ]

    /// The files beside the directories, which bring these together.
    static let wiring = "the wiring files"

    /// The floor of what a directory holds; nil if it has none.
    static func floor(of name: String, in directory: String) -> Int? {
        all[directory]?.firstIndex { $0.contains(name) }
    }
}
