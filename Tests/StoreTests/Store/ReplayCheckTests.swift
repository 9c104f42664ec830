import Skyros
import SkyrosDisk
import Testing

/// An entity whose encoding changes with each call.
private struct Shifting: Entity {
    let id: Int
    nonisolated(unsafe) static var callCount = 0  // One thread of a child process uses it.

    enum CodingKeys: CodingKey { case id, call }

    init(id: Int) { self.id = id }

    init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
    }

    func encode(to encoder: any Encoder) throws {
        Self.callCount += 1
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(Self.callCount, forKey: .call)
    }
}

@Suite struct `The replay of each live write` {
    @Test func `stops the process if it leads to another state (F64)`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            InvariantChecks.enable()
            let store = try Store(inMemory: Shifting.self)
            try store.write { try $0.insert(Shifting(id: 1)) }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("event 1 is replayed to another state"))
        #expect(message.contains("the record 1 of Shifting"))
    }
}
