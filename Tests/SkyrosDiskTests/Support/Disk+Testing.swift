import SkyrosDisk
import TestSupport

extension Disk {
    /// Creates a file with this content.
    @discardableResult
    func make(_ path: DiskPath, _ bytes: [UInt8] = []) throws -> any DiskFile {
        let file = try open(path, .create)
        try file.write(bytes)
        return file
    }

    /// The whole content of a file.
    func bytes(of path: DiskPath) throws -> [UInt8] {
        let file = try open(path, .read)
        return try file.bytes(try file.status().sizeBytes)
    }
}

extension DiskFile {
    func write(_ bytes: [UInt8], at position: Int = 0) throws {
        try bytes.withUnsafeBytes { try write($0, at: position) }
    }

    /// Up to `count` bytes, as many as there are.
    func bytes(_ count: Int, at position: Int = 0) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0xEE, count: count)
        let read = try buffer.withUnsafeMutableBytes { try self.read(into: $0, at: position) }
        return Array(buffer.prefix(read))
    }
}

extension DiskError {
    var isInsecure: Bool {
        if case .insecure = reason { true } else { false }
    }

    /// The holder of the lock, if the lock caused the error.
    var lockHolder: String? {
        if case .locked(let holder) = reason { holder } else { nil }
    }
}

/// The error that `body` throws; nil if it throws none, or one of another kind.
func failure(_ body: () throws -> Void) -> DiskError? {
    failure(as: DiskError.self, body)
}

extension SerialQueue {
    /// Enqueues a job; a test has a thread to spare.
    func run(_ job: @escaping Job) {
        do throws(ThreadShortage) {
            try enqueue(job)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
