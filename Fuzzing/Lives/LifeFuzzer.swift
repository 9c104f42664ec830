import SkyrosDisk
import SkyrosTesting

/// Lives of a store that the input decides on, operation by operation and crash by crash, beside
/// an oracle that knows what was acknowledged.
enum LifeFuzzer: Fuzzer {
    static let name = "life"
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

/// Takes what others take for chance out of an input: two bytes a number, zeros behind its end.
final class FuzzChoices: Entropy {
    private let input: Locked<FuzzInput>

    init(_ bytes: UnsafeRawBufferPointer) {
        input = Locked(FuzzInput(bytes))
    }

    func next() -> UInt64 { input.withLock { UInt64($0.word()) } }
}
