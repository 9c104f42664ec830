/// How the shape of an entity has changed from one version of an app to the next.
///
///     static let evolution: Evolution<Customer> = [
///         .version(2) {
///             .rename("name", to: "fullName")
///                 .retype("phone", .integerToText)
///                 .add("newsletter", false)
///                 .drop("fax")
///         },
///         .version(3) { record in record["tier"] = "basic" },
///     ]
///
/// The first shape is version 1. A record keeps the shape in which it was stored. When it is read
/// as its type, the steps of all later versions are applied, one version after the other. The first
/// write of the record stores it in the newest shape.
///
/// A released version never changes: the steps are recorded in the log, and an opening compares
/// them. Names are those of stored fields.
public struct Evolution<E>: Sendable {
    /// The steps to one version of the shape.
    public struct Version: Sendable {
        let content: EvolutionVersion

        /// The version `number` of the shape, which field steps make from the one before.
        ///
        /// They are recorded in the log, so tools without the app's types apply them, too.
        public static func version(_ number: Int, _ steps: () -> FieldSteps) -> Version {
            Version(content: EvolutionVersion(number: number, steps: steps().all))
        }

        /// The version `number` of the shape, which a closure makes from the one before.
        ///
        /// The closure depends on the record only: it runs each time when a record of an older
        /// shape is read. It may throw; then the read throws `StoreError` with `.evolutionFailed`.
        /// Tools without the app's types show the shape before it.
        public static func version(
            _ number: Int, _ body: @escaping @Sendable (inout Record) throws -> Void
        ) -> Version {
            Version(content: EvolutionVersion(number: number, steps: [.code], body: body))
        }
    }

    /// The steps; nil if the entity has its first shape.
    let evolver: Evolver?

    /// The first shape.
    public init() {
        evolver = nil
    }

    /// The newest version.
    public var version: Int { evolver?.version ?? Evolver.firstVersion }
}

extension Evolution: ExpressibleByArrayLiteral {
    /// The versions in ascending order, the first of them at least 2.
    public init(arrayLiteral versions: Version...) {
        evolver = versions.isEmpty ? nil : Evolver(versions.map(\.content), of: E.self)
    }
}

/// The steps to one version of a shape, without its entity's Swift type.
struct EvolutionVersion: Sendable {
    let number: Int
    let steps: [FieldStep]
    /// What the step `.code` runs; nil where the app's types are not known.
    var body: (@Sendable (inout Record) throws -> Void)?
}
