package import Skyros

/// The error of a type that `body` throws; nil if it throws none, or one of another type.
package func failure<Failure: Error>(as type: Failure.Type, _ body: () throws -> Void) -> Failure? {
    do {
        try body()
        return nil
    } catch {
        return error as? Failure
    }
}

/// The code of the store's error that `body` throws; nil if it throws none.
package func code(_ body: () throws -> Void) -> StoreError.Code? {
    failure(as: StoreError.self, body)?.code
}
