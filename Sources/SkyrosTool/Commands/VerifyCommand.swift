import Skyros

/// `skyros verify`: reads and checks everything.
struct VerifyCommand: Command {
    static let name = "verify"
    static let summary = "Check every checksum, the order, and checkpoint = fold(log)"
    static let usage = "STORE [--json]"
    static let details = """
        Reads the whole store and changes nothing. It goes on behind damage and names all of it: the
        file, the byte, the frame, the events that stand there, and whether the place lies below the
        durable watermark. A torn tail is what a crash left of the last write: no damage, as the
        next opening sets it aside. The exit code is 0 if all is well, 1 if not.

          skyros verify Orders.skyros
        """

    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        guard arguments.rest.isEmpty else { throw UsageError("verify takes the store alone") }
        self.arguments = arguments
    }

    func run() throws -> Bool {
        let result = try verify()
        if arguments.isJSON {
            Output.json([
                "ok": .bool(result.ok),
                "sequence": .integer(Int128(result.sequence.rawValue)),
                "digest": result.digest.map { .text($0.description) },
                "problems": .array(result.problems.map { .text($0) }),
                "damages": .array(result.damages.map { DamageText.json($0) }),
                "tornTail": result.tornTail.map { DamageText.json($0) },
            ])
        } else {
            for problem in result.otherProblems { Output.line("problem: \(problem)") }
            for damage in result.damages { Output.line("damaged: \(DamageText.line(damage))") }
            if let torn = result.tornTail { Output.line("torn: \(DamageText.line(torn))") }
            let digest = result.digest?.description ?? "unknown"
            let verdict = result.ok ? "all is well" : "damaged"
            Output.line("\(verdict): \(result.sequence) events, digest \(digest)")
        }
        return result.ok
    }

    /// Damage that ends a look at the whole is looked at again, up to there. A log that cannot even
    /// be opened so is a finding, not a failure of the command.
    private func verify() throws -> Verification {
        if let archive = try? Archive(at: arguments.store) {
            let result = archive.withBar("verifying") { archive.verify(progress: $0) }
            if result.damages.isEmpty { return result }
        }
        do {
            let archive = try Archive(at: arguments.store, reading: .upToDamage)
            return archive.withBar("verifying") { archive.verify(progress: $0) }
        } catch let error as StoreError where error.code != .notAStore {
            return Verification(problem: error)
        }
    }
}
