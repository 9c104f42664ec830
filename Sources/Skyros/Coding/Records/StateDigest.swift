import SkyrosLog

/// A hash of 128 bits over all records of a state. Equal states have equal digests.
///
/// It is the sum, modulo 2 to the 64, of the XXH64 of the canonical CBOR of `[entity, id, record]`
/// over all records, once under seed 0 and once under seed 1. A sum does not depend on order and
/// is updated incrementally: a changed record's old term is subtracted and its new one added.
///
///     let digest = try store.snapshot.digest()
///     print(digest)       // 9ecd446dba58cfd1ccafca6ed5e9549c
///
/// It detects mistakes, but an adversary can produce any value.
public struct StateDigest: Hashable, Sendable {
    /// The sum under seed 0; of a single record, its term of that sum.
    private(set) var sum0: UInt64 = 0
    private var sum1: UInt64 = 0

    /// The digest of an empty state.
    package init() {}

    /// Adds a record, given as its canonical map. O(n); thread-safe like any value.
    package mutating func add(
        entity: String, id: RecordID, record: UnsafeRawBufferPointer
    ) {
        var hasher = RecordHasher(entity: entity)
        add(id.bytes.withUnsafeBytes { hasher.hash(id: $0, record: record) })
    }

    /// Adds the records of another digest, as if both were of one state.
    package mutating func add(_ other: StateDigest) {
        sum0 &+= other.sum0
        sum1 &+= other.sum1
    }

    /// Subtracts what `add(_:)` added.
    package mutating func remove(_ other: StateDigest) {
        sum0 &-= other.sum0
        sum1 &-= other.sum1
    }

    /// Computes the digests of single records of one entity.
    package struct RecordHasher: ~Copyable {
        private var scratch = CBORWriter(capacity: 512)
        private let prefixCount: Int

        package init(entity: String) {
            scratch.appendArrayHead(3)
            scratch.append(text: entity)
            prefixCount = scratch.count
        }

        /// The digest of one record, to be added or removed. O(n).
        package mutating func hash(
            id: UnsafeRawBufferPointer, record: UnsafeRawBufferPointer
        ) -> StateDigest {
            scratch.truncate(to: prefixCount)
            scratch.append(raw: id)
            scratch.append(raw: record)
            var digest = StateDigest()
            scratch.withUnsafeBytes { bytes in
                digest.sum0 = XXH64.hash(bytes, seed: 0)
                digest.sum1 = XXH64.hash(bytes, seed: 1)
            }
            return digest
        }
    }
}

extension StateDigest: CustomStringConvertible {
    /// 32 hex digits, the sum under seed 0 first.
    public var description: String { sum0.digits(16, radix: 16) + sum1.digits(16, radix: 16) }
}

extension StateDigest {
    /// The digest that `description` gave; nil for anything but 32 lowercase hex digits.
    package init?(description: String) {
        guard description.utf8.count == 32,
            let sum0 = HexText.number(String(description.prefix(16))),
            let sum1 = HexText.number(String(description.suffix(16)))
        else { return nil }
        self.sum0 = sum0
        self.sum1 = sum1
    }
}
