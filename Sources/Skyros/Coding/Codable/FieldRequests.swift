/// The fields of a record for which a decoder was asked.
///
/// Of up to 64 fields a bit each, because each decoded field sets one.
struct FieldRequests {
    /// The fields by their places in canonical order.
    private var bits: UInt64 = 0
    private var further: Set<Int> = []
    /// Whether the type asked for all keys, as enumerations and dictionaries do.
    private var isWhole = false
    /// The number of the record's fields; nil until they were listed.
    private var count: Int?

    /// Whether each field of the record was asked for.
    var areAll: Bool {
        guard let count else { return false }
        if isWhole || count == 0 { return true }
        guard count <= 64 else { return further.count == count - 64 && bits == .max }
        return bits == UInt64.max >> UInt64(64 - count)
    }

    /// Whether the field at this place in canonical order was asked for.
    func contains(_ index: Int) -> Bool {
        if isWhole { return true }
        return index < 64 ? bits & (1 << UInt64(index)) != 0 : further.contains(index)
    }

    mutating func noteFields(_ count: Int) {
        self.count = count
    }

    /// Takes note that the type asked for all keys.
    mutating func noteAll() {
        isWhole = true
    }

    /// Takes note that the type asked for a field. O(1).
    @inline(__always)
    mutating func note(_ index: Int) {
        guard index < 64 else { return noteFurther(index) }
        bits |= 1 &<< UInt64(truncatingIfNeeded: index)
    }

    @inline(never)
    private mutating func noteFurther(_ index: Int) {
        further.insert(index)
    }

    /// Forgets everything, for the next call.
    mutating func reset() {
        (bits, isWhole, count) = (0, false, nil)
        if !further.isEmpty { further = [] }
    }
}
