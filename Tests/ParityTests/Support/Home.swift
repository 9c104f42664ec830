import Foundation
import Skyros
import SkyrosDisk
import TestSupport

/// The place of one store, which holds users, pets and accounts.
struct Home {
    let medium: Medium
    let directory: TemporaryDirectory
    var options = Store.Options()

    init(_ medium: Medium) throws {
        self.medium = medium
        directory = try TemporaryDirectory()
    }

    /// Opens the store; one in memory is new each time.
    func open() throws -> Store {
        switch medium {
        case .disk:
            try SharedStore.open(
                at: directory.store, entities: [User.self, Pet.self, Account.self],
                options: options)
        case .memory:
            try Store(inMemory: User.self, Pet.self, Account.self, options: options)
        }
    }

    /// Closes the store and opens it again. One in memory ends with its last reference, and is
    /// returned as it is.
    func reopened(_ store: Store) throws -> Store {
        guard medium == .disk else { return store }
        try store.close()
        return try open()
    }
}

extension Store {
    /// The events of the store's log.
    var allEvents: [Event] {
        get throws { try Array(events()) }
    }
}

/// An error of the app.
struct Refused: Error, Equatable {}
