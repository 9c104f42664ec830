#if Postgres
    import SkyrosLog

    /// A parameter of a statement, in the binary form of PostgreSQL: numbers are big-endian.
    enum PostgresValue {
        case integer(Int64)
        case bytes([UInt8])
        case text(String)
        case integers([Int64])
        case byteArrays([[UInt8]])

        /// The numbers of the types, from `pg_type.dat` of PostgreSQL.
        private enum TypeNumber {
            static let bytea: Int32 = 17
            static let bigint: Int32 = 20
        }

        var encoded: [UInt8] {
            switch self {
            case .integer(let number): number.bigEndianBytes
            case .bytes(let bytes): bytes
            case .text(let text): Array(text.utf8)
            case .integers(let numbers):
                Self.array(numbers.map(\.bigEndianBytes), of: TypeNumber.bigint)
            case .byteArrays(let arrays): Self.array(arrays, of: TypeNumber.bytea)
            }
        }

        /// An array of one dimension: the number of dimensions, whether there are nulls, the type,
        /// the count, the first index, and each element after its length (`array_recv` in
        /// `arrayfuncs.c` of PostgreSQL).
        private static func array(_ elements: [[UInt8]], of type: Int32) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(20 + elements.reduce(0) { $0 + $1.count + 4 })
            for number in [1, 0, type, Int32(elements.count), 1] as [Int32] {
                bytes += number.bigEndianBytes
            }
            for element in elements {
                bytes += Int32(element.count).bigEndianBytes
                bytes += element
            }
            return bytes
        }
    }

    extension [PostgresValue] {
        /// Calls `body` with the values as libpq takes them.
        func withPointers<R>(
            _ body: (
                _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
            ) -> R
        ) -> R {
            let encoded = map(\.encoded)
            var all: [UInt8] = []
            all.reserveCapacity(encoded.reduce(1) { $0 + $1.count })
            var offsets: [Int] = []
            for value in encoded {
                offsets.append(all.count)
                all += value
            }
            // A pointer to something, also for empty values: null is NULL.
            all.append(0)
            return all.withUnsafeBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return body([], [], []) }
                return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
                    body(
                        offsets.map { start + $0 }, encoded.map { Int32($0.count) },
                        encoded.map { _ in 1 })
                }
            }
        }
    }

    extension FixedWidthInteger {
        fileprivate var bigEndianBytes: [UInt8] {
            withUnsafeBytes(of: bigEndian) { Array($0) }
        }
    }
#endif
