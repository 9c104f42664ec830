import Skyros

/// `skyros info`: what the store consists of.
struct InfoCommand: Command {
    static let name = "info"
    static let summary = "What the store holds, and how large it is"
    static let usage = "STORE [--json]"
    static let details = """
        Prints the last event, the entities with their counts, bytes raw and compressed, the
        segments, the checkpoint's event, the first and last time, and the estimated time to open.

          skyros info Orders.skyros
        """

    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        guard arguments.rest.isEmpty else { throw UsageError("info takes the store alone") }
        self.arguments = arguments
    }

    func run() throws -> Bool {
        let archive = try Archive(at: arguments.store)
        let info = try archive.withBar("counting") { try archive.info(progress: $0) }
        if arguments.isJSON {
            printJSON(info)
        } else {
            printText(info)
        }
        return true
    }

    private func printJSON(_ info: StoreInfo) {
        Output.json([
            "sequence": .integer(Int128(info.sequence.rawValue)),
            "events": .integer(Int128(info.sequence.rawValue)),
            "entities": .map(info.entities.mapValues { .integer(Int128($0)) }),
            "logBytes": .integer(Int128(info.logBytes)),
            "rawBytes": .integer(Int128(info.rawBytes)),
            "segments": .integer(Int128(info.segmentCount)),
            "checkpointSequence": info.checkpointSequence.map { .integer(Int128($0.rawValue)) },
            "firstTime": info.firstTime.map { .text($0.description) },
            "lastTime": info.lastTime.map { .text($0.description) },
            "openingMilliseconds": .integer(Int128(info.openingMilliseconds)),
        ])
    }

    private func printText(_ info: StoreInfo) {
        var rows = [["events", "\(info.sequence)"]]
        if let first = info.firstTime, let last = info.lastTime {
            rows.append(["from", "\(first)"])
            rows.append(["to", "\(last)"])
        }
        for (entity, count) in info.entities.sorted(by: { $0.key < $1.key }) {
            rows.append([entity, "\(count) records"])
        }
        let size = "\(Output.bytes(info.logBytes)), \(Output.bytes(info.rawBytes)) uncompressed"
        rows.append(["log", size])
        rows.append(["segments", "\(info.segmentCount), \(info.sealedSegmentCount) sealed"])
        rows.append(["checkpoint", info.checkpointSequence.map { "at event \($0)" } ?? "none"])
        rows.append(["opening", "about \(info.openingMilliseconds) ms"])
        Output.table(rows)
    }
}
