/// A row in a leaf of a `RowTrie`: where it is, and 16 bits of its hash, in one word.
///
/// A lookup compares the bits of many rows before it touches one. Side by side in one word, they
/// come from memory together with the address that is wanted next: a lookup waits once for the
/// leaf and once for the row.
///
///     ┌──────────────────┬───────────────────────────────────────────────┐
///     │ fingerprint (16) │ address of the row (48)                       │
///     └──────────────────┴───────────────────────────────────────────────┘
///
/// User-space addresses have at most 47 bits on x86-64 (Intel SDM, volume 1, 3.3.7.1), and at
/// most 48 on arm64, unless a program asks the system for more; this one never does.
struct RowTrieEntry {
    private static let addressBits: UInt64 = 48
    private static let addressMask: UInt64 = 1 &<< addressBits &- 1

    private var word: UInt64

    init(_ row: Unmanaged<Row>, fingerprint: UInt16) {
        let address = UInt64(UInt(bitPattern: row.toOpaque()))
        precondition(address <= Self.addressMask, "an address of more than 48 bits")
        word = UInt64(fingerprint) &<< Self.addressBits | address
    }

    var fingerprint: UInt16 { UInt16(truncatingIfNeeded: word &>> Self.addressBits) }

    var row: Unmanaged<Row> {
        // The address came from a row, so it is none of the null page.
        Unmanaged.fromOpaque(
            UnsafeRawPointer(bitPattern: UInt(word & Self.addressMask)).unsafelyUnwrapped)
    }
}
