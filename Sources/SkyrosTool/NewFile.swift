import Foundation
import Skyros

/// A file or directory that appears under its name when it is complete, or not at all.
///
/// Until then it has a temporary name beside it. It is removed after an error and at SIGINT,
/// SIGTERM and SIGHUP; after a SIGKILL, the next command that writes into the directory removes it.
struct NewFile {
    /// The path that it will have.
    let target: String
    private let directory: String

    /// - Throws: `StoreError` with `.invalidInput` if something is at the path already.
    private init(at url: URL) throws {
        target = url.path(percentEncoded: false)
        let parent = url.deletingLastPathComponent().path(percentEncoded: false)
        directory = parent.isEmpty ? "." : String(parent.trimmingSuffix("/"))
    }

    /// Calls `body` with a sink for a new text file.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if the file exists, `.io` or `.diskFull`; errors
    ///   of `body`.
    static func writeText<R>(at url: URL, _ body: (TextSink) throws -> R) throws -> R {
        let file = try NewFile(at: url)
        try file.requireAbsence()
        return try file.makeText(body) { try file.link(from: $0) }
    }

    /// The same for a file that may replace one.
    static func replaceText<R>(at url: URL, _ body: (TextSink) throws -> R) throws -> R {
        let file = try NewFile(at: url)
        return try file.makeText(body) { path in
            guard rename(path, file.target) == 0 else {
                throw StoreError(errno: errno, "\(file.target) cannot be replaced")
            }
        }
    }

    private func makeText<R>(
        _ body: (TextSink) throws -> R, naming: (_ path: String) throws -> Void
    ) throws -> R {
        return try make { path in
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw StoreError(errno: errno, "\(target) cannot be created")
            }
            let result: R
            do {
                let sink = TextSink(descriptor, target)
                result = try body(sink)
                try sink.flush()
            } catch {
                close(descriptor)
                throw error
            }
            // Some file systems only report at this point that the disk is full.
            let isSynced = fsync(descriptor) == 0
            let code = errno
            guard close(descriptor) == 0, isSynced else {
                let code = isSynced ? errno : code
                throw StoreError(errno: code, "\(target) cannot be written")
            }
            return result
        } naming: {
            try naming($0)
        }
    }

    /// Calls `body` with the path at which it must create a file by other means.
    static func writeFile<R>(at url: URL, _ body: (URL) throws -> R) throws -> R {
        let file = try NewFile(at: url)
        try file.requireAbsence()
        return try file.make { path in
            return try body(URL(filePath: path))
        } naming: {
            try file.link(from: $0)
        }
    }

    /// Calls `body` with the path of a new directory. An empty directory at the path is replaced.
    static func writeDirectory<R>(at url: URL, _ body: (URL) throws -> R) throws -> R {
        let file = try NewFile(at: url)
        let contents = try? FileManager.default.contentsOfDirectory(atPath: file.target)
        guard let contents else {
            try file.requireAbsence()
            return try writeDirectory(file, body)
        }
        guard contents.isEmpty else {
            throw StoreError(
                .invalidInput, "\(file.target): the directory is not empty; name another one")
        }
        return try writeDirectory(file, body)
    }

    private static func writeDirectory<R>(
        _ file: NewFile, _ body: (URL) throws -> R
    ) throws -> R {
        return try file.make { path in
            guard mkdir(path, 0o700) == 0 else {
                throw StoreError(errno: errno, "\(file.target) cannot be created")
            }
            return try body(URL(filePath: path))
        } naming: { path in
            guard rename(path, file.target) == 0 else {
                throw StoreError(errno: errno, "\(file.target) cannot be created")
            }
        }
    }

    private func requireAbsence() throws {
        var status = stat()
        guard lstat(target, &status) == 0 else { return }
        throw exists
    }

    private var exists: StoreError {
        StoreError(.invalidInput, "\(target) exists already; remove it or name another")
    }

    private func make<R>(
        _ body: (_ path: String) throws -> R, naming: (_ path: String) throws -> Void
    ) throws -> R {
        let path = UnfinishedFiles.makePath(in: directory)
        UnfinishedFiles.add(path)
        do {
            let result = try body(path)
            try UnfinishedFiles.publish(path) { try naming(path) }
            syncDirectory()
            return result
        } catch {
            UnfinishedFiles.remove(path)
            throw named(error, insteadOf: path)
        }
    }

    /// Syncs the directory. The file is complete and has its name, and not every file system syncs
    /// directories, so an error is ignored.
    private func syncDirectory() {
        let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Gives the file at `path` its name, unless another file has it meanwhile.
    private func link(from path: String) throws {
        if Foundation.link(path, target) == 0 {
            unlink(path)
            return
        }
        guard errno != EEXIST else { throw exists }
        // The file system has no hard links.
        try requireAbsence()
        guard rename(path, target) == 0 else {
            throw StoreError(errno: errno, "\(target) cannot be created")
        }
    }

    /// The error with the file's name in place of the temporary one.
    private func named(_ error: any Error, insteadOf path: String) -> any Error {
        guard let error = error as? StoreError else { return error }
        let name = URL(filePath: path).lastPathComponent
        let own = URL(filePath: target).lastPathComponent
        func named(_ text: String) -> String {
            text.replacing(path, with: target).replacing(name, with: own)
        }
        var place = error.place
        place.file = place.file.map(named)
        return StoreError(
            error.code, named(error.message), at: place, cause: error.cause.map(named))
    }
}

extension String {
    /// The text without the last character, if that is `suffix` and not all of it.
    fileprivate func trimmingSuffix(_ suffix: Character) -> Substring {
        count > 1 && last == suffix ? dropLast() : self[...]
    }
}
