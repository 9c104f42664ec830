import Foundation
import Skyros
import SkyrosTesting
import XCTest

private struct Item: Entity {
    var id: Int
}

/// A replay in XCTest: a thrown failure fails the test there too.
final class ReplayXCTests: XCTestCase {
    func testAReplayWorksInXCTest() throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "skyros-replay-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try Store(at: directory, entities: Item.self)
        try store.write(by: "alice") { try $0.insert(Item(id: 1)) }
        try store.close()
        XCTAssertNoThrow(try Replay(of: directory, entities: Item.self).run())
        XCTAssertThrowsError(
            try Replay(of: directory, entities: Item.self).checking("never") { _, _ in false }.run()
        )
    }
}
