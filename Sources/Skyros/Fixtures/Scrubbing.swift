/// The fields whose values a fixture must not have; each value has a pseudonym instead.
///
///     let scrubbing = try Scrubbing("Customer.name", "Customer.phone", "Order.address.street")
///     try archive.writeFixture(into: directory, scrubbing: scrubbing)
///
/// The same value has the same pseudonym everywhere, such as `name-12`, and no other value has it:
/// what was equal or unique stays so. A name leads into nested values by its parts, also into those
/// of lists: `Order.lines.comment`. It covers all that is in the value, but the keys of maps only
/// where they have a scrubbed text in them.
///
/// What was scrubbed is also replaced where it stands elsewhere in the log: in other fields, ids,
/// commands and their results, actors, reasons, correlations, causations, keys and tags. That goes
/// for texts, UUIDs, dates, bytes, and numbers of seven digits and more; for texts from three
/// bytes on, UUIDs and such numbers also inside of other texts, and inside of bytes.
///
/// A field is followed through the steps of an evolution that rename, split, merge or retype it,
/// and not through closures. A pseudonym can be converted as its value; what a conversion makes of
/// it is the pseudonym of the converted value, but for seconds as dates and integers as decimals.
/// Two texts of one UUID or date may have the same. A fixture whose records could not be read is
/// not written.
///
/// What stays:
/// - a value that a step `.add` of an evolution gives to the field, wherever it stands: it is in
///   the program, and records have it that were stored without one;
/// - names of entities, fields and commands, empty texts, and the times of events, even if a
///   scrubbed date is the same;
/// - outside of scrubbed fields, and of commands' members with the name of one: fractions, truth
///   values, and numbers below a million, also as parts of texts;
/// - as parts of texts: texts of one or two bytes, and dates;
/// - a text in capitals or small letters where the field has it otherwise, and a value in any other
///   notation, such as a date in words, or a number with spaces.
///
/// Read what you give away.
public struct Scrubbing: Hashable, Sendable {
    struct Field: Hashable, Sendable, CustomStringConvertible {
        let entity: String
        let path: [String]

        var description: String { "\(entity).\(path.joined(separator: "."))" }
    }

    let fields: [Field]

    /// Replaces nothing.
    public static let none = Scrubbing(fields: [])

    private init(fields: [Field]) {
        self.fields = fields
    }

    /// Makes the scrubbing of these fields.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if a name is not of the form `Entity.field`.
    public init(_ names: String...) throws {
        try self.init(names)
    }

    /// Makes the scrubbing of these fields, one at least.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if there is none, or a name is not of the form
    ///   `Entity.field`.
    public init(_ names: [String]) throws {
        guard !names.isEmpty else {
            throw StoreError(.invalidInput, "name at least one field to scrub, as Customer.name")
        }
        fields = try names.map { name in
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
                .map(String.init)
            guard parts.count > 1, !parts.contains("") else {
                throw StoreError(
                    .invalidInput,
                    "\"\(name)\" names no field; write it as Customer.name, or "
                        + "Customer.address.street for a nested one")
            }
            return Field(entity: parts[0], path: Array(parts.dropFirst()))
        }
    }

    /// The same fields under all names that the steps of an evolution give them.
    func followingSteps(_ schemas: NamedValues<EntitySchema>) -> Scrubbing {
        Scrubbing(fields: fields.flatMap { Self.names(of: $0, schemas) })
    }

    /// A field under all its names.
    static func names(of field: Field, _ schemas: NamedValues<EntitySchema>) -> [Field] {
        let others = schemas[field.entity]?.namesOfField(field.path[0]) ?? []
        return [field]
            + others.map { Field(entity: field.entity, path: [$0] + field.path.dropFirst()) }
    }

    /// The paths of the scrubbed fields of an entity.
    func paths(in entity: String) -> [[String]] {
        fields.filter { $0.entity.isSameName(as: entity) }.map(\.path)
    }

    /// Whether a name is that of a scrubbed field, without the way to it.
    func contains(_ name: String) -> Bool {
        fields.contains { $0.path.last?.isSameName(as: name) == true }
    }
}

extension EntitySchema {
    private var allSteps: [FieldStep] {
        recordedVersions.flatMap(\.steps).compactMap { FieldStep($0) }
    }

    /// The conversions of a field under all its names.
    func conversions(ofField field: String) -> Set<FieldConversion> {
        let names = [field] + namesOfField(field)
        return Set(
            allSteps.compactMap { step in
                guard case .retype(let name, let conversion) = step, names.containsName(name)
                else { return nil }
                return conversion
            })
    }

    /// The values that steps add where records lack a field, under all its names.
    func additions(toField field: String) -> [FieldValue] {
        let names = [field] + namesOfField(field)
        return allSteps.compactMap { step in
            guard case .add(let name, let value) = step, names.containsName(name) else {
                return nil
            }
            return value
        }
    }

    /// The other names under which the steps have what was or became a field.
    func namesOfField(_ field: String) -> [String] {
        var names = [field]
        let steps = allSteps
        var countBefore: Int
        repeat {
            countBefore = names.count
            for step in steps {
                let related: [String]
                switch step {
                case .rename(let from, let to): related = [from, to]
                case .split(let from, let into, _): related = [from] + into
                case .merge(let from, let into, _): related = from + [into]
                case .retype, .add, .drop, .code: continue
                }
                guard related.contains(where: { names.containsName($0) }) else { continue }
                names += related.filter { !names.containsName($0) }
            }
        } while names.count > countBefore
        return Array(names.dropFirst())
    }
}
