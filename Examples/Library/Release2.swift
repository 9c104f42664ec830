import Skyros

/// The second release. A user has a newsletter and no fax, and a phone number may begin with a
/// plus; a book has one author.
enum Release2 {
    struct User: Entity {
        static let entityName = "User"
        var id: Int
        var fullName: String
        var phone: String
        var newsletter: Bool
        static let evolution: Evolution<User> = [
            .version(2) {
                .rename("name", to: "fullName")
                    .retype("phone", .integerToText)
                    .add("newsletter", false)
                    .drop("fax")
            }
        ]
    }

    struct Book: Entity {
        static let entityName = "Book"
        var id: String
        var title: String
        var author: String
        var lentTo: Int?
        static let evolution: Evolution<Book> = [
            .version(2) {
                .merge(["authorFirstName", "authorLastName"], into: "author", with: " ")
            }
        ]
    }

    /// The records of a day with this release.
    static func seed(_ tx: inout WriteTransaction) throws {
        try tx.insert(User(id: 3, fullName: "Mary Shelley", phone: "+445550301", newsletter: true))
        try tx.insert(
            Book(id: "0141439475", title: "Frankenstein", author: "Mary Shelley", lentTo: 3))
    }
}
