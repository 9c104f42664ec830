/// An id without its Swift type: the canonical CBOR bytes of the id.
///
/// Two records are the same if their canonical id bytes are. These bytes decide uniqueness,
/// the order of rows that are not sorted otherwise, and the state digest, in the library, in
/// the tool and in readers written in other languages alike.
public struct RecordID: Hashable, Sendable {
    package let bytes: ByteString

    package init(_ bytes: ByteString) {
        self.bytes = bytes
    }
}

extension RecordID: Comparable {
    /// The order of the canonical bytes.
    public static func < (a: RecordID, b: RecordID) -> Bool {
        a.bytes < b.bytes
    }
}
