import Foundation
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Customer: Entity {
    var id: Int
    var name: String
}

@Suite struct `A diagnostic bundle` {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func store(on disk: SimulatedDisk = SimulatedDisk()) throws -> Store {
        let store = try Store(on: disk, entities: Customer.self)
        for id in 1...30 {
            try store.write(because: "for Eve \(id)") {
                try $0.insert(Customer(id: id, name: "Eve \(id)"))
            }
        }
        try store.setPosition(ofSubscription: "mail", to: 4)
        return store
    }

    private var url: URL { directory.url.appending(path: "Diagnostics") }

    private func write(_ store: Store, notes: [String: String] = [:]) throws -> DiagnosticBundle {
        try store.diagnosticBundle(
            into: url, last: 10, scrubbing: Scrubbing("Customer.name"), notes: notes)
    }

    @Test func `has the last events, and what the store says of itself`() throws {
        let store = try store()
        let bundle = try write(store, notes: ["app": "3.2"])
        #expect(bundle.url == url && bundle.fixture.firstOriginalEvent == 21)
        let archive = try Archive(at: url.appending(path: "history.skyros"))
        #expect(archive.sequence == 11 && bundle.fixture.sequence == 11)
        let text = try String(contentsOf: url.appending(path: "diagnostics.json"), encoding: .utf8)
        let json = try FieldValue(json: text)
        #expect(json["store"]?["sequence"] == .integer(30))
        #expect(json["store"]?["subscriptions"]?["mail"]?["sequence"] == .integer(4))
        #expect(json["notes"]?["app"] == .text("3.2"))
        #expect(json["formats"]?["log"] != nil && json["system"] != nil)
        // The store is in use as before.
        try store.write { try $0.insert(Customer(id: 31, name: "")) }
    }

    @Test func `of a store in memory is one, too`() async throws {
        let store = try Store(inMemory: Customer.self)
        try await store.write { try $0.insert(Customer(id: 1, name: "Eve 1")) }
        let bundle = try await store.diagnosticBundle(
            into: url, scrubbing: Scrubbing("Customer.name"))
        #expect(bundle.fixture.sequence == 1 && bundle.fixture.pseudonymCount == 1)
    }

    @Test func `has no value of a scrubbed field`() throws {
        _ = try write(try store())
        let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
        for case let file as URL in try #require(files) {
            guard let bytes = try? Data(contentsOf: file) else { continue }
            #expect(!String(decoding: bytes, as: UTF8.self).contains("Eve"), "\(file)")
        }
    }

    @Test func `has no value of a scrubbed field in a name`() throws {
        let store = try store()
        let note = failure(as: StoreError.self) { _ = try write(store, notes: ["Eve 7": "vip"]) }
        #expect(note?.code == .invalidInput && note?.message.contains("Eve 7") == true)
        // The names of the file itself are no values.
        try store.write { try $0.insert(Customer(id: 31, name: "sequence")) }
        try store.write { try $0.insert(Customer(id: 32, name: "Evelyn")) }
        _ = try write(store, notes: ["app": "3.2"])
        try FileManager.default.removeItem(at: url)
        try store.setPosition(ofSubscription: "mail-Evelyn", to: 4)
        let position = failure(as: StoreError.self) { _ = try write(store) }
        #expect(position?.code == .invalidInput && position?.message.contains("Evelyn") == true)
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func `leaves nothing after an error`() throws {
        let store = try store()
        let error = failure(as: StoreError.self) { _ = try write(store, notes: ["user": "Eve 7"]) }
        #expect(error?.code == .invalidInput && error?.message.contains("Eve 7") == true)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        #expect(failure(as: StoreError.self) { _ = try write(store, notes: ["a": "Eve 7"]) } != nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: url.path) == [])
        _ = try write(store)
        #expect(failure(as: StoreError.self) { _ = try write(store) }?.code == .invalidInput)
        #expect(try Archive(at: url.appending(path: "history.skyros")).sequence == 11)
    }
}
