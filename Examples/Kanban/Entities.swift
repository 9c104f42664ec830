import Foundation
import Skyros

struct Board: Entity, Equatable {
    var id = UUID()
    var name: String
    static let indexes: [Index<Board>] = [.unique(\.name)]
}

struct Column: Entity, Equatable {
    var id = UUID()
    var board: Ref<Board>
    var name: String
    var rank: Double
    static let indexes: [Index<Column>] = [.on(\.board, \.rank)]
    static let relations: [Relation<Column>] = [.to(\.board, onDelete: .cascade)]
}

struct Card: Entity, Equatable {
    var id = UUID()
    var column: Ref<Column>
    var title: String
    var rank: Double
    var assignee: String?
    static let indexes: [Index<Card>] = [.on(\.column, \.rank)]
    static let relations: [Relation<Card>] = [.to(\.column, onDelete: .cascade)]
}
