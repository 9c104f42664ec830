import Skyros

struct Counter: Entity, Equatable {
    var id: String
    var value: Int
}

struct Note: Entity, Equatable {
    var id: Int
    var text: String
}
