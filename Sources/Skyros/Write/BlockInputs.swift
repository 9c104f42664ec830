import Foundation
import SkyrosDisk
import SkyrosLog

/// What a write block takes from outside the store: the time, and new ids.
///
/// Those of a command are kept with its event, and given again when it is executed again.
struct BlockInputs: Sendable {
    private enum Source {
        case live(any WallClock, any Entropy)
        case recorded(time: EventTime, ids: [UUID], salt: UInt64)
    }

    private let source: Source
    /// What the clock said when the block first asked; nil if it has not.
    private(set) var nowMicroseconds: Int64?
    /// The bytes of the ids that the command has got.
    private(set) var idBytes: [UInt8] = []
    private var idCount = 0
    /// Whether the block is a command, so that its ids are kept.
    private(set) var areKept = false
    /// What the command has returned.
    var output: [UInt8]?

    init(_ environment: Environment) {
        self.init(environment.clock, environment.entropy)
    }

    /// The clock and the random numbers of the machine.
    static var system: BlockInputs { BlockInputs(SystemClock(), SystemEntropy()) }

    private init(_ clock: any WallClock, _ entropy: any Entropy) {
        source = .live(clock, entropy)
    }

    /// The inputs that the command of an event has got.
    init(of event: borrowing Event) {
        self.init(
            at: event.time, ids: event.intent?.ids ?? [], salt: event.sequence.rawValue << 16)
    }

    /// Given inputs. After the given ids it makes others of `salt`, the same each time.
    init(at time: EventTime, ids: [UUID], salt: UInt64) {
        source = .recorded(time: time, ids: ids, salt: salt)
    }

    /// The time of the event that the block becomes, which follows one at `last`.
    mutating func time(after last: EventTime) -> EventTime {
        switch source {
        case .recorded(let time, _, _): return time
        case .live(let clock, _):
            let now = nowMicroseconds ?? clock.nowMicroseconds()
            nowMicroseconds = now
            return EventTime(after: last, now: now) ?? last
        }
    }

    mutating func newID() -> UUID {
        defer { idCount += 1 }
        switch source {
        case .live(_, let entropy):
            let id = UUID(random: (entropy.next(), entropy.next()))
            if areKept { withUnsafeBytes(of: id.uuid) { idBytes += $0 } }
            return id
        case .recorded(_, let ids, let salt):
            if idCount < ids.count { return ids[idCount] }
            var seed = CBORWriter()
            seed.append(salt)
            seed.append(Int64(idCount))
            return seed.withUnsafeBytes { bytes in
                UUID(random: (XXH64.hash(bytes, seed: 0), XXH64.hash(bytes, seed: 1)))
            }
        }
    }

    /// Begins to keep the ids that the block gets.
    mutating func keep() { areKept = true }

    /// Forgets what a block has got.
    mutating func reset() {
        guard nowMicroseconds != nil || areKept || idCount > 0 || output != nil else { return }
        (nowMicroseconds, idCount, areKept, output) = (nil, 0, false, nil)
        idBytes = []
    }
}

extension UUID {
    static var zero: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }

    /// A random UUID, version 4 of RFC 9562.
    init(random: (UInt64, UInt64)) {
        let high = random.0 & ~0xF000 | 0x4000
        let low = random.1 & ~(3 << 62) | 2 << 62
        self.init(
            uuid: withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
                $0.loadUnaligned(as: uuid_t.self)
            })
    }
}
