/// A failed disk operation: which one, on which path, and why.
package struct DiskError: Error, Equatable, Sendable {
    package enum Operation: String, Sendable, CaseIterable {
        case makeDirectory, removeDirectory, list, status, open, read, write, preallocate, truncate
        case syncFile, syncDirectory, rename, remove, lock, close
    }

    package enum Reason: Equatable, Sendable {
        /// The system's error number.
        case system(Int32)
        /// The path is not what a store's file may be, such as a symbolic link.
        case insecure(String)
        /// Another process holds the lock; the text names it, as far as known.
        case locked(holder: String)

        /// The disk was suspended: nothing was changed.
        case suspended

        /// The path leads to a directory or a device instead of a file.
        package static var notAFile: Reason { .insecure("it is not a regular file") }
    }

    package let operation: Operation
    package let path: String
    package let reason: Reason

    package init(_ operation: Operation, _ path: String, _ reason: Reason) {
        self.operation = operation
        self.path = path
        self.reason = reason
    }

    package init(_ operation: Operation, _ path: DiskPath, _ reason: Reason) {
        self.init(operation, path.description, reason)
    }

    /// Whether the medium is full, or the user's share of it.
    package var isOutOfSpace: Bool {
        reason == .system(System.noSpace) || reason == .system(System.quotaExceeded)
    }

    /// Whether a sync failed. What the medium holds is unknown after that.
    package var isFailedSync: Bool {
        !isSuspension && (operation == .syncFile || operation == .syncDirectory)
    }

    /// Whether the disk was suspended, so that nothing was changed.
    package var isSuspension: Bool { reason == .suspended }

    /// Whether the system refuses access to the file for now: of a protected file while the phone
    /// is locked, for instance. Nothing was changed.
    package var isRefusedAccess: Bool {
        reason == .system(System.notPermitted) || reason == .system(System.accessDenied)
    }

    /// Whether the file system does not have the operation, or is read-only.
    package var isUnsupported: Bool {
        reason == .system(System.invalidArgument) || reason == .system(System.readOnly)
    }

    /// Whether the medium cannot return the bytes.
    package var isUnreadableMedium: Bool {
        operation == .read && reason == .system(System.inputOutput)
    }

    /// Whether the medium, or the way to it, has failed.
    package var isInputOutput: Bool { reason == .system(System.inputOutput) }

    /// Whether the path leads to nothing.
    package var isNotFound: Bool { reason == .system(System.notFound) }

    /// Whether the path, or a part of it, is a file where a directory should be.
    package var isNoDirectory: Bool { reason == .system(System.notADirectory) }
}

extension DiskError: CustomStringConvertible {
    package var description: String {
        switch reason {
        case .system(let code):
            "\(operation.rawValue) of \(path) failed: \(System.message(of: code)) (errno \(code))"
        case .insecure(let why):
            "\(path) is not safe to use: \(why)"
        case .locked(let holder):
            "\(path) is locked by \(holder)"
        case .suspended:
            "\(operation.rawValue) of \(path) was refused: the store is suspended"
        }
    }
}
