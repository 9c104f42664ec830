import Dispatch
import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `The options of a store` {
    @Test func `choose the queue of completions`() async throws {
        let key = DispatchSpecificKey<Int>()
        var options = Store.Options()
        options.callbackQueue = DispatchQueue(label: "mine")
        options.callbackQueue.setSpecific(key: key, value: 7)
        let store = try Store(inMemory: Note.self, options: options)
        let seen = await withCheckedContinuation { continuation in
            store.writeAsync {
                try $0.insert(Note(id: 1, text: ""))
            } completion: { _ in
                continuation.resume(returning: DispatchQueue.getSpecific(key: key))
            }
        }
        #expect(seen == 7)
    }

    @Test func `leave the name of a command to its type`() throws {
        struct Pay: DomainCommand {
            static let commandName = "pay"
            var cents: Int
        }
        let store = try Store(inMemory: Note.self)
        try store.write(intent: Pay(cents: 5)) { try $0.insert(Note(id: 1, text: "")) }
        let intent = try #require(try store.event(1)?.intent)
        #expect(intent.name == "pay")
        #expect(try intent.decode(as: Pay.self).cents == 5)
    }

    @Test(arguments: Durability.allCases)
    func `set the default durability of writes`(durability: Durability) throws {
        var options = Store.Options()
        #expect(options.durability == .buffered)
        options.durability = durability
        let store = try Store(inMemory: Note.self, options: options)
        let standard = try store.writeWithReceipt { try $0.insert(Note(id: 1, text: "")) }
        #expect(standard.receipt.durability == durability)
        let other = try store.writeWithReceipt(durability: .durable) { try $0.delete(Note.self, 1) }
        #expect(other.receipt.durability == .durable)
    }

    /// A checkpoint that fails is the only one that is reported.
    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `set how soon a checkpoint is written in the background`(openingTarget: Duration) throws {
        let directory = try TemporaryDirectory()
        let file = directory.store.appending(path: "checkpoint.sqlite")
        let errors = Locked<[any Error]>([])
        var options = Store.Options()
        options.openingTarget = openingTarget
        options.onError = { error in errors.withLock { $0.append(error) } }
        let store = try Store(at: directory.store, entities: Note.self, options: options)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        try store.write { try $0.insert(Note(id: 1, text: "")) }
        #expect(throws: StoreError(.checkpointFailed, "")) { try store.close() }
        // The error was enqueued before `close` returned.
        options.callbackQueue.sync {}
        #expect(errors.withLock { $0.map { ($0 as? StoreError)?.code } } == [.checkpointFailed])
    }

    @Test(arguments: [("eventBytesMax", Int.min), ("eventBytesMax", 0), ("segmentBytesMax", .min)])
    func `with which no store can work are refused (F76)`(option: String, value: Int) throws {
        let directory = try TemporaryDirectory()
        var options = Store.Options()
        if option == "eventBytesMax" { options.eventBytesMax = value }
        if option == "segmentBytesMax" { options.segmentBytesMax = value }
        let error = failure(as: StoreError.self) {
            _ = try Store(at: directory.store, entities: Note.self, options: options)
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("\(option) is \(value)") == true)
        #expect(throws: StoreError(.invalidInput, "")) {
            try Store(inMemory: Note.self, options: options)
        }
    }

    @Test(arguments: [0, 1, .max])
    func `may have extreme values`(value: Int) throws {
        let directory = try TemporaryDirectory()
        var options = Store.Options()
        options.openingTarget = .milliseconds(value)
        options.segmentBytesMax = value
        options.syncInterval = .milliseconds(value == .max ? -1 : value)
        if value > 1 { options.eventBytesMax = value }
        for id in 0..<5 {
            let store = try Store(at: directory.store, entities: Note.self, options: options)
            try store.write(durability: .durable) { try $0.insert(Note(id: id, text: "\(id)")) }
            try store.write { try $0.update(Note.self, id) { $0.text += "!" } }
            #expect(try store.event(store.sequence)?.changes.count == 1)
            try store.close()
        }
        let store = try Store(at: directory.store, entities: Note.self)
        #expect(try store.all(Note.self).map(\.text) == (0..<5).map { "\($0)!" })
        try store.close()
        #expect(try Archive(at: directory.store).verify().ok)
    }
}
