import Foundation
import Skyros

/// The entities that most tests use.
struct Restaurant: Entity, Equatable {
    var id = UUID()
    var name: String
    var cuisine: String
    var rating: Double?
    static let indexes: [Index<Restaurant>] = [.on(\.cuisine), .unique(\.name)]
}

struct Counter: Entity, Equatable {
    var id: String
    var value: Int
}

struct Note: Entity, Equatable {
    var id: Int
    var text: String
}
