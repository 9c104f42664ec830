import Skyros

/// `skyros verify`: reads and checks the whole store.
struct VerifyCommand: Command {
    static let name = "verify"
    static let summary = "Check all checksums, the order, and that checkpoint = fold(log)"
    static let usage = "STORE [--json]"
    static let details = """
        Reads the whole store and changes nothing. It continues after damage and lists all of it:
        the file, the byte, the frame, the affected events, and whether the place is below the
        durable watermark. A torn tail is the rest of a write that a crash interrupted. It is not
        damage, and the next opening moves it to the quarantine; whole events after it, which would
        go too, are a problem. So is a checkpoint that holds later events than the log, an event
        that is not encoded as the format demands, and a file in history/ that has other changes
        than the log. The exit code is 0 if there is no damage and no problem, else 1.

          skyros verify Orders.skyros
        """

    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        self.arguments = arguments
    }

    func run(_ output: Output) throws -> Bool {
        let result = try verify()
        if arguments.isJSON {
            try output.json([
                "ok": .bool(result.ok),
                "firstSequence": .integer(Int128(result.firstSequence.rawValue)),
                "sequence": .integer(Int128(result.sequence.rawValue)),
                "digest": result.digest.map { .text($0.description) },
                "problems": .array(result.problems.map { .text($0) }),
                "damages": .array(result.damages.map { DamageText.json($0) }),
                "tornTail": result.tornTail.map { DamageText.json($0) },
            ])
        } else {
            for problem in result.otherProblems { try output.line("problem: \(problem)") }
            for damage in result.damages { try output.line("damaged: \(DamageText.line(damage))") }
            if let torn = result.tornTail { try output.line("torn: \(DamageText.line(torn))") }
            let digest = result.digest?.description ?? "unknown"
            // A checkpoint that is wrong, or an event that is badly encoded, damages no log.
            let verdict = result.ok ? "ok" : result.damages.isEmpty ? "not ok" : "damaged"
            try output.line(
                result.isReadable
                    ? "\(verdict): "
                        + DamageText.extent(from: result.firstSequence, through: result.sequence)
                        + ", digest \(digest)"
                    : "not verified: this version cannot read the log")
        }
        return result.ok
    }

    /// Verifies the store as a whole; if that finds damage or fails, again up to the damage. A log
    /// that cannot be opened even so is a finding, not a failure of the command.
    private func verify() throws -> Verification {
        let bar = ProgressBar(
            ProgressBar.Step(.comparing, 0.15), ProgressBar.Step(.loading, 0.1),
            ProgressBar.Step(.reading, 0.65), ProgressBar.Step(.digesting, 0.1))
        defer { bar.finish() }
        if let archive = try? Archive(at: arguments.store) {
            let result = archive.verify { bar.update($0) }
            if result.damages.isEmpty { return result }
        }
        bar.continueWith(
            ProgressBar.Step(.scanning, 0.3), ProgressBar.Step(.comparing, 0.1),
            ProgressBar.Step(.loading, 0.1), ProgressBar.Step(.reading, 0.4),
            ProgressBar.Step(.digesting, 0.1))
        do {
            let archive = try Archive(at: arguments.store, reading: .upToDamage) {
                bar.update($0)
            }
            return archive.verify { bar.update($0) }
        } catch let error as StoreError where error.code != .notAStore {
            return Verification(problem: error)
        }
    }
}
