/// Why a text is not JSON, or not JSON that a `FieldValue` can hold.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let problem: String
    /// The offset in the text's UTF-8.
    public let offset: Int

    /// The problem and its offset.
    public var description: String { "The JSON is not valid at byte \(offset): \(problem)." }
}
