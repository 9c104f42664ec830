import Skyros

extension Archive {
    /// The state at a moment; shows a progress bar while the log is folded.
    func fold(asOf moment: Moment?) throws -> Snapshot {
        try withBar("reading", through: moment) { progress in
            try snapshot(asOf: moment, progress: progress)
        }
    }

    /// Runs `body`, which reads the events up to a moment and reports its progress.
    func withBar<R>(
        _ label: String, through moment: Moment? = nil,
        _ body: ((SequenceNumber) -> Void) throws -> R
    ) rethrows -> R {
        var total = sequence
        if case .sequence(let last) = moment { total = last }
        let bar = ProgressBar(label, total: total.rawValue)
        defer { bar.finish() }
        return try body { bar.update($0.rawValue) }
    }
}
