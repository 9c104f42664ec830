import Foundation
import Skyros
import TestSupport

struct Author: Entity, Equatable {
    var id = UUID()
    var name = ""
    var books: [Ref<Book>] = []
    static let relations: [Relation<Author>] = [.toMany(\.books, onDelete: .remove)]
}

struct Book: Entity, Equatable {
    var id = UUID()
    var title = ""
    var author: Ref<Author>?
    static let relations: [Relation<Book>] = [.to(\.author, onDelete: .nullify)]
}

/// A place of a store of authors and books.
struct Library {
    let medium: Medium
    private let directory: TemporaryDirectory

    init(_ medium: Medium) throws {
        self.medium = medium
        directory = try TemporaryDirectory()
    }

    func open() throws -> Store {
        switch medium {
        case .disk:
            try SharedStore.open(at: directory.store, entities: [Author.self, Book.self])
        case .memory: try Store(inMemory: Author.self, Book.self)
        }
    }

    /// Closes the store and opens it again. One in memory is returned as it is.
    func reopened(_ store: Store) throws -> Store {
        guard medium == .disk else { return store }
        try store.close()
        return try open()
    }
}
