import Foundation
import Skyros

/// A part of a report's data: consecutive events, or records of the state before the first one.
///
/// It is one JSON object, which the page parses by itself:
///
///     {"first": 4097, "times": [1772366400000000, 15, 22],
///      "table": [null, "ada", "Order", 7, "total", ["12.50"]],
///      "shapes": [[4]], "rows": [1, 0, 0, 1, 0, 2, 3, 0, 0, 5, …]}
///
/// - `times` are microseconds since 1970, the first one and then differences.
/// - `table` holds texts and values, short ones once. A float, an integer of more than 53 bits, an
///   array and a map are arrays with their JSON text, because JavaScript would not keep its digits.
/// - `shapes` are lists of field names, as places in the table.
/// - `rows` are the events: actor, reason, further metadata and the number of changes, then each
///   change: kind, entity, id, further data, and its values. Place 0 in the table means none.
///
/// A block of records has `"base"`, their number, in place of `first` and `times`; its rows are
/// changes that insert them.
struct ReportBlock {
    /// The size at which a block is written.
    static let bytesMax = 256 << 10

    private let head: String
    private var times: [Int64] = []
    private var lastTime: Int64 = 0
    private var baseCount = 0
    private var table = Table()
    private var shapes = Shapes()
    private var rows: [UInt8] = []

    /// A block of events.
    init(from first: SequenceNumber) {
        head = "\"first\":\(first)"
    }

    /// A block of records.
    init() {
        head = ""
    }

    var isEmpty: Bool { rows.isEmpty }

    /// The size of the block, about.
    var byteCount: Int { rows.count + table.byteCount + shapes.byteCount + times.count * 8 }

    mutating func append(_ event: Event) throws {
        let time = event.time.microseconds
        times.append(times.isEmpty ? time : time &- lastTime)
        lastTime = time
        let (actor, reason) = (event.metadata.actor, event.metadata.reason)
        var about = try EventText.about(event)
        for name in ["sequence", "time", "actor", "reason"] { about[name] = nil }
        append(actor.map { table.place(ofText: $0) } ?? 0)
        append(reason.map { table.place(ofText: $0) } ?? 0)
        append(place(ofAbout: about.compactMapValues { $0 }))
        append(event.changes.count)
        for (index, change) in event.changes.enumerated() {
            try append(change, about: place(ofAbout: EventText.about(event, change: index)))
        }
    }

    mutating func append(_ record: Record) throws {
        baseCount += 1
        try append(.inserted(record), about: 0)
    }

    private mutating func append(_ change: Change, about: Int) throws {
        append(Kind(change).rawValue)
        append(table.place(ofText: change.entity))
        append(change.id.map { table.place(of: $0.value) } ?? 0)
        append(about)
        switch change {
        case .inserted(let record), .deleted(let record): try append(record.fields)
        case .updated(_, _, let before, let after):
            try append(before)
            try append(after)
        case .cleared(_, let count): append(count)
        }
    }

    private mutating func append(_ fields: Fields) throws {
        let values = try fields.values
        append(shapes.place(of: values.keys.map { table.place(ofText: $0) }))
        for value in values.values { append(table.place(of: value)) }
    }

    private mutating func append(_ number: Int) {
        if !rows.isEmpty { rows.append(UInt8(ascii: ",")) }
        rows.append(contentsOf: String(number).utf8)
    }

    private mutating func place(ofAbout about: NamedValues<FieldValue>) -> Int {
        about.isEmpty ? 0 : table.place(of: .map(about))
    }

    /// The JSON object, with what HTML could take for markup escaped.
    var text: String {
        let times = times.map(String.init).joined(separator: ",")
        let head = head.isEmpty ? "\"base\":\(baseCount)" : "\(head),\"times\":[\(times)]"
        let rows = String(decoding: rows, as: UTF8.self)
        return "{\(head),\"table\":[\(table.text)],\"shapes\":[\(shapes.text)],\"rows\":[\(rows)]}"
    }

    private enum Kind: Int {
        case inserted, updated, deleted, cleared

        init(_ change: Change) {
            switch change {
            case .inserted: self = .inserted
            case .updated: self = .updated
            case .deleted: self = .deleted
            case .cleared: self = .cleared
            }
        }
    }
}

extension ReportBlock {
    /// Values in the order of their places, short ones once.
    private struct Table {
        /// The size up to which an entry is looked for among those before it.
        private static let repeatedBytesMax = 256

        // By their bytes: Swift takes different bytes for equal texts.
        private var places: [[UInt8]: Int] = [:]
        private var entries = Array("null".utf8)
        private var count = 1

        var byteCount: Int { entries.count }
        var text: String { String(decoding: entries, as: UTF8.self) }

        mutating func place(ofText text: String) -> Int { place(ofJSON: .text(text)) }

        mutating func place(of value: FieldValue) -> Int {
            switch value {
            case .null: return 0
            case .bool, .text: return place(ofJSON: value)
            case .integer(let number) where number.magnitude < 1 << 53: return place(ofJSON: value)
            default:
                // Dates, UUIDs, bytes and some others are strings in JSON.
                let json = value.jsonText()
                return json.utf8.first == UInt8(ascii: "\"")
                    ? place(ofEntry: json) : place(ofEntry: "[\(FieldValue.text(json).jsonText())]")
            }
        }

        private mutating func place(ofJSON value: FieldValue) -> Int {
            place(ofEntry: value.jsonText())
        }

        private mutating func place(ofEntry json: String) -> Int {
            let entry = ScriptText.escaped(json)
            let isShort = entry.count <= Self.repeatedBytesMax
            if isShort, let place = places[entry] { return place }
            let place = count
            if isShort { places[entry] = place }
            count += 1
            entries.append(UInt8(ascii: ","))
            entries.append(contentsOf: entry)
            return place
        }
    }

    /// Lists of field names, each once.
    private struct Shapes {
        private var places: [[Int]: Int] = [:]
        private var lists: [String] = []
        private(set) var byteCount = 0

        var text: String { lists.joined(separator: ",") }

        mutating func place(of names: [Int]) -> Int {
            if let place = places[names] { return place }
            let list = "[\(names.map(String.init).joined(separator: ","))]"
            places[names] = lists.count
            lists.append(list)
            byteCount += list.utf8.count + 1
            return lists.count - 1
        }
    }
}
