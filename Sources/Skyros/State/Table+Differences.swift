extension Table {
    /// The differences between stored records and the type of the table, among the first in the
    /// order of their hashes. O(countMax), with decoding.
    func differences(amongFirst countMax: Int) -> [SchemaDifference] {
        func compare<E: Entity>(_ type: E.Type) -> [SchemaDifference] {
            var comparison = RecordComparison<E>()
            var left = countMax
            rows.forEach { row in
                comparison.compare(row)
                left -= 1
                return left > 0
            }
            comparison.addLikelyRenames()
            return comparison.differences
        }
        return type.map { compare($0) } ?? []
    }
}
