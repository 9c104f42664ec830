package import Skyros

/// The error of the given type that `body` throws; nil if it throws nothing or another type.
package func failure<Failure: Error>(as type: Failure.Type, _ body: () throws -> Void) -> Failure? {
    do {
        try body()
        return nil
    } catch {
        return error as? Failure
    }
}

/// The code of the `StoreError` that `body` throws; nil if it throws none.
package func code(_ body: () throws -> Void) -> StoreError.Code? {
    failure(as: StoreError.self, body)?.code
}
