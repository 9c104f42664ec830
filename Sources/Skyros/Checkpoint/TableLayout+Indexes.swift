extension TableLayout.Entity {
    /// The fields of the indexes as JSON, an array of arrays of names.
    var indexText: String {
        FieldValue.array(indexes.map { .array($0.map { .text($0) }) }).jsonText()
    }

    /// Sets the indexes that a text names; returns false if it is not such a text.
    mutating func setIndexes(_ text: String) -> Bool {
        guard let all = (try? FieldValue(json: text))?.array else { return false }
        indexes = []
        for index in all {
            guard let fields = index.array, !fields.isEmpty else { return false }
            let names = fields.compactMap(\.text)
            guard names.count == fields.count else { return false }
            indexes.append(names)
        }
        return indexText == text
    }
}
