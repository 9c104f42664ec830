import Skyros

/// Versions of an app with one entity.
enum Ticket {
    struct Numbered: Entity {
        static let entityName = "Ticket"
        var id: Int
        var code: Int
    }

    struct Unique: Entity {
        static let entityName = "Ticket"
        static let indexes: [Index<Unique>] = [.unique(\.code)]
        var id: Int
        var code: Int
    }

    /// The code is a text, and is read from the numbers of older records too.
    struct Coded: Entity {
        static let entityName = "Ticket"
        static let indexes: [Index<Coded>] = [.unique(\.code)]
        var id: Int
        var code: String

        init(id: Int, code: String) { (self.id, self.code) = (id, code) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            let number = try? container.decode(Int.self, forKey: .code)
            code = try number.map { "\($0)" } ?? container.decode(String.self, forKey: .code)
        }
    }
}
