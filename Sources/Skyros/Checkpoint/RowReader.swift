import SkyrosSQLite

/// Reads the exact records of one table, and checks each against its sum.
struct RowReader: ~Copyable {
    private let entity: String
    private var hasher: StateDigest.RecordHasher

    init(entity: String) {
        self.entity = entity
        hasher = StateDigest.RecordHasher(entity: entity)
    }

    /// The current row of `statement`, valid until its next step, and its state digest.
    /// O(size of the record).
    ///
    /// - Throws: `corrupt` if the row is not as it was written.
    mutating func read(
        _ statement: Statement
    ) throws(CheckpointError) -> (row: CheckpointRow, state: StateDigest) {
        let number = statement.integer(at: 0)
        let record = statement.bytes(at: 5)
        let id = try id(statement, number, record)
        let state = hasher.hash(id: id, record: record)
        guard state.sum0 == UInt64(bitPattern: statement.integer(at: 3)) else {
            throw damage("the record does not match its sum", number)
        }
        let sequence = UInt64(bitPattern: statement.integer(at: 1))
        let version = statement.integer(at: 2)
        guard (Int64(Evolver.firstVersion)...Int64(Evolver.versionMax)).contains(version) else {
            throw damage("the record has the version \(version) of its shape", number)
        }
        let row = CheckpointRow(
            number: number, sequence: sequence, version: Int(version), id: id, record: record)
        return (row, state)
    }

    /// The id: `_id`, or if that is NULL the value of the record's field `id`.
    private func id(
        _ statement: Statement, _ number: Int64, _ record: UnsafeRawBufferPointer
    ) throws(CheckpointError) -> UnsafeRawBufferPointer {
        guard statement.isNull(at: 4) else {
            let id = statement.bytes(at: 4)
            var reader = CBORReader(id)
            guard (try? reader.skipValue()) != nil, reader.isAtEnd else {
                throw damage("_id is not one CBOR item", number)
            }
            return id
        }
        do {
            guard let range = try record.ownID else {
                throw damage("there is neither _id nor a field id", number)
            }
            return UnsafeRawBufferPointer(rebasing: record[range])
        } catch let error as CheckpointError {
            throw error
        } catch {
            throw damage("_record is not a record: \(error)", number)
        }
    }

    private func damage(_ description: String, _ number: Int64) -> CheckpointError {
        .damage(description, entity: entity, row: number)
    }
}

extension UnsafeRawBufferPointer {
    /// The place of the value of the field `id` in this record; nil if there is none.
    var ownID: Range<Int>? {
        get throws(CBORError) { try CBORReader.valueRange(of: "id", inMap: self) }
    }
}
