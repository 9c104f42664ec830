/// Median and percentiles.
enum Statistics {
    /// The middle value; the mean of both middle ones if their number is even.
    static func median(_ values: [Double]) -> Double? {
        let sorted = values.sorted()
        guard let last = sorted.last else { return nil }
        let middle = sorted.count / 2
        if sorted.count == 1 { return last }
        return sorted.count.isMultiple(of: 2)
            ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The smallest value that is at least as large as `share` of all; `sorted` is not empty.
    static func percentile(_ share: Double, of sorted: [Double]) -> Double {
        let rank = (share * Double(sorted.count)).rounded(.up)
        return sorted[min(max(Int(rank) - 1, 0), sorted.count - 1)]
    }
}
