import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// Nodes that append to one log while servers and connections fail, by a seed.
private struct QuorumRun {
    private let quorum: SimulatedQuorum
    private var nodes: [Node] = []
    private var random: RandomSource
    /// What was acknowledged, by sequence, and what was refused.
    private var acknowledged: [UInt64: [UInt8]] = [:]
    private var refused: Set<[UInt8]> = []
    private var number = 0
    private static let common: [UInt8] = [3, 0, 7]
    /// What was acknowledged and is not in the log.
    private(set) var losses: [String] = []
    /// What may never happen, not even if a server is promoted that has less than another one.
    private(set) var problems: [String] = []
    /// How often batches were compressed.
    private(set) var frameCount = 0

    private struct Node {
        var disk = SimulatedDisk()
        var log: RemoteLog?
    }

    init(seed: UInt64, promotesAny: Bool, canary: SimulatedQuorum.Canary?) {
        random = RandomSource(seed: seed)
        let faults = Locked(RandomSource(seed: ~seed))
        quorum = SimulatedQuorum(
            LogFixture().storeID, promotesAny: promotesAny, canary: canary, sharesTurn: true
        ) {
            faults.withLock { faults in
                let events = SimulatedQuorum.Event.allCases
                return faults.below(2) == 0 ? .none : events[faults.below(events.count)]
            }
        }
        nodes = (0..<3).map { _ in Node() }
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps { try step(random.below(nodes.count)) }
        check()
    }

    private mutating func step(_ index: Int) throws {
        if random.below(8) == 0 {
            // The process dies; its files stay.
            nodes[index].log = nil
            nodes[index].disk = nodes[index].disk.killed()
        }
        do {
            if nodes[index].log == nil { nodes[index].log = try open(index) }
        } catch {
            return problems.append("\(error)")
        }
        guard let log = nodes[index].log else { return }
        var sent: [(UInt64, [UInt8])] = []
        for _ in 0...random.below(3) {
            number += 1
            // Other nodes write the same bytes, too.
            let batch =
                random.below(3) == 0
                ? Self.common
                : [5, UInt8(index), UInt8(number & 255), UInt8(number >> 8), 7]
            let sequence = log.end.head.sequence + 1
            _ = try log.append(batch, as: sequence, deferring: true)
            sent.append((sequence, batch))
        }
        if random.below(5) == 0 { seal(log) }
        // The next attempt is the first one on another connection.
        if random.below(5) == 0 { log.server.disconnect() }
        do throws(LogError) {
            try log.flush()
            for (sequence, batch) in sent {
                if let before = acknowledged.updateValue(batch, forKey: sequence) {
                    losses.append("\(before) and \(batch) are both batch \(sequence)")
                }
            }
        } catch {
            nodes[index].log = nil
            guard error.code == .notWriter else { return }
            refused.formUnion(sent.map(\.1).filter { $0 != Self.common })
        }
    }

    /// Compresses batches on the server, perhaps as a node that should not write any more.
    private mutating func seal(_ log: RemoteLog) {
        let server = quorum.connection()
        do throws(ServerError) {
            try server.connect()
            while try log.seal(with: server) {}
        } catch {
            if case .refused(let refusal) = error { problems.append("\(refusal)") }
        }
    }

    /// Opens the log of a node, as far as the servers let it.
    private func open(_ index: Int) throws -> RemoteLog? {
        var options = RemoteLogOptions()
        options.pause = { _ in }
        (options.unsealedCountMax, options.keptCount, options.frameBytes) = (6, 2, 20)
        let server = quorum.connection()
        for _ in 0..<20 {
            do throws(ServerError) {
                try server.connect()
                let local = try local(index, server)
                let log = RemoteLog(server, local, options)
                if try log.takeTurn() { return log }
            } catch {
                if case .refused(let refusal) = error { throw refusal }
            }
        }
        return nil
    }

    private func local(
        _ index: Int, _ server: any LogServer
    ) throws(ServerError) -> FileLog {
        let disk = nodes[index].disk
        do {
            let inspection = try LogFixture().inspect(disk)
            if inspection.storeID != nil {
                let log = try LogFixture().open(disk).0
                if try log.catchUp(with: server, time: { _ in 0 }) == .complete { return log }
            }
            // Its history was replaced: the local files are a copy only.
            let fresh = try LogFixture().make(on: SimulatedDisk())
            guard try fresh.catchUp(with: server, time: { _ in 0 }) == .complete else {
                throw ServerError.unavailable("an empty log does not fit")
            }
            return fresh
        } catch let error as ServerError {
            throw error
        } catch {
            throw .unavailable("\(error)")
        }
    }

