import Foundation
import Skyros
import TestSupport
import Testing

// The code of docs/migrating/README.md.

private struct User: Entity {
    var id: Int
}

@Suite struct `The index of the migration guides` {
    @Test func `shows code that is compiled and run here`() throws {
        let store = try Store(inMemory: User.self)
        let users = [User(id: 1), User(id: 2)]
        try store.write(by: "migration", because: "from the old store") { tx in
            try tx.upsert(users)
        }
        #expect(try store.count(User.self) == 2)

        let tests = try Page.sources(in: "Tests/ExampleTests/Guides")
        let code = try Page("docs/migrating/README.md").code
        #expect(code.count == 1 && code.allSatisfy { tests.contains($0.words) })
    }
}
