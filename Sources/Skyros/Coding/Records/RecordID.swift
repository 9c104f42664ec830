/// An id without its Swift type: the canonical CBOR bytes of the id.
///
/// Two records are the same if their canonical id bytes are. These bytes decide uniqueness and the
/// state digest, in the library, in the tool and in readers written in other languages alike. Rows
/// that are not sorted otherwise are in the order of their ids' values, see `<`.
public struct RecordID: Hashable, Sendable {
    package let bytes: ByteString

    package init(_ bytes: ByteString) {
        self.bytes = bytes
    }
}
