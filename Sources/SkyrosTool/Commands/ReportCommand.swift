import Foundation
import Skyros

/// `skyros report`: writes a page on which the history can be looked through.
struct ReportCommand: Command {
    static let name = "report"
    static let summary = "Write the history as a page for the browser, with a slider through time"
    static let usage = """
        STORE --html FILE [--from N] [--to N] [--since T] [--until T] [--title TEXT] [--json]
        """
    static let details = """
          --html FILE           the page to write; an existing file is never overwritten
          --from N, --to N      only events in this range of numbers
          --since T, --until T  only events in this range of times; a date means its start in
                                --since and its end in --until
          --title TEXT          the title of the page; otherwise the name of the store

        The page is one file: it needs no network and no other file, and can be sent by mail. It
        shows the events, the state after each of them, the changes of each record, and how the
        store grew; `?` lists its keys. It holds all data of the events in its range, and the
        records from before. Only you may read it.

        The file appears when it is complete. 100,000 events are 10 to 40 MB. Of longer histories,
        choose a range: the browser holds it in memory.

          skyros report Orders.skyros --html orders.html
          skyros report Orders.skyros --html march.html --since 2026-03-01 --until 2026-03-31
        """
    static let options: Set<String> = ["html", "from", "to", "since", "until", "title"]

    private let arguments: Arguments
    private let target: URL
    private let from: SequenceNumber?
    private let to: SequenceNumber?
    private let since: EventTime?
    private let until: EventTime?

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        guard let file = arguments.text("html"), !file.isEmpty else {
            throw UsageError("report needs --html FILE")
        }
        self.arguments = arguments
        target = URL(filePath: file)
        from = try arguments.sequence("from").map { max($0, 1) }
        to = try arguments.sequence("to")
        since = try arguments.time("since")?.first
        until = try arguments.time("until")?.last
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive(at: arguments.store)
        if to == nil, until == nil { archive.warnOfLostEvents() }
        let range = try range(in: archive)
        let bar = ProgressBar(ProgressBar.Step(.reading))
        defer { bar.finish() }
        let writer = ReportWriter(archive: archive, title: title, range: range)
        let last = range.upperBound.advanced(by: -1).rawValue
        try NewFile.writeText(at: target) { sink in
            try writer.write(to: sink) { bar.update(.reading, $0.rawValue, of: last) }
        }
        bar.finish()
        try report(range, output)
        return true
    }

    private var title: String {
        arguments.text("title") ?? arguments.server?.name
            ?? arguments.store.deletingPathExtension().lastPathComponent
    }

    /// The events that the options allow.
    private func range(in archive: Archive) throws -> Range<SequenceNumber> {
        var first = from ?? archive.firstSequence
        if let since { first = max(first, try archive.firstSequence(since: since)) }
        var end = min(to ?? archive.sequence, archive.sequence).next
        if let until {
            let after = EventTime(microseconds: until.microseconds + 1)
            end = min(end, try archive.firstSequence(since: after))
        }
        if first < end { return first..<end }
        guard from == nil, to == nil, since == nil, until == nil else {
            throw StoreError(
                .noSuchEvent,
                "no event is in this range; the store has the events \(archive.firstSequence) "
                    + "to \(archive.sequence)")
        }
        return first..<first
    }

    private func report(_ range: Range<SequenceNumber>, _ output: Output) throws {
        let path = target.path(percentEncoded: false)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let bytes = (attributes[.size] as? NSNumber)?.intValue ?? 0
        let count = range.upperBound.rawValue - range.lowerBound.rawValue
        if arguments.isJSON {
            try output.json([
                "file": .text(path), "events": .integer(Int128(count)),
                "bytes": .integer(Int128(bytes)),
            ])
        } else {
            try output.line("\(path): \(count) events, \(Output.bytes(bytes))")
        }
    }
}
