import Foundation
import Skyros

// The types of the newest release, which are those that the app uses.

typealias User = Release4.User
typealias Book = Release4.Book

/// Where books are lent and given back.
struct LendingDesk {
    let store: Store
    /// The actor of all events.
    let librarian: String

    /// Why a book is not lent.
    enum Refusal: Error {
        case isLent, tooManyLoans
    }

    /// Opens the store of any release.
    init(at url: URL, by librarian: String) throws {
        var options = Store.Options()
        options.existingBrokenReferences = .report
        store = try Store(at: url, entities: [User.self, Book.self], options: options)
        self.librarian = librarian
        try endLoansOfDeletedUsers()
    }

    /// Before release 3 there was no relation, so a user with a loan could be deleted.
    private func endLoansOfDeletedUsers() throws {
        let loans = store.recovery.brokenReferences
        guard !loans.isEmpty else { return }
        try store.write(by: librarian, because: "the user was deleted") { tx in
            for loan in loans {
                try tx.update(Book.self, loan.id.decode(as: Book.ID.self)) { $0.borrower = nil }
            }
        }
    }

    // MARK: Loans

    func lend(_ id: Book.ID, to user: Ref<User>) throws {
        try store.write(by: librarian, because: "lent") { tx in
            let user = try tx.require(user)
            let loanCount = try tx.count(Book.self, referring: \.borrower, to: user.ref)
            guard loanCount < user.loansMax else { throw Refusal.tooManyLoans }
            try tx.update(Book.self, id) { book in
                guard book.borrower == nil else { throw Refusal.isLent }
                book.borrower = user.ref
            }
        }
    }

    func giveBack(_ id: Book.ID) throws {
        try store.write(by: librarian, because: "given back") { tx in
            try tx.update(Book.self, id) { $0.borrower = nil }
        }
    }

    func loans(of user: Ref<User>) throws -> [Book] {
        try store.all(Book.self, referring: \.borrower, to: user)
    }

    // MARK: Users and books

    /// Deletes a user, unless there are loans.
    func delete(_ user: Ref<User>) throws {
        try store.write(by: librarian, because: "user left") { tx in
            try tx.delete(User.self, user.id)
        }
    }

    func books(onShelf shelf: String) throws -> [Book] {
        try store.all(Book.self, where: \.shelf == shelf, sortedBy: \.title)
    }

    func users(lastName: String) throws -> [User] {
        try store.all(User.self, where: \.lastName == lastName)
    }

    // MARK: Past

    /// What happened to a book, with the names and values of the release that wrote each event.
    func history(of id: Book.ID) throws -> [String] {
        try store.history(of: Book.self, id).map { entry in
            try "\(entry.sequence) \(entry.actor ?? "-") \(entry.reason ?? "-") \(entry.changes)"
        }
    }

    /// The books after an event, as books of the newest release.
    func books(asOf sequence: SequenceNumber) throws -> [Book] {
        try store.snapshot(asOf: .sequence(sequence)).all(Book.self, sortedBy: \.shelf)
    }
}
