import Skyros

/// The second release as it was about to be shipped: the types have changed, and the steps were
/// forgotten. Opening a store of release 1 with them is refused, with the steps in the message.
enum Careless {
    struct User: Entity {
        static let entityName = "User"
        var id: Int
        var fullName: String
        var phone: String
        var newsletter: Bool
    }

    struct Book: Entity {
        static let entityName = "Book"
        var id: String
        var title: String
        var author: String
        var lentTo: Int?
    }
}
