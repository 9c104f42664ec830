import SkyrosLog

/// Parts of two canonical maps, chosen by the keys that they have in common.
extension Fields {
    /// The fields of `first` whose keys `second` does not have. O(n).
    static func subtracting(_ second: [UInt8], from first: [UInt8]) throws(CBORError) -> [UInt8] {
        try combine(first, second, keepsFirst: true, keepsCommon: false, keepsSecond: false)
    }

    /// The fields of `first` whose keys `second` has too. O(n).
    static func intersecting(
        _ first: [UInt8], with second: [UInt8]
    ) throws(CBORError) -> [UInt8] {
        try combine(first, second, keepsFirst: false, keepsCommon: true, keepsSecond: false)
    }

    /// The fields of both; where they have a key in common, that of `first`. O(n).
    static func uniting(_ first: [UInt8], with second: [UInt8]) throws(CBORError) -> [UInt8] {
        try combine(first, second, keepsFirst: true, keepsCommon: true, keepsSecond: true)
    }

    private static func combine(
        _ first: [UInt8], _ second: [UInt8], keepsFirst: Bool, keepsCommon: Bool, keepsSecond: Bool
    ) throws(CBORError) -> [UInt8] {
        var result = FieldCollector()
        try first.withBytes { firstBytes throws(CBORError) in
            try second.withBytes { secondBytes throws(CBORError) in
                var first = try RecordCursor(firstBytes)
                var second = try RecordCursor(secondBytes)
                while first.current != nil || second.current != nil {
                    let order = first.compareKey(to: second)
                    let isKept = order < 0 ? keepsFirst : order == 0 ? keepsCommon : keepsSecond
                    if isKept { result.append(order > 0 ? second.field : first.field) }
                    if order <= 0 { try first.advance() }
                    if order >= 0 { try second.advance() }
                }
            }
        }
        return result.map
    }

    /// Whether `first` has a key that `second` does not have. O(n).
    static func hasKey(of first: [UInt8], missingIn second: [UInt8]) throws(CBORError) -> Bool {
        try first.withBytes { firstBytes throws(CBORError) in
            try second.withBytes { secondBytes throws(CBORError) in
                var first = try RecordCursor(firstBytes)
                var second = try RecordCursor(secondBytes)
                while first.current != nil {
                    let order = first.compareKey(to: second)
                    if order < 0 { return true }
                    if order == 0 { try first.advance() }
                    try second.advance()
                }
                return false
            }
        }
    }
}

extension Fields {
    /// The names of the fields that differ, in canonical order. O(n).
    static func changedNames(
        from old: [UInt8], to new: [UInt8]
    ) throws(CBORError) -> [String] {
        guard let (before, after) = try difference(from: old, to: new) else { return [] }
        var names = NamedValues<Void>()
        for name in Fields(trusted: before).names + Fields(trusted: after).names {
            names[name] = ()
        }
        return Array(names.keys)
    }
}
