import Skyros

/// The newest release. A book has a shelf, which a closure finds. A user has a limit of loans,
/// which the prototype supplies, and an email address, which is optional and needs nothing.
enum Release4 {
    struct User: Entity, Equatable {
        static let entityName = "User"
        var id: Int
        var firstName: String
        var lastName: String
        var phone: String
        var newsletter: Bool
        var email: String?
        var loansMax: Int
        static let indexes: [Index<User>] = [.on(\.lastName)]
        static let prototype = User(
            id: 0, firstName: "", lastName: "", phone: "", newsletter: false, loansMax: 3)
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

    struct Book: Entity, Equatable {
        static let entityName = "Book"
        var id: String
        var title: String
        var author: String
        /// The first letter of the author's last name.
        var shelf: String
        var borrower: Ref<User>?
        static let indexes: [Index<Book>] = [.on(\.shelf, \.title)]
        static let relations: [Relation<Book>] = [.to(\.borrower, onDelete: .deny)]
        static let evolution: Evolution<Book> = [
            .version(2) {
                .merge(["authorFirstName", "authorLastName"], into: "author", with: " ")
            },
            .version(3) { .rename("lentTo", to: "borrower") },
            .version(4) { record in
                let lastName = record["author"]?.text?.split(separator: " ").last ?? ""
                record["shelf"] = .text(lastName.prefix(1).uppercased())
            },
        ]
    }
}
