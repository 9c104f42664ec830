import Foundation
import Skyros

struct User: Entity, Equatable {
    var id = UUID()
    var firstname: String?
    var lastname: String?
    var age: Int?

    static let john = User(firstname: "John", lastname: "Doe", age: 40)
    static let jane = User(firstname: "Jane", lastname: "Doe", age: 38)
    static let mia = User(firstname: "Mia", lastname: "Ade", age: 7)
}

struct Pet: Entity, Equatable {
    var id = UUID()
    var name = "Rex"
}

struct Account: Entity, Equatable {
    var id: Int
    var amount = 0
}
