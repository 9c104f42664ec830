import Skyros
import TestSupport

/// The code of the store's error that `body` throws; nil if it throws none.
func code(_ body: () throws -> Void) -> StoreError.Code? {
    failure(as: StoreError.self, body)?.code
}
