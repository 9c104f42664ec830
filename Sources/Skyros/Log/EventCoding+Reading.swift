extension EventCoding {
    /// Reads the event that `bytes` are. O(size).
    ///
    /// - Throws: `StoreError` with `.invalidEvent` if they are no event, or not the one with
    ///   the sequence `expected`.
    static func event(
        from bytes: UnsafeRawBufferPointer, expecting expected: SequenceNumber
    ) throws -> Event {
        do {
            let event = try read(bytes)
            guard event.sequence == expected else {
                throw invalid("it says that it is event \(event.sequence)", expected)
            }
            return event
        } catch let error as CBORError {
            throw invalid(error.description, expected)
        } catch let error as Malformed {
            throw invalid(error.why, expected)
        }
    }

    private struct Malformed: Error {
        let why: String
    }

    private static func invalid(_ why: String, _ sequence: SequenceNumber) -> StoreError {
        StoreError(
            .invalidEvent, "event \(sequence) cannot be understood: \(why)",
            at: StoreError.Place(sequences: sequence...sequence))
    }

    private static func read(_ bytes: UnsafeRawBufferPointer) throws -> Event {
        var sequence: UInt64?
        var time: Int64?
        var metadata = Metadata()
        var intent: Intent?
        var changes: [Change] = []
        var fields = try CBORFields(bytes)
        while let field = try fields.next() {
            var value = CBORReader(UnsafeRawBufferPointer(rebasing: bytes[field.value]))
            switch String(decoding: bytes[field.key], as: UTF8.self) {
            case Key.sequence: sequence = try value.readInteger(UInt64.self)
            case Key.time: time = try value.readInteger(Int64.self)
            case Key.actor: metadata.actor = try value.readText()
            case Key.reason: metadata.reason = try value.readText()
            case Key.correlation: metadata.correlation = try value.readText()
            case Key.causation: metadata.causation = try value.readText()
            case Key.tags: metadata.tags = try readTags(value.bytes)
            case Key.intent: intent = try readIntent(value.bytes)
            case Key.changes: changes = try readChanges(&value)
            case let other: throw Malformed(why: "its field \"\(other)\" is unknown")
            }
        }
        guard let sequence, let time else {
            throw Malformed(why: "it has no sequence or no time")
        }
        return Event(
            sequence: SequenceNumber(rawValue: sequence), time: EventTime(microseconds: time),
            metadata: metadata, intent: intent, changes: changes)
    }

    private static func readTags(_ bytes: UnsafeRawBufferPointer) throws -> [String: String] {
        var tags: [String: String] = [:]
        var fields = try CBORFields(bytes)
        while let field = try fields.next() {
            var value = CBORReader(UnsafeRawBufferPointer(rebasing: bytes[field.value]))
            tags[String(decoding: bytes[field.key], as: UTF8.self)] = try value.readText()
        }
        return tags
    }

    private static func readIntent(_ bytes: UnsafeRawBufferPointer) throws -> Intent {
        var name: String?
        var encoded: [UInt8]?
        var fields = try CBORFields(bytes)
        while let field = try fields.next() {
            let content = UnsafeRawBufferPointer(rebasing: bytes[field.value])
            switch String(decoding: bytes[field.key], as: UTF8.self) {
            case Key.name:
                var reader = CBORReader(content)
                name = try reader.readText()
            case Key.value: encoded = [UInt8](content)
            case let other: throw Malformed(why: "its intent's field \"\(other)\" is unknown")
            }
        }
        guard let name, let encoded else {
            throw Malformed(why: "its intent has no name or no value")
        }
        return Intent(name: name, encoded: encoded)
    }

    private static func readChanges(_ reader: inout CBORReader) throws -> [Change] {
        let count = try reader.readArrayHead()
        var changes: [Change] = []
        for _ in 0..<count {
            let range = try reader.skipValue(depth: 2)
            changes.append(try readChange(UnsafeRawBufferPointer(rebasing: reader.bytes[range])))
        }
        return changes
    }

    private static func readChange(_ bytes: UnsafeRawBufferPointer) throws -> Change {
        var entity: String?
        var id: RecordID?
        var before: [UInt8]?
        var after: [UInt8]?
        var cleared: Int?
        var fields = try CBORFields(bytes)
        while let field = try fields.next() {
            let content = UnsafeRawBufferPointer(rebasing: bytes[field.value])
            var value = CBORReader(content)
            switch String(decoding: bytes[field.key], as: UTF8.self) {
            case Key.entity: entity = try value.readText()
            case Key.id: id = RecordID(ByteString(content))
            case Key.before: before = try readFields(content)
            case Key.after: after = try readFields(content)
            case Key.cleared: cleared = try value.readInteger(Int.self)
            case let other: throw Malformed(why: "a change's field \"\(other)\" is unknown")
            }
        }
        switch (entity, id, before, after, cleared) {
        case (let entity?, let id?, nil, let after?, nil):
            return .inserted(Record(entity: entity, id: id, fields: Fields(trusted: after)))
        case (let entity?, let id?, let before?, let after?, nil):
            return .updated(
                entity: entity, id: id, before: Fields(trusted: before),
                after: Fields(trusted: after))
        case (let entity?, let id?, let before?, nil, nil):
            return .deleted(Record(entity: entity, id: id, fields: Fields(trusted: before)))
        case (let entity?, nil, nil, nil, let count?) where count >= 0:
            return .cleared(entity: entity, count: count)
        default:
            throw Malformed(why: "a change is neither insertion, update, deletion nor clearing")
        }
    }

    private static func readFields(_ bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
        var fields = try CBORFields(bytes)
        while try fields.next() != nil {}
        return [UInt8](bytes)
    }
}
