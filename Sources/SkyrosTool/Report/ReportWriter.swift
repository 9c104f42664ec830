import Foundation
import Skyros

/// Writes a report of a range of events: the page, the state before the range, and the events, in
/// blocks of limited size.
struct ReportWriter {
    let archive: Archive
    let title: String
    /// The first event, and the one after the last.
    let range: Range<SequenceNumber>

    /// - Parameter progress: called with the last event that was read.
    /// - Throws: `StoreError` if the log is damaged, or the file cannot be written.
    func write(to sink: TextSink, progress: (SequenceNumber) -> Void) throws {
        try ReportPage(title: title).write(to: sink) { json in
            try json(head)
            try writeRecords(json, progress)
            try writeEvents(json, progress)
        }
    }

    private var head: String {
        let (first, last) = (range.lowerBound, range.upperBound.advanced(by: -1))
        let object: NamedValues<FieldValue> = [
            "title": .text(title), "first": .integer(Int128(first.rawValue)),
            "last": .integer(Int128(last.rawValue)), "tool": .text(Version.text),
        ]
        let json = FieldValue.map(object).jsonText()
        return String(decoding: ScriptText.escaped(json), as: UTF8.self)
    }

    /// The records that exist before the first event.
    private func writeRecords(
        _ write: (String) throws -> Void, _ progress: (SequenceNumber) -> Void
    ) throws {
        let before = range.lowerBound.advanced(by: -1)
        guard before > 0 else { return }
        let state = try archive.snapshot(asOf: .sequence(before), progress: progress)
        var block = ReportBlock()
        for entity in state.entities {
            try state.forEachRecord(entity) { record in
                try block.append(record)
                guard block.byteCount >= ReportBlock.bytesMax else { return }
                try write(block.text)
                block = ReportBlock()
            }
        }
        if !block.isEmpty { try write(block.text) }
    }

    private func writeEvents(
        _ write: (String) throws -> Void, _ progress: (SequenceNumber) -> Void
    ) throws {
        guard !range.isEmpty else { return }
        var block = ReportBlock(from: range.lowerBound)
        try archive.events(range).forEach { event in
            try block.append(event)
            progress(event.sequence)
            guard block.byteCount >= ReportBlock.bytesMax else { return }
            try write(block.text)
            block = ReportBlock(from: event.sequence.next)
        }
        if !block.isEmpty { try write(block.text) }
    }
}
