/// The layers of each directory of Sources.
enum Floors {
    /// The directories in a directory, from bottom to top.
    ///
    /// A directory names its own types and types of lower floors. So there is no circle, and
    /// directories on one floor, like the stages, never name each other. Files beside directories
    /// have no floor and no restriction.
    static let all: [String: [[String]]] = [
        "Sources/SkyrosDisk/": [["Memory", "Threads"], ["Posix"]],
        "Sources/SkyrosLog/": [
            ["Format"], ["Reading"], ["Writing"], ["Recovery"], ["Salvage"],
            ["Backup"], ["Remote"],
        ],
        "Sources/Skyros/": [
            ["Coding"], ["Model"], ["State"],
            ["Write", "Log", "Projection", "View", "Checkpoint", "Retention"],
            ["History", "Live"], ["SQL", "ReadModels", "Subscriptions", "TimeTravel"], ["Archive"],
            ["Fixtures", "Reexecution"], ["Distilling"], ["Cluster"],
            ["Store"],
            ["Children", "DataStores", "Lifecycle", "Objects", "Servers"], ["Undo"],
        ],
        "Sources/Skyros/Coding/": [["CBOR"], ["Codable"], ["Values"], ["JSON", "Records"]],
        "Sources/Skyros/Model/": [
            ["Errors"], ["Evolution"], ["Entities"], ["Records"], ["Events"], ["Keys"],
        ],
        "Sources/Skyros/State/": [
            ["Nodes"], ["IndexBTree", "RowTrie"], ["Fetch"],
            ["Aggregates", "ByName", "Relations"],
        ],
        "Sources/Skyros/History/": [["Runs"]],
        "Sources/Skyros/Store/": [["Directory"], ["Maintenance", "Node"], ["Opening"]],
        "Sources/SkyrosTesting/": [
            ["Simulation", "Quorum"], ["Replay", "SQLite"], ["Crashes", "Scenarios"],
        ],
        "Sources/SkyrosTool/": [["Import", "Report"], ["Commands"]],
    ]

    /// The floor of what a directory holds; nil if it has none.
    static func floor(of name: String, in directory: String) -> Int? {
        all[directory]?.firstIndex { $0.contains(name) }
    }
}
