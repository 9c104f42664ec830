/// A name that the app gives to a write, so that it happens once: see `Store.write(once:)`.
struct IdempotencyKey: Sendable {
    /// The key as the event has it.
    let text: String

    /// The size of the largest key in UTF-8.
    static let bytesMax = 256

    /// Throws `StoreError` with `.invalidInput` if the key is empty or too long.
    init(_ text: String) throws {
        guard Self.isValid(text) else {
            throw StoreError(
                .invalidInput,
                "an idempotency key has \(text.utf8.count) bytes of UTF-8; it must have 1 to "
                    + "\(Self.bytesMax). Use an id of the request, or a hash of what is longer")
        }
        self.text = text
    }

    /// Whether a text has the size of a key.
    static func isValid(_ text: String) -> Bool { (1...bytesMax).contains(text.utf8.count) }
}