    /// The batches as a node reads them that has none yet.
    private func readAnew() throws -> [[UInt8]] {
        let server = quorum.connection()
        for _ in 0..<1_000 {
            let fresh = try LogFixture().make(on: SimulatedDisk())
            do throws(ServerError) {
                try server.connect()
                _ = try fresh.catchUp(with: server, time: { _ in 0 })
            } catch {
                if case .refused(let refusal) = error { throw refusal }
                continue
            }
            return try fresh.batches()
        }
        return []
    }

    private mutating func check() {
        do {
            if try readAnew() != quorum.batches.map(\.bytes) {
                problems.append("a new node reads other batches")
            }
        } catch {
            problems.append("a new node cannot read: \(error)")
        }
        frameCount = quorum.frameCount
        let final = quorum.batches
        var chainHash = ChainHash(beginning: quorum.storeID)
        for (index, batch) in final.enumerated() {
            chainHash = chainHash.advanced(by: batch.bytes.withBytes { XXH64.hash($0) })
            if batch.sequence != index + 1 { problems.append("batch \(index + 1) is missing") }
            if batch.chainHash != chainHash { problems.append("batch \(index + 1) is off") }
        }
        for (sequence, bytes) in acknowledged {
            if bytes == Self.common {
                let isThere = sequence <= final.count && final[Int(sequence) - 1].bytes == bytes
                if !isThere { losses.append("batch \(sequence) is lost") }
                continue
            }
            let found = final.filter { $0.bytes == bytes }.map(\.sequence)
            if found.isEmpty { losses.append("batch \(sequence) is lost") }
            if found.contains(where: { $0 != sequence }) {
                problems.append("batch \(sequence) is at \(found)")
            }
        }
        for batch in final where refused.contains(batch.bytes) {
            problems.append("\(batch.sequence) was refused")
        }
        if acknowledged.isEmpty { problems.append("nothing was acknowledged") }
    }
}

@Suite(.long) struct `A log on a quorum of servers` {
    private static func run(
        _ seeds: Range<UInt64>, promotesAny: Bool = false, _ canary: SimulatedQuorum.Canary? = nil
    ) throws -> (losses: [String], problems: [String], frameCount: Int) {
        var (losses, problems): ([String], [String]) = ([], [])
        var frameCount = 0
        for seed in seeds {
            var run = QuorumRun(seed: seed, promotesAny: promotesAny, canary: canary)
            try run.run(steps: 30)
            losses += run.losses.map { "seed \(seed): \($0)" }
            problems += run.problems.map { "seed \(seed): \($0)" }
            frameCount += run.frameCount
        }
        return (losses, problems, frameCount)
    }

    private static let seeds = 0..<UInt64(Extent.pick(brief: 100, quick: 1_000, deep: 20_000))

    @Test func `loses nothing that it has acknowledged, and writes nothing twice`() throws {
        let found = try Self.run(Self.seeds)
        #expect(found.losses.isEmpty, "\(found.losses.prefix(5))")
        #expect(found.problems.isEmpty, "\(found.problems.prefix(5))")
        #expect(found.frameCount > Self.seeds.count)
    }

    @Test func `keeps one history if a wrong server is promoted`() throws {
        let found = try Self.run(Self.seeds, promotesAny: true)
        #expect(!found.losses.isEmpty)
        #expect(found.problems.isEmpty, "\(found.problems.prefix(5))")
    }

    @Test func `would lose what is acknowledged with a warning`() throws {
        #expect(try !Self.run(0..<200, .ignoresWarnings).losses.isEmpty)
    }

    @Test func `would mix histories without the chain hash`() throws {
        let found = try Self.run(0..<200, promotesAny: true, .comparesNumbersOnly)
        #expect(!found.problems.isEmpty)
    }

    @Test func `would read another history if a deposed writer could compress its own`() throws {
        let found = try Self.run(0..<1_000, promotesAny: true, .sealsWithoutComparing)
        #expect(!found.problems.isEmpty)
    }
}
