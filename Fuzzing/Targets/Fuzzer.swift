/// Something that is fed hostile bytes, and what must hold whatever they are.
///
/// A fuzzer must give the same verdict for the same bytes, in any order of inputs.
protocol Fuzzer: SendableMetatype {
    /// What it is called on the command line.
    static var name: String { get }

    /// The longest input that is worth trying.
    static var inputBytesMax: Int { get }

    /// Inputs to begin with, made by the library itself.
    static func seeds() throws -> [[UInt8]]

    /// Feeds `bytes`, whose memory ends where they end.
    ///
    /// - Throws: whatever must not happen. Errors that may happen stay inside.
    static func run(_ bytes: UnsafeRawBufferPointer) throws
}

extension Fuzzer {
    static func run(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try run($0) }
    }
}

/// What a fuzzer has found.
struct FuzzFinding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws a finding unless `condition` holds.
func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw FuzzFinding(description()) }
}

/// Runs `body`; nil if it throws an error of the type that it may throw.
func allowing<E: Error, R>(_ type: E.Type, _ body: () throws -> R) throws -> R? {
    do {
        return try body()
    } catch is E {
        return nil
    } catch {
        throw FuzzFinding("an error of another type than \(E.self): \(error)")
    }
}
