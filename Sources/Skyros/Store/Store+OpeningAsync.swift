public import Foundation
import SkyrosDisk

extension Store {
    /// What happens to a store that cannot be opened.
    public enum FailureDecision: Hashable, Sendable {
        /// Nothing: the error is thrown, and the files stay as they are.
        case abort
        /// The files are moved to a directory beside the store, where they stay, and a new store is
        /// created. See ``RecoveryReport/setAside``.
        case setAside
    }

    /// Opens the store at `url`, or creates it, on a thread of the call; asks what to do if what is
    /// there cannot be opened.
    ///
    ///     let store = try await Store.open(at: url, entities: Order.self) { error in
    ///         await askToStartAnew(because: error.message) ? .setAside : .abort
    ///     }
    ///
    /// The handler may ask a person. It is not called for an error that a new store would meet too,
    /// such as a full disk, a wrong path, a schema that means nothing, or a store that is open
    /// elsewhere. Otherwise it is as `Store(at:entities:options:)`.
    ///
    /// - Throws: the error of the opening; `.notAStore` if there are files beside the store's own,
    ///   so that its directory cannot be moved.
    public static func open(
        at url: URL, entities: any Entity.Type..., options: Options = Options(),
        onFailure: @Sendable (StoreError) async -> FailureDecision = { _ in .abort }
    ) async throws -> Store {
        do {
            return try await onThread {
                try Store(at: url, entities: entities, options: options)
            }
        } catch let error as StoreError where StoreAside.mayHelp(against: error) {
            guard await onFailure(error) == .setAside else { throw error }
            return try await onThread {
                let path = try StoreAside.move(url)
                return try Store(
                    at: url, entities: entities, options: options,
                    setAside: SetAsideStore(path: path, error: error))
            }
        }
    }

    private convenience init(
        at url: URL, entities: [any Entity.Type], options: Options, setAside: SetAsideStore
    ) throws {
        let disk = try StoreDirectory.disk(at: url, creating: true)
        let opening = try StoreOpening(
            environment: Environment(disk: disk), schema: Schema(entities), options: options)
        var resources = try opening.open()
        resources.recovery.setAside = setAside
        self.init(resources)
    }

    private static func onThread(
        _ body: @escaping @Sendable () throws -> Store
    ) async throws -> Store {
        try await withCheckedThrowingContinuation { continuation in
            let code = SerialQueue.startThread { continuation.resume(with: Result { try body() }) }
            if code != 0 {
                continuation.resume(throwing: StoreError(ThreadShortage(code: code)))
            }
        }
    }
}

/// A store that could not be opened, and was moved.
public struct SetAsideStore: Hashable, Sendable {
    /// The directory that holds its files now.
    public let path: String
    /// Why it could not be opened.
    public let error: StoreError
}
