import Foundation

/// The sort of a request for pages, and the record after which a page begins.
struct PagePosition<E: Entity> {
    private let keys: [CursorKey<E>]
    private let signature: UInt64
    /// The position in the request's order; nil for the beginning.
    let start: Start?

    /// A position after one record.
    struct Start {
        /// The order of a record's sort keys relative to those of the cursor.
        fileprivate let comparisons: [(E) -> ComparisonResult]
        fileprivate let id: RecordID
        /// The components of the keys in an index; nil if their order there may be another.
        let components: [UInt8]?
    }

    /// - Parameter request: a request whose default order is resolved.
    /// - Throws: `StoreError` with `.invalidCursor`, or `.invalidInput` if the order has no
    ///   cursors.
    init(_ request: FetchRequest<E>, after cursor: PageCursor?) throws {
        keys = try request.sort.map { sort in
            guard let key = sort.cursorKey() else {
                throw StoreError(
                    .invalidInput,
                    "pages of \"\(E.entityName)\" are sorted by Codable fields: "
                        + ".ascending(\\.field), not by a sort descriptor",
                    at: StoreError.Place(entity: E.entityName))
            }
            return key
        }
        signature = PageCursor.hash(RequestSignature.of(request, keys))
        start = try cursor.map { [keys, signature] cursor in
            guard cursor.request == signature, cursor.keys.count == keys.count else {
                throw StoreError.invalidCursor(of: E.entityName)
            }
            return try Start(cursor, keys, request.sort)
        }
    }

    /// Whether a record is after the position.
    func isBefore(_ value: E, _ id: RecordID) -> Bool {
        guard let start else { return true }
        for comparison in start.comparisons {
            switch comparison(value) {
            case .orderedAscending: return false
            case .orderedDescending: return true
            case .orderedSame: continue
            }
        }
        return start.id < id
    }

    /// The cursor after a record.
    func cursor(after value: E, _ id: RecordID) throws -> PageCursor {
        PageCursor(request: signature, keys: try keys.map { try $0.encode(value) }, id: id)
    }
}

extension PagePosition.Start {
    fileprivate init(
        _ cursor: PageCursor, _ keys: [CursorKey<E>], _ sort: [Sort<E>]
    ) throws {
        id = cursor.id
        do {
            comparisons = try zip(zip(keys, sort), cursor.keys).map { parts, bytes in
                let (key, sort) = parts
                let comparison = try key.comparison(bytes)
                if sort.isAscending { return comparison }
                return { comparison($0).reversed }
            }
        } catch {
            throw StoreError.invalidCursor(of: E.entityName, cause: String(describing: error))
        }
        components = IndexKey.regularComponents(of: cursor.keys)
    }
}

extension IndexKey {
    /// The components of encoded values; nil if their order could be another than that of the
    /// values.
    static func regularComponents(of values: [[UInt8]]) -> [UInt8]? {
        var builder = Builder()
        for value in values {
            let added: Void? = value.withUnsafeBytes { bytes in
                try? builder.append(0..<bytes.count, of: bytes)
            }
            if added == nil { return nil }
        }
        return builder.isRegular && builder.isExpected ? builder.key.array : nil
    }
}

extension ComparisonResult {
    fileprivate var reversed: ComparisonResult {
        switch self {
        case .orderedAscending: .orderedDescending
        case .orderedSame: .orderedSame
        case .orderedDescending: .orderedAscending
        }
    }
}
