import Skyros

/// A record with several fields, some of which may be absent.
struct DraftCard: Entity, Equatable {
    var id: Int
    var title: String?
    var column: Int?
    var done: Bool?
    static let indexes: [Index<DraftCard>] = [.on(\.column)]
}

/// A later version of it, with a field that the other does not know.
struct LaterCard: Entity, Equatable {
    static let entityName = "DraftCard"
    var id: Int
    var title: String?
    var color: String?
}

/// A record with an invariant over two fields.
struct Period: Entity, Equatable {
    var id: Int
    var start: Int
    var end: Int

    struct Inverted: Error {}

    init(id: Int, start: Int, end: Int) {
        (self.id, self.start, self.end) = (id, start, end)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        start = try container.decode(Int.self, forKey: .start)
        end = try container.decode(Int.self, forKey: .end)
        if end < start { throw Inverted() }
    }
}

/// A record with a unique field.
struct Label: Entity, Equatable {
    var id: Int
    var name: String
    static let indexes: [Index<Label>] = [.unique(\.name)]
}
