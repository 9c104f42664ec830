import Skyros

/// `skyros info`: the contents and the size of the store.
struct InfoCommand: Command {
    static let name = "info"
    static let summary = "Show what the store holds, and its size"
    static let usage = "STORE [--json]"
    static let details = """
        Prints the number of events, the first one that is kept if older ones were pruned, the time
        of the first and the last one, the number of records per entity, the size of the log on disk
        and uncompressed, the number of segments, the event of the checkpoint, the events that the
        log has lost and the checkpoint holds, the projections that the checkpoint has, how far each
        subscription has come, how far the app has read the compressed segments again to find rot,
        what it found, and the time that the machine needs to open the store: it reads what an
        opening reads.

          skyros info Orders.skyros
        """

    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        self.arguments = arguments
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive(at: arguments.store)
        let bar = ProgressBar(ProgressBar.Step(.reading))
        let info = try archive.info { bar.update(.reading, $0, of: $1) }
        bar.finish()
        if arguments.isJSON {
            try printJSON(info, to: output)
        } else {
            try printText(info, to: output)
        }
        return true
    }

    private func printJSON(_ info: StoreInfo, to output: Output) throws {
        var object = info.json
        object["lostEvents"] = info.lostEvents.flatMap { DamageText.json([$0])[0] }
        object["scrub"] = info.scrub.map { json($0) }
        try output.json(object.mapValues { $0 })
    }

    private func json(_ scrub: ScrubReport) -> FieldValue {
        var object = NamedValues<FieldValue>()
        object["position"] = scrub.position.map { .integer(Int128($0.rawValue)) }
        object["finishedAt"] = scrub.finishedAt.map { .text($0.description) }
        object["damages"] = .array(scrub.damages.map { DamageText.json($0) })
        return .map(object)
    }

    private func printText(_ info: StoreInfo, to output: Output) throws {
        var rows = [["events", "\(info.sequence)"]]
        if info.firstSequence > 1 {
            let size = Output.bytes(info.floorBytes)
            rows.append(["pruned", "kept from event \(info.firstSequence) on, floor of \(size)"])
        }
        if let first = info.firstTime, let last = info.lastTime {
            rows.append(["from", "\(first)"])
            rows.append(["to", "\(last)"])
        }
        for (entity, count) in info.entities.sorted(byName: \.key) {
            rows.append([entity, "\(count) records"])
        }
        let size = "\(Output.bytes(info.logBytes)), \(Output.bytes(info.rawBytes)) uncompressed"
        rows.append(["log", size])
        rows.append(["segments", "\(info.segmentCount), \(info.sealedSegmentCount) sealed"])
        if let last = info.historySequence {
            rows.append(["history", "\(Output.bytes(info.historyBytes)), to event \(last)"])
        }
        let checkpoint = info.checkpointSequence.map { "at event \($0)" }
        let parts = [checkpoint, info.checkpointProblem].compactMap(\.self)
        rows.append(["checkpoint", parts.isEmpty ? "none" : parts.joined(separator: ", ")])
        if let lost = info.lostEvents {
            rows.append(["lost", "\(DamageText.line(lost)), which only the checkpoint holds"])
        }
        for projection in info.projections {
            rows.append(["projection", Self.line(projection)])
        }
        for (name, position) in info.subscriptions {
            rows.append(["subscription", "\(name), \(Self.line(position))"])
        }
        rows.append(["scrub", info.scrub.map { DamageText.line($0) } ?? "not yet"])
        for damage in info.scrub?.damages ?? [] {
            rows.append(["damaged", DamageText.line(damage)])
        }
        rows.append(["opening", "about \(info.openingMilliseconds) ms"])
        try output.table(rows)
    }
    private static func line(_ projection: ProjectionInfo) -> String {
        let text = "\(projection.name) \(projection.version), at event \(projection.sequence)"
        if let failure = projection.failure {
            return "\(text), has stopped before event \(failure.sequence): \(failure.message)"
        }
        return text + (projection.byteCount.map { ", \(Output.bytes($0))" } ?? "")
    }

    private static func line(_ position: SubscriptionPosition?) -> String {
        guard let position else { return "whose position is damaged" }
        let kept = position.keepsHistory ? "keeps" : "does not keep"
        return "has handled event \(position.sequence), \(kept) the events after it"
    }
}
