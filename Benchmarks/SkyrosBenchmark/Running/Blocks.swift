/// A range of rows, cut into blocks of 1,000.
struct Blocks: Sequence {
    private let rows: Range<Int>

    init(_ rows: Range<Int>) {
        self.rows = rows
    }

    var count: Int { (rows.count + Settings.blockRows - 1) / Settings.blockRows }

    func makeIterator() -> AnyIterator<Range<Int>> {
        var next = rows.lowerBound
        let end = rows.upperBound
        return AnyIterator {
            guard next < end else { return nil }
            let block = next..<Swift.min(next + Settings.blockRows, end)
            next = block.upperBound
            return block
        }
    }
}
