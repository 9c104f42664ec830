package import Foundation
package import Skyros

/// The entities that most tests use.
package struct Restaurant: Entity, Equatable {
    package var id: UUID
    package var name: String
    package var cuisine: String
    package var rating: Double?
    package static let indexes: [Index<Restaurant>] = [.on(\.cuisine), .unique(\.name)]

    package init(id: UUID = UUID(), name: String, cuisine: String, rating: Double? = nil) {
        self.id = id
        self.name = name
        self.cuisine = cuisine
        self.rating = rating
    }
}

package struct Counter: Entity, Equatable {
    package var id: String
    package var value: Int

    package init(id: String, value: Int) {
        self.id = id
        self.value = value
    }
}

package struct Note: Entity, Equatable {
    package var id: Int
    package var text: String

    package init(id: Int, text: String) {
        self.id = id
        self.text = text
    }
}
