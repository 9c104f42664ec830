extension StoredProjection {
    /// Appends `[name, version, sequence, value or null, kind, event and message of the failure or
    /// three times null]`.
    func append(to writer: inout CBORWriter) {
        writer.appendArrayHead(7)
        writer.append(text: name)
        writer.append(Int64(version))
        writer.append(sequence.rawValue)
        if let value { writer.append(bytes: value) } else { writer.appendNull() }
        if let failure {
            writer.append(failure.kind.rawValue)
            writer.append(failure.sequence.rawValue)
            writer.append(text: failure.message)
        } else {
            for _ in 0..<3 { writer.appendNull() }
        }
    }

    /// Reads what `append` has written.
    init(_ reader: inout CBORReader) throws(CBORError) {
        let start = reader.offset
        guard try reader.readArrayHead() == 7 else {
            throw CBORError(.unexpectedType(.array), at: start)
        }
        name = try reader.readText()
        version = try reader.readInteger(Int.self)
        sequence = SequenceNumber(rawValue: try reader.readInteger(UInt64.self))
        value = try reader.readNullIfPresent() ? nil : [UInt8](reader.readBytes())
        let hasFailed = try !reader.readNullIfPresent()
        guard hasFailed else {
            for _ in 0..<2 {
                guard try reader.readNullIfPresent() else {
                    throw CBORError(.unexpectedType(.simple), at: reader.offset)
                }
            }
            return
        }
        guard let kind = ProjectionFailure.Kind(rawValue: try reader.readInteger(Int64.self)) else {
            throw CBORError(.unexpectedType(.unsigned), at: start)
        }
        let event = SequenceNumber(rawValue: try reader.readInteger(UInt64.self))
        failure = ProjectionFailure(kind, at: event, try reader.readText())
    }
}
