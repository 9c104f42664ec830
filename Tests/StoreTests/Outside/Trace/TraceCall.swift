/// A system call, as `strace -f -y` prints it.
struct TraceCall: Equatable {
    let thread: Int
    let name: String
    /// The printed arguments, split at the commas.
    let arguments: [String]
    /// The return value; nil if the call never returned.
    let result: Int?
    /// The name of the error, such as `EIO`.
    let error: String?
    let isInjected: Bool
    /// The line of the trace on which the call began, counted from 1.
    let began: Int
    /// The line on which the call returned; nil if it never returned.
    let ended: Int?

    var succeeded: Bool { result != nil && error == nil }

    /// The path of an argument that is a descriptor: `7</store/events>`.
    func descriptorPath(_ index: Int) -> String? {
        guard index < arguments.count, let start = arguments[index].firstIndex(of: "<"),
            arguments[index].last == ">"
        else { return nil }
        return String(arguments[index][start...].dropFirst().dropLast())
    }

    /// The bytes of an argument that is a string, as far as strace printed it.
    func bytes(_ index: Int) -> [UInt8]? {
        index < arguments.count ? TraceText.bytes(arguments[index]) : nil
    }

    /// The path that the call names, or the path of its descriptor.
    var subject: String? {
        switch name {
        case "open", "creat", "stat", "lstat", "access", "unlink", "mkdir", "rename": path(0)
        case "openat", "newfstatat", "unlinkat", "mkdirat", "renameat", "renameat2", "fchmodat":
            path(1, below: 0)
        default: descriptorPath(0)
        }
    }

    /// The second path of a rename.
    var target: String? {
        switch name {
        case "rename": path(1)
        case "renameat", "renameat2": path(3, below: 2)
        default: nil
        }
    }

    /// The path in an argument; a relative one is resolved against the directory in `directory`.
    private func path(_ index: Int, below directory: Int? = nil) -> String? {
        guard let bytes = bytes(index) else { return nil }
        let name = String(decoding: bytes, as: UTF8.self)
        guard let directory, !name.hasPrefix("/") else { return name }
        return descriptorPath(directory).map { name.isEmpty ? $0 : "\($0)/\(name)" }
    }
}

/// String literals, as `strace` prints them.
enum TraceText {
    /// The bytes of a string literal; nil if the argument is none.
    static func bytes(_ argument: String) -> [UInt8]? {
        var rest = Array(argument.utf8)[...]
        guard rest.popFirst() == quote else { return nil }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != quote {
            bytes.append(byte == backslash ? escaped(&rest) : byte)
        }
        return bytes
    }

    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")

    /// Reads the escape sequence after a backslash.
    private static func escaped(_ rest: inout ArraySlice<UInt8>) -> UInt8 {
        guard let byte = rest.popFirst() else { return backslash }
        switch byte {
        case UInt8(ascii: "n"): return 10
        case UInt8(ascii: "t"): return 9
        case UInt8(ascii: "r"): return 13
        case UInt8(ascii: "v"): return 11
        case UInt8(ascii: "f"): return 12
        case UInt8(ascii: "x"):
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            rest = rest.dropFirst(2)
            return UInt8(digits, radix: 16) ?? 0
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            let digits = [byte] + rest.prefix { (48...55).contains($0) }.prefix(2)
            rest = rest.dropFirst(digits.count - 1)
            return UInt8(String(decoding: digits, as: UTF8.self), radix: 8) ?? 0
        default: return byte
        }
    }
}
