import Skyros

/// `skyros verify`: reads and checks everything.
struct VerifyCommand: Command {
    static let name = "verify"
    static let summary = "Check every checksum, the order, and checkpoint = fold(log)"
    static let usage = "STORE [--json]"
    static let details = """
        Reads the whole store and changes nothing. The exit code is 0 if all is well, 1 if not.

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
            ])
        } else {
            for problem in result.problems { Output.line("problem: \(problem)") }
            let digest = result.digest?.description ?? "unknown"
            let verdict = result.ok ? "all is well" : "damaged"
            Output.line("\(verdict): \(result.sequence) events, digest \(digest)")
        }
        return result.ok
    }

    /// A log that cannot even be opened is a finding, not a failure of the command.
    private func verify() throws -> Verification {
        do {
            let archive = try Archive(at: arguments.store)
            return archive.withBar("verifying") { archive.verify(progress: $0) }
        } catch let error as StoreError where error.code != .notAStore {
            return Verification(problem: error)
        }
    }
}
