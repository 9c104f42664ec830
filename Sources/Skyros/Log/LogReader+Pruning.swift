import SkyrosLog

extension LogReader {
    /// Runs `body`, which answers from several parts of the log, and repeats it if the log was
    /// pruned meanwhile.
    func whileFloorStays<R>(_ body: () throws -> R) throws -> R {
        while true {
            let first = firstSequence
            do {
                let answer = try body()
                if firstSequence == first { return answer }
            } catch let error as StoreError where error.code == .belowFloor {
                // Each repetition follows another prune.
                if firstSequence == first { throw error }
            }
        }
    }
}
