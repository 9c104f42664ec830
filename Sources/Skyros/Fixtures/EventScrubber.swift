import Foundation

/// Makes events and records without the values of scrubbed fields.
struct EventScrubber {
    private let scrubbing: Scrubbing
    /// The conversions of scrubbed fields.
    private var conversions: [Scrubbing.Field: Set<FieldConversion>] = [:]
    /// The recorded steps of the entities that have any.
    private let evolvers: NamedValues<Evolver>
    private var originals = Originals()
    private(set) var pseudonyms = Pseudonyms()
    /// The scrubbed fields that had a value.
    private(set) var found: Set<Scrubbing.Field> = []

    /// - Parameter schemas: what the log has recorded of the entities' shapes.
    init(_ scrubbing: Scrubbing, _ schemas: NamedValues<EntitySchema>) {
        self.scrubbing = scrubbing.followingSteps(schemas)
        evolvers = schemas.compactMapValues { $0.version > 1 ? $0.declarative : nil }
        for field in self.scrubbing.fields {
            guard let schema = schemas[field.entity] else { continue }
            let name = field.path[0]
            // A step converts a whole field.
            if field.path.count == 1 { conversions[field] = schema.conversions(ofField: name) }
            for value in schema.additions(toField: name) {
                for value in Self.values(at: field.path.dropFirst(), in: value) {
                    originals.keep(value, through: conversions[field] ?? [])
                }
            }
        }
    }

    // MARK: Collecting

    /// Notes the values of scrubbed fields in an event.
    mutating func note(_ event: Event) throws {
        for change in event.changes {
            switch change {
            case .inserted(let record), .deleted(let record):
                try note(record.fields, of: change.entity)
            case .updated(_, _, let before, let after):
                try note(before, of: change.entity)
                try note(after, of: change.entity)
            case .cleared: break
            }
        }
        if let intent = event.intent {
            note(inCommand: try intent.value)
            try intent.output.map { note(inCommand: $0) }
        }
    }

    /// Notes the values of scrubbed fields in a record.
    mutating func note(_ record: Record) throws { try note(record.fields, of: record.entity) }

    private mutating func note(_ fields: Fields, of entity: String) throws {
        for path in scrubbing.paths(in: entity) {
            guard let value = fields[path[0]] else { continue }
            for value in Self.values(at: path.dropFirst(), in: value) {
                let field = Scrubbing.Field(entity: entity, path: path)
                found.insert(field)
                originals.note(
                    value, of: path[path.count - 1], through: conversions[field] ?? [])
            }
        }
    }

    /// The values at the end of a path; those of all elements of a list.
    private static func values(
        at path: ArraySlice<String>, in value: FieldValue
    ) -> [FieldValue] {
        if case .array(let elements) = value, !path.isEmpty {
            return elements.flatMap { values(at: path, in: $0) }
        }
        guard let name = path.first else { return [value] }
        return value.map?[name].map { values(at: path.dropFirst(), in: $0) } ?? []
    }

    /// A member of a command has the value of a scrubbed field if it has the name of one.
    private mutating func note(inCommand value: FieldValue) {
        switch value {
        case .array(let elements): for element in elements { note(inCommand: element) }
        case .map(let members):
            for (name, member) in members {
                if scrubbing.contains(name) {
                    originals.note(member, of: name)
                } else {
                    note(inCommand: member)
                }
            }
        default: break
        }
    }

    /// Gives all values that were noted their pseudonyms.
    mutating func makePseudonyms() {
        pseudonyms = Pseudonyms(originals)
        originals = Originals()
    }

    // MARK: Replacing

    /// The event with pseudonyms, as another event of a log.
    ///
    /// - Parameter tags: further tags.
    func scrubbed(
        _ event: Event, as sequence: SequenceNumber, tags: NamedValues<String>
    ) throws -> Event {
        var additions: [Int: Fields] = [:]
        for (index, fields) in event.changeAdditions {
            additions[index] = try scrubbed(fields)
        }
        return Event(
            sequence: sequence, time: event.time,
            metadata: scrubbed(event.metadata, adding: tags),
            intent: try event.intent.map { try scrubbed($0) },
            key: event.key.map { pseudonyms.replaced($0) },
            changes: try event.versionedChanges.map { try scrubbed($0) },
            additions: try scrubbed(event.additions), changeAdditions: additions,
            versions: event.versions, formerVersions: event.formerVersions,
            schemas: event.schemas)
    }

    /// The record with pseudonyms.
    ///
    /// - Parameter version: that of its shape.
    func scrubbed(_ record: Record, version: Int) throws -> Record {
        let entity = record.entity
        let id = try scrubbed(record.id, of: entity)
        return Record(
            entity: entity, id: id,
            fields: try scrubbed(record.fields, of: entity, id, version: version))
    }

    private func scrubbed(_ change: VersionedChange) throws -> Change {
        let version = change.version
        switch change.change {
        case .inserted(let record): return .inserted(try scrubbed(record, version: version))
        case .deleted(let record): return .deleted(try scrubbed(record, version: version))
        case .cleared: return change.change
        case .updated(let entity, let id, let before, let after):
            let id = try scrubbed(id, of: entity)
            let former = change.formerVersion ?? version
            return .updated(
                entity: entity, id: id,
                before: try scrubbed(before, of: entity, id, version: former),
                after: try scrubbed(after, of: entity, id, version: version))
        }
    }

