import SkyrosSQLite

extension RowReader {
    /// Appends the value of one column that is not NULL; false when it is not of `kind`.
    @inline(__always)
    mutating func appendValue(
        _ row: Statement, _ type: StorageType, at column: Int32, _ kind: ColumnKind
    ) -> Bool {
        switch kind {
        case .integer:
            guard case .integer = type else { return false }
            record.append(row.integer(at: column))
            return true
        case .real:
            guard case .real = type else { return false }
            record.append(row.real(at: column))
            return true
        case .text:
            guard case .text = type else { return false }
            return appendText(row.bytes(at: column))
        case .boolean:
            guard case .integer = type else { return false }
            return appendBoolean(row.integer(at: column))
        case .bytes:
            guard case .blob = type else { return false }
            record.append(bytes: row.bytes(at: column))
            return true
        case .date:
            guard case .real = type else { return false }
            record.appendTag(CBORFormat.Tag.date)
            record.append(row.real(at: column))
            return true
        case .uuid, .url, .decimal, .json:
            guard case .text = type else { return false }
            return appendFromText(row.bytes(at: column), kind)
        }
    }

    private mutating func appendFromText(
        _ text: UnsafeRawBufferPointer, _ kind: ColumnKind
    ) -> Bool {
        switch kind {
        case .uuid: return appendUUID(text)
        case .decimal: return DecimalText.append(text, to: &record)
        case .json: return JSONColumn.append(json: text, to: &record) && SQLiteText.isPlain(text)
        default:
            record.appendTag(CBORFormat.Tag.url)
            return appendText(text)
        }
    }

    private mutating func appendText(_ text: UnsafeRawBufferPointer) -> Bool {
        guard SQLiteText.isPlain(text) else { return false }
        record.append(utf8: text)
        return true
    }

    private mutating func appendBoolean(_ value: Int64) -> Bool {
        record.append(value == 1)
        return value == 0 || value == 1
    }

    private mutating func appendUUID(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let words = UUIDText.read(text) else { return false }
        record.appendTag(CBORFormat.Tag.uuid)
        withUnsafeBytes(of: words) { record.append(bytes: $0) }
        return true
    }
}
