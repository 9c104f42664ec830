import BenchmarkModel
import Foundation
import Skyros

/// Stores that are written to be weighed: small segments, so that nearly all of them get sealed.
enum SealedStores {
    private static let segmentBytes = 4 << 20

    static func directory(of kind: LogSize.Kind, in place: URL) -> URL {
        switch kind {
        case .blocks: place.appending(path: "blocks")
        case .singles: place.appending(path: "singles")
        case .updates: place.appending(path: "updates")
        }
    }

    /// Writes a store with blocks, its copy with updates, and a store with single inserts.
    static func prepare(at place: URL, _ settings: Settings) throws {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try write(directory(of: .blocks, in: place)) { peer in
            try Fixture.insertRows(0..<settings.rows, into: peer)
        }
        let updated = directory(of: .updates, in: place)
        try FileManager.default.copyItem(at: directory(of: .blocks, in: place), to: updated)
        try write(updated) { peer in
            _ = try Updates.update(0..<settings.tailEvents, of: settings.rows, in: peer)
        }
        try write(directory(of: .singles, in: place)) { peer in
            _ = try SingleInserts.insert(0..<settings.rows, into: peer)
        }
    }

    private static func write(_ directory: URL, _ body: (SkyrosPeer) throws -> Void) throws {
        var options = Store.Options()
        options.openingTarget = .milliseconds(SkyrosPeer.never)
        options.segmentBytesMax = segmentBytes
        let peer = try SkyrosPeer(at: directory, options: options)
        try body(peer)
        try peer.close()
        // What was not sealed in time is sealed now.
        try SkyrosPeer(at: directory, options: options).close()
    }
}
