/// Steps that change the fields of a record, one after the other.
///
///     .rename("name", to: "fullName").drop("fax")
///
/// A step skips a record that lacks its field, or has null in it, unless it says otherwise.
public struct FieldSteps: Hashable, Sendable {
    let all: [FieldStep]

    private func appending(_ step: FieldStep) -> FieldSteps { FieldSteps(all: all + [step]) }

    private static let none = FieldSteps(all: [])

    /// Gives a field another name.
    public func rename(_ field: String, to name: String) -> FieldSteps {
        appending(.rename(field, to: name))
    }

    /// Converts the value of a field.
    public func retype(_ field: String, _ conversion: FieldConversion) -> FieldSteps {
        appending(.retype(field, conversion))
    }

    /// Adds a field with this value to each record that lacks it.
    public func add(_ field: String, _ value: FieldValue) -> FieldSteps {
        appending(.add(field, value))
    }

    /// Removes a field. The history keeps its values.
    public func drop(_ field: String) -> FieldSteps { appending(.drop(field)) }

    /// Splits a text into several fields at the first occurrences of `separator`, and removes it.
    /// The last field gets the rest; fields for which nothing is left get the empty text.
    public func split(
        _ field: String, into names: [String], at separator: String
    ) -> FieldSteps {
        appending(.split(field, into: names, separator: separator))
    }

    /// Joins the texts of several fields, and removes them. Absent ones are left out; a record that
    /// lacks all of them is skipped.
    public func merge(
        _ fields: [String], into name: String, with separator: String
    ) -> FieldSteps {
        appending(.merge(fields, into: name, separator: separator))
    }
}

// The same as the first of a chain.
extension FieldSteps {
    /// Gives a field another name.
    public static func rename(_ field: String, to name: String) -> FieldSteps {
        none.rename(field, to: name)
    }

    /// Converts the value of a field.
    public static func retype(_ field: String, _ conversion: FieldConversion) -> FieldSteps {
        none.retype(field, conversion)
    }

    /// Adds a field with this value to each record that lacks it.
    public static func add(_ field: String, _ value: FieldValue) -> FieldSteps {
        none.add(field, value)
    }

    /// Removes a field. The history keeps its values.
    public static func drop(_ field: String) -> FieldSteps { none.drop(field) }

    /// Splits a text into several fields, see the method.
    public static func split(
        _ field: String, into names: [String], at separator: String
    ) -> FieldSteps {
        none.split(field, into: names, at: separator)
    }

    /// Joins the texts of several fields, see the method.
    public static func merge(
        _ fields: [String], into name: String, with separator: String
    ) -> FieldSteps {
        none.merge(fields, into: name, with: separator)
    }
}
