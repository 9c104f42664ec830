import SkyrosDisk
import TestSupport
import Testing

@testable import Skyros

@Suite struct `A node arena` {
    @Test(arguments: [NodeArena.Mode.slabs, .malloc])
    func `gives blocks that do not overlap`(mode: NodeArena.Mode) {
        let memory = NodeArena(mode)
        var random = RandomSource(seed: 3)
        var blocks: [(start: UnsafeMutableRawPointer, size: Int, mark: UInt8)] = []
        for step in 0..<20_000 {
            if blocks.count > 500 || (!blocks.isEmpty && Int.random(in: 0..<3, using: &random) == 0)
            {
                let (start, size, mark) = blocks.remove(
                    at: Int.random(in: 0..<blocks.count, using: &random))
                let content = UnsafeRawBufferPointer(start: start, count: size)
                #expect(content.allSatisfy { $0 == mark })
                memory.free(start, byteCount: size)
            } else {
                // Up to sizes beyond those that are pooled.
                let size = Int.random(in: 16..<10_000, using: &random)
                let start = memory.allocate(byteCount: size)
                #expect(UInt(bitPattern: start) % UInt(NodeArena.blockUnit) == 0)
                let mark = UInt8(truncatingIfNeeded: step)
                start.initializeMemory(as: UInt8.self, repeating: mark, count: size)
                blocks.append((start, size, mark))
            }
        }
        for block in blocks { memory.free(block.start, byteCount: block.size) }
        #expect(memory.usedBytes == 0)
    }

    /// `scripts/test --deep` sets the variable for the address sanitizer.
    @Test func `takes each node from malloc where SKYROS_ARENA says so`() {
        #expect(NodeArena.Mode(setting: "malloc") == .malloc)
        #expect(NodeArena.Mode(setting: nil) == .slabs)
        #expect(NodeArena.Mode(setting: "") == .slabs)
        let isSet = System.environment("SKYROS_ARENA") == "malloc"
        #expect(NodeArena.Mode.ofProcess == (isSet ? .malloc : .slabs))
        // A block that is freed is not kept for the next one.
        let memory = NodeArena(.malloc)
        let blocks = (0..<100).map { _ in memory.allocate(byteCount: 200) }
        for block in blocks { memory.free(block, byteCount: 200) }
        #expect(memory.usedBytes == 0)
        #expect(memory.slabCount == 0)
    }

    @Test func `reuses a freed block before it takes more memory`() {
        let memory = NodeArena(.slabs)
        let first = memory.allocate(byteCount: 200)
        let second = memory.allocate(byteCount: 200)
        memory.free(first, byteCount: 200)
        #expect(memory.allocate(byteCount: 250) == first)
        #expect(memory.usedBytes == 512)
        memory.free(first, byteCount: 250)
        memory.free(second, byteCount: 200)
    }

    @Test func `cuts larger blocks that were freed before it takes more memory`() {
        let memory = NodeArena(.slabs)
        let large = memory.allocate(byteCount: 1_024)
        // Less than this is left of the first slab, and less than that when it has gone.
        let second = memory.allocate(byteCount: 2_560)
        memory.free(large, byteCount: 1_024)
        #expect(memory.allocate(byteCount: 640) == large)
        #expect(memory.allocate(byteCount: 384) == large + 640)
        memory.free(large, byteCount: 640)
        memory.free(large + 640, byteCount: 384)
        memory.free(second, byteCount: 2_560)
        #expect(memory.usedBytes == 0)
    }

    @Test(arguments: KeyShape.allCases)
    func `is empty after a tree and its copies`(shape: KeyShape) {
        var tree = IndexBTree()
        for number in 0..<3_000 {
            tree.insert(key: shape.key(number % 700), row: StateFixtures.row(number, hash: 0))
        }
        let full = tree.nodeBytes
        var copy: IndexBTree? = tree
        for number in 0..<3_000 {
            tree.remove(key: shape.key(number % 700), id: StateFixtures.id(number))
        }
        #expect(copy?.count == 3_000)
        #expect(tree.nodeBytes == full)
        copy = nil
        #expect(tree.nodeBytes == 0)
    }

    @Test func `is empty after a trie and its copies`() {
        var map = RowTrie()
        for number in 0..<3_000 {
            map.insert(StateFixtures.row(number, hash: StateFixtures.mixed(number)))
        }
        let full = map.nodeBytes
        var copy: RowTrie? = map
        for number in 0..<3_000 {
            map.remove(id: StateFixtures.id(number), hash: StateFixtures.mixed(number))
        }
        #expect(copy?.count == 3_000)
        #expect(map.nodeBytes == full)
        copy = nil
        #expect(map.nodeBytes == 0)
    }
}
