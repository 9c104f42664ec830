/// The error of a type that `body` throws; nil if it throws none, or one of another type.
package func failure<Failure: Error>(as type: Failure.Type, _ body: () throws -> Void) -> Failure? {
    do {
        try body()
        return nil
    } catch {
        return error as? Failure
    }
}
