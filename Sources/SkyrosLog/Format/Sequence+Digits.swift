extension Sequence<UInt8> {
    /// The bytes as lowercase hex digits, two for each.
    package var hexDigits: String { map { UInt64($0).digits(2, radix: 16) }.joined() }
}
