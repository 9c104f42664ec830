import Skyros

/// The app as it was released first. An app has its newest types only; the earlier ones are here
/// to write the stores that its users have.
enum Release1 {
    struct User: Entity {
        static let entityName = "User"
        var id: Int
        var name: String
        var phone: Int
        var fax: String?
    }

    struct Book: Entity {
        static let entityName = "Book"
        /// The ISBN.
        var id: String
        var title: String
        var authorFirstName: String
        var authorLastName: String
        /// The number of a user. Nothing keeps that user from being deleted.
        var lentTo: Int?
    }

    /// The records of a day with this release.
    static func seed(_ tx: inout WriteTransaction) throws {
        try tx.insert([
            User(id: 1, name: "Ada Lovelace", phone: 5_550_101, fax: "5550102"),
            User(id: 2, name: "Charles Babbage", phone: 5_550_201),
        ])
        try tx.insert([
            Book(
                id: "0141439513", title: "Pride and Prejudice", authorFirstName: "Jane",
                authorLastName: "Austen", lentTo: 1),
            Book(
                id: "0141439548", title: "Middlemarch", authorFirstName: "George",
                authorLastName: "Eliot"),
        ])
    }
}
