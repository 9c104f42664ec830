/// A fuzzer: runs code on hostile bytes, and checks invariants that must hold for any bytes.
///
/// It must give the same verdict for the same bytes, in any order of inputs.
protocol Fuzzer: SendableMetatype {
    /// The name on the command line.
    static var name: String { get }

    /// The maximum size of an input.
    static var inputBytesMax: Int { get }

    /// The initial inputs, which the library writes.
    static func seeds() throws -> [[UInt8]]

    /// Runs the code on `bytes`. The buffer has no spare bytes, so that a sanitizer detects reads
    /// beyond its end.
    ///
    /// - Throws: a finding. Expected errors are caught.
    static func run(_ bytes: UnsafeRawBufferPointer) throws
}

extension Fuzzer {
    static func run(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try run($0) }
    }
}

/// A violated invariant.
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

/// Runs `body`; nil if it throws an error of the expected type.
func allowing<E: Error, R>(_ type: E.Type, _ body: () throws -> R) throws -> R? {
    do {
        return try body()
    } catch is E {
        return nil
    } catch {
        throw FuzzFinding("expected an error of type \(E.self), not \(error)")
    }
}
