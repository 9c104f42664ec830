import Testing

@testable import Skyros

/// What copies of a map share, what a change copies, and what is given back.
@Suite struct `A row trie and its copies` {
    private static func map(of count: Int) -> RowTrie {
        var map = RowTrie()
        for number in 0..<count {
            map.insert(StateFixtures.row(number, hash: StateFixtures.mixed(number)))
        }
        return map
    }

    private static func replaceRow(_ number: Int, in map: inout RowTrie) {
        map.insert(StateFixtures.row(number, hash: StateFixtures.mixed(number), version: 1))
    }

    @Test func `is changed in place while there is no copy`() {
        var map = Self.map(of: 5_000)
        let nodes = map.nodes
        for number in 0..<5_000 { Self.replaceRow(number, in: &map) }
        #expect(map.nodes == nodes)
    }

    @Test func `copies one path at the first change beside a copy, and nothing at the next (F52)`()
    {
        var map = Self.map(of: 5_000)
        let snapshot = map
        #expect(map.nodes == snapshot.nodes)

        Self.replaceRow(17, in: &map)
        let afterFirst = map.nodes
        // A root, one branch of the second level, one leaf.
        #expect(afterFirst.subtracting(snapshot.nodes).count == 3)

        Self.replaceRow(17, in: &map)
        #expect(map.nodes == afterFirst)

        let hash = StateFixtures.mixed(17)
        #expect(snapshot.find(id: StateFixtures.id(17), hash: hash)?.number == 0)
        #expect(map.find(id: StateFixtures.id(17), hash: hash)?.number == 1)
    }

    @Test func `copies nothing when the row to remove is absent`() {
        var map = Self.map(of: 5_000)
        let snapshot = map
        map.remove(id: StateFixtures.id(5_000), hash: StateFixtures.mixed(5_000))
        #expect(map.nodes == snapshot.nodes)
    }

    @Test func `is changed in place again when the copy is gone`() {
        var map = Self.map(of: 5_000)
        do {
            let snapshot = map
            Self.replaceRow(17, in: &map)
            #expect(snapshot.count == 5_000)
        }
        let nodes = map.nodes
        for number in 0..<5_000 { Self.replaceRow(number, in: &map) }
        #expect(map.nodes == nodes)
    }

    @Test func `gives a row back when it is replaced, removed or dropped with the trie`() {
        weak var replaced: Row?
        weak var removed: Row?
        weak var dropped: Row?
        var map = Self.map(of: 1_000)
        replaced = map.find(id: StateFixtures.id(1), hash: StateFixtures.mixed(1))
        removed = map.find(id: StateFixtures.id(2), hash: StateFixtures.mixed(2))
        dropped = map.find(id: StateFixtures.id(3), hash: StateFixtures.mixed(3))

        var copy: RowTrie? = map
        Self.replaceRow(1, in: &map)
        map.remove(id: StateFixtures.id(2), hash: StateFixtures.mixed(2))
        #expect(copy?.count == 1_000)
        #expect(replaced != nil)
        #expect(removed != nil)

        copy = nil
        #expect(replaced == nil)
        #expect(removed == nil)
        #expect(dropped != nil)

        map = RowTrie()
        #expect(dropped == nil)
    }

    @Test func `stops visiting rows when the visitor has enough or throws`() throws {
        struct Enough: Error {}
        let map = Self.map(of: 500)
        var visited = 0
        map.forEach { _ in
            visited += 1
            return visited < 123
        }
        #expect(visited == 123)
        #expect(throws: Enough.self) { try map.forEach { _ in throw Enough() } }
    }

    @Test func `can be read on other threads while it is changed here`() async {
        var map = Self.map(of: 2_000)
        await withTaskGroup(of: Int.self) { group in
            for round in 0..<8 {
                let snapshot = map
                let expected = map.count
                group.addTask {
                    var found = 0
                    for number in 0..<4_000 {
                        let hash = StateFixtures.mixed(number)
                        found +=
                            snapshot.find(id: StateFixtures.id(number), hash: hash) == nil ? 0 : 1
                    }
                    return found == expected ? 0 : 1
                }
                for number in 0..<500 {
                    let changed = (number * 7 + round * 1_000) % 4_000
                    let hash = StateFixtures.mixed(changed)
                    if number % 3 == 0 {
                        map.remove(id: StateFixtures.id(changed), hash: hash)
                    } else {
                        map.insert(StateFixtures.row(changed, hash: hash, version: round))
                    }
                }
            }
            for await wrong in group { #expect(wrong == 0) }
        }
        #expect(map.brokenInvariant() == nil)
    }
}
