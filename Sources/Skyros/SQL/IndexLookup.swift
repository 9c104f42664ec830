import Foundation
import SkyrosSQLite

/// A lookup in an index of the store for values of SQL.
///
/// It is made only where the index has all rows that SQL finds: for kinds of columns whose values
/// are all of one rank in index keys, and for numbers that a float holds exactly.
struct IndexLookup {
    private let index: TableIndex
    private let kind: ColumnKind

    init(_ index: TableIndex, _ kind: ColumnKind) {
        self.index = index
        self.kind = kind
    }

    /// Whether the first field of an index has values of one rank, which the kind shows.
    static func serves(_ definition: IndexDefinition, _ kind: ColumnKind) -> Bool {
        guard let ranks = definition.firstRanks else { return false }
        switch kind {
        case .integer, .real: return ranks == IndexKey.Rank.number...IndexKey.Rank.nan
        case .text: return ranks == IndexKey.Rank.text...IndexKey.Rank.text
        case .uuid: return ranks == IndexKey.Rank.uuid...IndexKey.Rank.uuid
        case .boolean, .bytes, .date, .url, .decimal, .json: return false
        }
    }

    /// The rows that fulfil all conditions, and maybe others; nil if the index cannot tell.
    func rows(_ conditions: [(VirtualConstraint.Operator, VirtualValue)]) -> [Row]? {
        var lower: ByteString?
        var upper: ByteString?
        for (condition, value) in conditions {
            guard let component = component(of: value) else { return nil }
            let end = ByteString(IndexKey.upperBound(ofPrefix: component.array))
            if condition != .less, condition != .lessOrEqual {
                lower = lower.map { max($0, component) } ?? component
            }
            if condition != .greater, condition != .greaterOrEqual {
                upper = upper.map { min($0, end) } ?? end
            }
        }
        return scan(lower, upper)
    }

    private func scan(_ lower: ByteString?, _ upper: ByteString?) -> [Row] {
        // Without a bound, from the first to the last number: other values are NULL to SQL.
        let first = lower ?? ByteString([IndexKey.Rank.number])
        let end = upper ?? ByteString([IndexKey.Rank.nan])
        guard first < end else { return [] }
        var rows: [Row] = []
        index.tree.scanRows(
            from: IndexBTree.Bound(key: first, isInclusive: true),
            to: IndexBTree.Bound(key: end, isInclusive: false)
        ) { row in
            rows.append(row)
            return true
        }
        return rows
    }

    /// The beginning of the keys with this value.
    private func component(of value: VirtualValue) -> ByteString? {
        guard let value = fieldValue(of: value), let bytes = try? value.encoded() else {
            return nil
        }
        return bytes.withUnsafeBytes { try? IndexKey.append($0, to: ByteString([])) }
    }

    private func fieldValue(of value: VirtualValue) -> FieldValue? {
        // Beyond, a column may show the float that is nearest to an integer.
        let exactMax = 0x1p53
        switch (kind, value) {
        case (.integer, .integer(let number)), (.real, .integer(let number)):
            return Double(number).magnitude < exactMax ? .integer(Int128(number)) : nil
        case (.integer, .real(let number)), (.real, .real(let number)):
            return number.magnitude < exactMax ? .double(number) : nil
        case (.text, .text(let bytes)):
            guard let text = String(validating: bytes, as: UTF8.self),
                // A column shows this character for a NUL, too, which the keys keep.
                !text.unicodeScalars.contains("\u{FFFD}")
            else { return nil }
            return .text(text)
        case (.uuid, .text(let bytes)):
            return UUID(uuidString: String(decoding: bytes, as: UTF8.self)).map { .uuid($0) }
        default: return nil
        }
    }
}
