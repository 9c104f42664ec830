import SkyrosDisk
import SkyrosTesting

/// Runs a store through operations, faults and crashes that the input chooses, and compares it with
/// an oracle of acknowledged writes.
enum StoreFuzzer: Fuzzer {
    static let name = "store"
    static let inputBytesMax = 2_048

    static func seeds() throws -> [[UInt8]] {
        (1...16 as ClosedRange<UInt64>).map { seed in
            let random = SeededEntropy(seed: seed)
            return (0..<600).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
    }

    static func run(_ bytes: UnsafeRawBufferPointer) throws {
        guard let finding = finding(bytes, isTraced: false) else { return }
        throw FuzzFinding(self.finding(bytes, isTraced: true) ?? finding)
    }

    private static func finding(_ bytes: UnsafeRawBufferPointer, isTraced: Bool) -> String? {
        let choices = FuzzChoices(bytes)
        var run = CrashRun(choices, hasCheckpoint: choices.next() % 16 == 1, isTraced: isTraced)
        return run.finding()
    }
}

/// Random choices that come from an input: two bytes per number, and zeros after its end.
final class FuzzChoices: Entropy {
    private let input: Locked<FuzzInput>

    init(_ bytes: UnsafeRawBufferPointer) {
        input = Locked(FuzzInput(bytes))
    }

    func next() -> UInt64 { input.withLock { UInt64($0.word()) } }
}