    private func scrubbed(_ id: RecordID, of entity: String) throws -> RecordID {
        let value = id.value
        let isScrubbed = scrubbing.paths(in: entity).contains { $0 == ["id"] }
        let other = isScrubbed ? try inField(value) : pseudonyms.replacedElsewhere(value)
        return value == other ? id : try RecordID(other)
    }

    /// What a later version has added.
    private func scrubbed(_ fields: Fields) throws -> Fields {
        fields == .none
            ? fields : try Fields(fields.values.mapValues { pseudonyms.replacedElsewhere($0) })
    }

    private func scrubbed(
        _ fields: Fields, of entity: String, _ id: RecordID, version: Int
    ) throws -> Fields {
        let paths = scrubbing.paths(in: entity).map { $0[...] }
        let other = try Fields(members(of: fields.values, at: paths) { $0 })
        guard let evolver = evolvers[entity], version < evolver.version, other != fields else {
            return other
        }
        do {
            _ = try evolver.evolve(other.bytes, from: version, entity, id)
        } catch let error as StoreError {
            // What was unreadable may stay so.
            guard (try? evolver.evolve(fields.bytes, from: version, entity, id)) != nil else {
                return other
            }
            throw StoreError(
                .invalidInput,
                "with pseudonyms, the record \(id) of \"\(entity)\" could not be brought to a "
                    + "newer shape; nothing was written. Scrub the field that the step converts, "
                    + "too; one that is split before cannot be scrubbed",
                at: error.place, cause: error.message)
        }
        return other
    }

    /// - Parameter paths: those of the scrubbed values in it; an empty one is that of the value.
    private func scrubbed(_ value: FieldValue, at paths: [ArraySlice<String>]) throws -> FieldValue
    {
        if paths.isEmpty { return pseudonyms.replacedElsewhere(value) }
        if paths.contains(where: \.isEmpty) { return try inField(value) }
        switch value {
        case .array(let elements): return .array(try elements.map { try scrubbed($0, at: paths) })
        case .map(let members):
            return .map(try self.members(of: members, at: paths) { pseudonyms.replaced($0) })
        default: return pseudonyms.replacedElsewhere(value)
        }
    }

    private func members(
        of members: NamedValues<FieldValue>, at paths: [ArraySlice<String>],
        named name: (String) -> String
    ) throws -> NamedValues<FieldValue> {
        let others = try members.map { key, member in
            let inner = paths.filter { $0.first?.isSameName(as: key) == true }
            return (name(key), try scrubbed(member, at: inner.map { $0.dropFirst() }))
        }
        return NamedValues(others)
    }

    /// A value of a scrubbed field.
    private func inField(_ value: FieldValue) throws -> FieldValue {
        if let other = pseudonyms.replaced(value) { return other }
        throw StoreError(
            .conflict,
            "the log was written while its values were collected; write the fixture again")
    }

    private func scrubbed(_ metadata: Metadata, adding tags: NamedValues<String>) -> Metadata {
        var metadata = metadata
        metadata.actor = metadata.actor.map { pseudonyms.replaced($0) }
        metadata.reason = metadata.reason.map { pseudonyms.replaced($0) }
        metadata.correlation = metadata.correlation.map { pseudonyms.replaced($0) }
        metadata.causation = metadata.causation.map { pseudonyms.replaced($0) }
        let own = metadata.tags.map { (pseudonyms.replaced($0), pseudonyms.replaced($1)) }
        metadata.tags = tags.merging(NamedValues(own)) { $1 }
        return metadata
    }

    private func scrubbed(_ intent: Intent) throws -> Intent {
        Intent(
            name: intent.name, version: intent.version,
            encoded: try scrubbed(inCommand: intent.value).encoded(),
            idBytes: scrubbed(idBytes: intent.idBytes),
            encodedOutput: try intent.output.map { try scrubbed(inCommand: $0).encoded() },
            additions: try scrubbed(intent.additions))
    }

    private func scrubbed(inCommand value: FieldValue) throws -> FieldValue {
        switch value {
        case .array(let elements): return .array(try elements.map { try scrubbed(inCommand: $0) })
        case .map(let members):
            let others = try members.map { name, member in
                let isField = scrubbing.contains(name)
                return (
                    pseudonyms.replaced(name),
                    isField ? try inField(member) : try scrubbed(inCommand: member)
                )
            }
            return .map(NamedValues(others))
        default: return pseudonyms.replacedElsewhere(value)
        }
    }

    /// The ids that a command has made.
    private func scrubbed(idBytes: [UInt8]) -> [UInt8] {
        UUID.list(from: idBytes).flatMap { id in
            let other = pseudonyms.replacedElsewhere(.uuid(id)).uuid ?? id
            return withUnsafeBytes(of: other.uuid) { Array($0) }
        }
    }
}
