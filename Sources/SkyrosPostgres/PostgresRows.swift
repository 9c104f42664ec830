#if Postgres
    import CPQ
    import SkyrosLog

    /// The rows of a statement, in binary form.
    final class PostgresRows {
        let result: OpaquePointer

        init(_ result: OpaquePointer) {
            self.result = result
        }

        deinit {
            PQclear(result)
        }

        var count: Int { Int(PQntuples(result)) }

        /// The rows that the statement has added or changed; nil if it is no such statement.
        var changedCount: Int? { Int(String(cString: PQcmdTuples(result))) }

        func isNull(_ row: Int, _ column: Int) -> Bool {
            PQgetisnull(result, Int32(row), Int32(column)) != 0
        }

        /// The bytes of a `bytea` or `text`; none for null.
        func bytes(_ row: Int, _ column: Int) -> [UInt8] {
            let count = Int(PQgetlength(result, Int32(row), Int32(column)))
            guard count > 0, let start = PQgetvalue(result, Int32(row), Int32(column)) else {
                return []
            }
            return Array(UnsafeRawBufferPointer(start: start, count: count))
        }

        func text(_ row: Int, _ column: Int) -> String {
            String(decoding: bytes(row, column), as: UTF8.self)
        }

        /// A `bigint`, `integer` or `smallint`; nil for null and for other types.
        func integer(_ row: Int, _ column: Int) -> Int64? {
            // The numbers of the types, from `pg_type.dat` of PostgreSQL.
            guard !isNull(row, column), [20, 21, 23].contains(PQftype(result, Int32(column)))
            else { return nil }
            let bytes = bytes(row, column)
            guard !bytes.isEmpty else { return nil }
            // Ones before a negative number.
            let start: Int64 = bytes[0] & 0x80 == 0 ? 0 : -1
            return bytes.reduce(start) { $0 << 8 | Int64($1) }
        }

        /// A `boolean`; nil for null.
        func boolean(_ row: Int, _ column: Int) -> Bool? {
            isNull(row, column) ? nil : bytes(row, column) == [1]
        }
    }
#endif
