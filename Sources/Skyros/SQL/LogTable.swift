import Foundation
import SkyrosLog
import SkyrosSQLite

/// The events of a log, or their changes, as a table of SQL.
final class LogTable: VirtualTable {
    /// What a row is.
    enum Kind {
        case events, changes
    }

    let columns: String
    fileprivate let kind: Kind
    fileprivate let log: any LogReader
    fileprivate let last: SequenceNumber
    /// The conditions on the sequence, by the numbers of the plans.
    fileprivate var plans: [[VirtualConstraint.Operator]] = [[]]

    /// - Parameter last: the last event that it has.
    init(_ kind: Kind, _ log: any LogReader, through last: SequenceNumber) {
        self.kind = kind
        self.log = log
        self.last = last
        columns =
            switch kind {
            case .events:
                """
                sequence INTEGER, time TEXT, actor TEXT, reason TEXT, correlation TEXT, \
                causation TEXT, tags TEXT, intent TEXT, command TEXT, changes INTEGER, \
                occurredAt TEXT, key TEXT, result TEXT
                """
            case .changes:
                """
                sequence INTEGER, time TEXT, actor TEXT, entity TEXT, id BLOB, kind TEXT, \
                before TEXT, after TEXT, count INTEGER
                """
            }
    }

    func makeCursor() -> any VirtualCursor { LogCursor(self) }

    func plan(_ constraints: [VirtualConstraint]) -> VirtualPlan {
        let used = constraints.indices.filter {
            constraints[$0].column == 0 && constraints[$0].operator != nil
        }
        let operators = used.compactMap { constraints[$0].operator }
        plans.append(operators)
        let count = Int(clamping: last.rawValue)
        let share = operators.contains(.equal) ? 1 : operators.isEmpty ? count : count / 4
        return VirtualPlan(
            number: Int32(plans.count - 1), constraints: used, rowCount: max(1, share),
            cost: Double(share) * 10 + 100)
    }
}

/// A position in the rows of a `LogTable`.
private final class LogCursor: VirtualCursor {
    private let table: LogTable
    private var buffer: EventBuffer
    private var last: SequenceNumber
    private var event: Event?
    /// The current change, in the table of changes.
    private var index = 0

    init(_ table: LogTable) {
        self.table = table
        buffer = EventBuffer(table.log, next: EventReader(table.log).first)
        last = table.last
    }

    var isAtEnd: Bool { event == nil }

    /// A number that depends only on the row: for `a OR b`, SQLite scans the table twice and takes
    /// rows with equal numbers for one row.
    ///
    /// Two changes have different numbers unless 2^36 events are between theirs: an event has at
    /// most 2^30 bytes, and a change has more than four, so that its index has at most 28 bits.
    var rowNumber: Int64 {
        let sequence = event?.sequence.rawValue ?? 0
        switch table.kind {
        case .events: return Int64(truncatingIfNeeded: sequence)
        case .changes: return Int64(truncatingIfNeeded: sequence << 28 | UInt64(index))
        }
    }

    func start(_ plan: Int32, _ values: [VirtualValue]) throws {
        var first = Int64(clamping: table.log.firstSequence)
        var end = Int64(clamping: table.last.rawValue)
        // The last event that a condition asks for.
        var asked: Int64?
        for (condition, value) in zip(table.plans[Int(plan)], values) {
            // SQLite compares the row again: what is no integer only bounds less.
            guard case .integer(let number) = value else { continue }
            if condition == .equal || condition == .greater || condition == .greaterOrEqual {
                first = max(first, number)
            }
            if condition == .equal || condition == .less || condition == .lessOrEqual {
                end = min(end, number)
                asked = min(asked ?? number, number)
            }
        }
        // Without a condition that asks for pruned events, there are none up to the moment.
        if let asked, asked > 0, end < first, asked < table.log.firstSequence {
            throw StoreError.belowFloor("event \(asked) is not kept", EventReader(table.log).first)
        }
        buffer = EventBuffer(table.log, next: SequenceNumber(rawValue: UInt64(first)))
        last = SequenceNumber(rawValue: UInt64(max(0, end)))
        try nextEvent()
    }

    func advance() throws {
        index += 1
        if let event, table.kind == .changes, index < event.changes.count { return }
        try nextEvent()
    }

    private func nextEvent() throws {
        index = 0
        repeat {
            event = try buffer.next(through: last)
        } while table.kind == .changes && event?.changes.isEmpty == true
    }

    func value(of column: Int, to result: VirtualResult) throws {
        guard let event else { return }
        func set(_ text: String?) {
            if let text { result.set(text: text) }
        }
        switch (table.kind, column) {
        case (_, 0): result.set(integer: Int64(clamping: event.sequence.rawValue))
        case (_, 1): set(event.time.description)
        case (_, 2): set(event.metadata.actor)
        case (.events, 3): set(event.metadata.reason)
        case (.events, 4): set(event.metadata.correlation)
        case (.events, 5): set(event.metadata.causation)
        case (.events, 6):
            let tags = event.metadata.tags
            if !tags.isEmpty { set(FieldValue.map(tags.mapValues { .text($0) }).jsonText()) }
        case (.events, 7): set(event.intent?.name)
        case (.events, 8): set(try event.intent?.value.readableText())
        case (.events, 9): result.set(integer: Int64(event.changes.count))
        case (.events, 10): set(event.metadata.occurredAt?.description)
        case (.events, 11): set(event.key)
        case (.events, _): set(try event.intent?.output?.readableText())
        case (.changes, _): try setValue(of: event.changes[index], column, result)
        }
    }

    private func setValue(
        of change: Change, _ column: Int, _ result: VirtualResult
    ) throws {
        switch (change, column) {
        case (_, 3): result.set(text: change.entity)
        case (_, 4): if let id = change.id { try Self.set(id, result) }
        case (.inserted, 5): result.set(text: "inserted")
        case (.updated, 5): result.set(text: "updated")
        case (.deleted, 5): result.set(text: "deleted")
        case (.cleared, 5): result.set(text: "cleared")
        case (.updated(_, _, let before, _), 6): Self.set(try before.value, result)
        case (.deleted(let record), 6): Self.set(try record.fields.value, result)
        case (.inserted(let record), 7): Self.set(try record.fields.value, result)
        case (.updated(_, _, _, let after), 7): Self.set(try after.value, result)
        case (.cleared(_, let count), 8): result.set(integer: Int64(count))
        default: break
        }
    }

    /// Fields as JSON whose dates are those of the entity's columns.
    private static func set(_ fields: FieldValue, _ result: VirtualResult) {
        result.set(text: fields.readableText())
    }

    /// An id in the form in which the column `id` of its table shows it.
    private static func set(_ id: RecordID, _ result: VirtualResult) throws {
        try id.bytes.withUnsafeBytes { id in
            guard let kind = try ColumnKind(decidedBy: id) else { return }
            result.set(ColumnValue.queried(id, of: id, in: kind))
        }
    }
}
