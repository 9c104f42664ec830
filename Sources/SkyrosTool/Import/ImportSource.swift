import Skyros

/// One record of an import's input, before its values have their kinds.
struct ImportRow {
    let entity: String
    let id: FieldValue
    let fields: NamedValues<FieldValue>
    /// The field that holds the id, if there is one.
    let idField: String?
    /// The place in the input, for error messages: `line 7`.
    let place: String
}

/// The input of an import. Each reading gives the same rows in the same order.
protocol ImportSource {
    /// The kinds that its texts may have, unless the arguments name one.
    var guessedKinds: [FieldKind] { get }

    /// Calls `body` with each row.
    ///
    /// - Throws: `StoreError` with `.invalidInput`, naming the place; what `body` throws.
    func forEachRow(_ body: (ImportRow) throws -> Void) throws
}

extension StoreError {
    /// The error of an input that cannot be imported.
    static func input(_ place: String, _ problem: String) -> StoreError {
        StoreError(.invalidInput, "\(place): \(problem). Nothing was imported")
    }
}
