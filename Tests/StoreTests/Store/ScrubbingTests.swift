import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

/// The scrub of a store that is open, on its own threads.
@Suite(.mayHang) struct `A scrub in the background` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let store = try open()
        for id in 1...40 { try store.write { try $0.insert(Note(id: id, text: "text \(id)")) } }
        try store.close()
        // The next opening seals what was not sealed in time.
        try open().close()
        let events = directory.store.appending(path: "events")
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: events.path)
                .filter { $0.hasSuffix(".zst") }.min())
        let file = events.appending(path: name)
        var bytes = try Data(contentsOf: file)
        bytes[bytes.startIndex + 150] ^= 1
        try bytes.write(to: file)
    }

    private func open(
        interval: Duration? = nil, _ onError: (@Sendable (any Error) -> Void)? = nil
    ) throws -> Store {
        var options = Store.Options()
        options.segmentBytesMax = 500
        options.scrubInterval = interval
        options.onError = onError
        return try Store(at: directory.store, entities: Note.self, options: options)
    }

    @Test func `finds rot in a store that is idle, and in one that is written`() throws {
        for writes in [false, true] {
            try? FileManager.default.removeItem(
                at: directory.store.appending(path: "scrub.json"))
            let found = Monitor<[StoreError.Code]>([])
            let store = try open(interval: .milliseconds(1)) { error in
                if let code = (error as? StoreError)?.code { found.change { $0.append(code) } }
            }
            while writes, found.withLock(\.isEmpty) {
                try store.write { try $0.upsert(Note(id: 1, text: "\(store.sequence)")) }
            }
            let codes = found.wait { $0.isEmpty ? nil : $0 }
            #expect(codes == [.logCorrupt])
            try store.close()
            #expect(found.withLock { $0 } == [.logCorrupt])
            let scrub = try Archive(at: directory.store).info().scrub
            #expect(scrub?.damages.count == 1)
        }
    }

    @Test func `is shown by the tool, with its findings`() throws {
        let tool = try Program("skyros")
        let fresh = try tool.run("info", directory.store.path)
        #expect(fresh.output.contains("scrub"))
        #expect(fresh.output.contains("not yet"))
        let found = Monitor(false)
        let store = try open(interval: .milliseconds(1)) { _ in found.change { $0 = true } }
        found.wait { $0 ? () : nil }
        try store.close()
        let text = try tool.run("info", directory.store.path)
        #expect(text.status == 0)
        #expect(text.output.contains("events/00000000000000000001.zst at byte"))
        let json = try tool.run("info", directory.store.path, "--json")
        let scrub = try #require(try FieldValue(json: json.output)["scrub"])
        let damage = try #require(scrub["damages"]?.array?.first)
        #expect(damage["file"]?.text == "events/00000000000000000001.zst")
        #expect(damage["code"]?.text == "logCorrupt")
        #expect(damage["from"]?.integer == 1 && damage["offset"]?.integer != nil)
    }
}
