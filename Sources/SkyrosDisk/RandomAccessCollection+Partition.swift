extension RandomAccessCollection where Index == Int {
    /// The first index whose element fulfils `isAfter`, which all later elements fulfil too; the
    /// end if there is none. O(log n).
    @inlinable
    package func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
