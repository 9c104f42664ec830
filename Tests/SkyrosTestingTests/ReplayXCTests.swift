import Foundation
import Skyros
import SkyrosTesting
import XCTest

private struct Item: Entity {
    var id: Int
}

/// The same tool in the older framework: a failure is a thrown error there too.
final class ReplayXCTests: XCTestCase {
    func testAReplayWorksInXCTest() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "skyros-replay-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try Store(at: folder, entities: Item.self)
        try store.write(by: "alice") { try $0.insert(Item(id: 1)) }
        try store.close()
        XCTAssertNoThrow(try Replay(of: folder, entities: Item.self).run())
        XCTAssertThrowsError(
            try Replay(of: folder, entities: Item.self).checking("never") { _, _ in false }.run())
    }
}
