import Skyros

/// The third release. Users are found by their last names, and the user of a loan is a reference,
/// which the store keeps whole. A reference is stored as the id, so the field only gets a new name.
enum Release3 {
    struct User: Entity {
        static let entityName = "User"
        var id: Int
        var firstName: String
        var lastName: String
        var phone: String
        var newsletter: Bool
        static let indexes: [Index<User>] = [.on(\.lastName)]
        static let evolution: Evolution<User> = [
            .version(2) {
                .rename("name", to: "fullName")
                    .retype("phone", .integerToText)
                    .add("newsletter", false)
                    .drop("fax")
            },
            .version(3) { .split("fullName", into: ["firstName", "lastName"], at: " ") },
        ]
    }

    struct Book: Entity {
        static let entityName = "Book"
        var id: String
        var title: String
        var author: String
        var borrower: Ref<User>?
        static let relations: [Relation<Book>] = [.to(\.borrower, onDelete: .deny)]
        static let evolution: Evolution<Book> = [
            .version(2) {
                .merge(["authorFirstName", "authorLastName"], into: "author", with: " ")
            },
            .version(3) { .rename("lentTo", to: "borrower") },
        ]
    }

    /// The records of a day with this release.
    static func seed(_ tx: inout WriteTransaction) throws {
        let emily = User(
            id: 4, firstName: "Emily", lastName: "Brontë", phone: "5550401", newsletter: false)
        try tx.insert(emily)
        try tx.insert(
            Book(
                id: "014144114X", title: "Jane Eyre", author: "Charlotte Brontë",
                borrower: emily.ref))
    }
}
