#if !SKYROS_COMPARE
    public import Foundation
    public import Skyros

    /// What a line of an order is about.
    public struct Dish: Entity, Equatable {
        public let id: Int
        public var name: String

        public init(id: Int) {
            self.id = id
            name = "dish \(id)"
        }
    }

    /// A line of an order, without a relation: the dish is a number.
    public struct Line: Entity, Equatable {
        public let id: UUID
        public var dish: Int
        public var pieces: Int
        public var note: String

        public init(id: UUID, dish: Int, pieces: Int, note: String) {
            self.id = id
            self.dish = dish
            self.pieces = pieces
            self.note = note
        }
    }

    /// The same with an index over the dish.
    public struct IndexedLine: Entity, Equatable {
        public let id: UUID
        public var dish: Int
        public var pieces: Int
        public var note: String

        public static let indexes: [Index<IndexedLine>] = [.on(\.dish)]

        public init(_ line: Line) {
            id = line.id
            dish = line.dish
            pieces = line.pieces
            note = line.note
        }
    }

    /// The same with a relation to the dish, which has an index too.
    public struct LinkedLine: Entity, Equatable {
        public let id: UUID
        public var dish: Ref<Dish>
        public var pieces: Int
        public var note: String

        public static let relations: [Relation<LinkedLine>] = [.to(\.dish, onDelete: .deny)]

        public init(_ line: Line) {
            id = line.id
            dish = Ref(line.dish)
            pieces = line.pieces
            note = line.note
        }
    }
#endif
