/// Why a text is not JSON, or not JSON that a `FieldValue` can hold.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was found or missed.
    public let problem: String
    /// The offset in the text's UTF-8.
    public let offset: Int

    /// What was found, and where.
    public var description: String { "The JSON is not valid at byte \(offset): \(problem)." }
}
