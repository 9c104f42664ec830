import Testing

@testable import Skyros

@Suite struct `The components of an index key` {
    @Test func `are told apart whatever the values are`() throws {
        var random = RandomSource(seed: 11)
        for _ in 0..<2_000 {
            let values = (0..<4).map { _ in random.value() }
            let keys = try values.map { value in
                try value.encoded().withBytes { try IndexKey.append($0, to: ByteString([])) }
            }
            let whole = ByteString(keys.flatMap(\.array))
            var ranks: [UInt8] = []
            let isComplete = IndexKey.allComponents(of: whole) { place, rank in
                #expect(place == ranks.count)
                ranks.append(rank)
                return true
            }
            #expect(isComplete)
            try #require(ranks == keys.compactMap(\.array.first))
        }
    }

    @Test func `are looked at until one is refused`() {
        var places: [Int] = []
        let isComplete = IndexKey.allComponents(of: ByteString([0, 1, 2])) { place, rank in
            places.append(place)
            return rank < 1
        }
        #expect(!isComplete)
        #expect(places == [0, 1])
    }
}
