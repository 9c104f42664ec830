/// The events that have a label, as a run stores them: sequences in ascending order.
///
/// A list is one or more arrays of CBOR: 4, the first sequence, and a byte string with the
/// distances to the next ones, each in seven bits a byte (LEB128).
enum Postings {
    /// What a version has in place of this is its kind.
    static let kind: UInt8 = 4

    /// A longer list is several arrays, so that one fits a frame.
    private static let countMax = 2048

    /// Writes sequences, which ascend.
    static func append(_ sequences: [UInt64], to writer: inout CBORWriter) {
        var start = 0
        while start < sequences.count {
            let end = min(start + countMax, sequences.count)
            var distances: [UInt8] = []
            for index in start + 1..<end {
                append(sequences[index] - sequences[index - 1], to: &distances)
            }
            writer.appendArrayHead(3)
            writer.append(UInt64(kind))
            writer.append(sequences[start])
            writer.append(bytes: distances)
            start = end
        }
    }

    private static func append(_ distance: UInt64, to bytes: inout [UInt8]) {
        var rest = distance
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Reads one array, and calls `body` with its sequences.
    static func forEach(
        _ reader: inout CBORReader, _ body: (UInt64) -> Void
    ) throws(CBORError) {
        let start = reader.offset
        let damage = CBORError(.unexpectedType(.array), at: start)
        guard try reader.readArrayHead() == 3, try reader.readInteger(UInt8.self) == kind else {
            throw damage
        }
        var sequence = try reader.readInteger(UInt64.self)
        body(sequence)
        var (distance, shift): (UInt64, UInt64) = (0, 0)
        for byte in try reader.readBytes() {
            guard shift < 63 else { throw damage }
            distance |= UInt64(byte & 0x7F) << shift
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            let (next, isOverflow) = sequence.addingReportingOverflow(distance)
            guard !isOverflow, distance > 0 else { throw damage }
            sequence = next
            body(sequence)
            (distance, shift) = (0, 0)
        }
        guard shift == 0 else { throw damage }
    }

    /// What two ascending lists have in common.
    static func common(_ a: [UInt64], _ b: [UInt64]) -> [UInt64] {
        var (result, i, j): ([UInt64], Int, Int) = ([], 0, 0)
        while i < a.count, j < b.count {
            if a[i] == b[j] { result.append(a[i]) }
            (i, j) = (a[i] <= b[j] ? i + 1 : i, b[j] <= a[i] ? j + 1 : j)
        }
        return result
    }
}
