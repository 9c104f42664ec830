import Foundation

/// The files of the repository, sorted by path.
struct SourceTree {
    let files: [SourceFile]

    init(_ files: [SourceFile]) {
        self.files = files.sorted { $0.path < $1.path }
    }

    /// What is neither written by hand nor kept: products of builds and of the system.
    private static let skipped: Set = [".git", ".build", ".swiftpm", "__pycache__", ".DS_Store"]

    /// Reads every file below `root` that is not a product of a build.
    static func read(at root: URL) throws -> SourceTree {
        var files: [SourceFile] = []
        try collect(root, path: "", into: &files)
        return SourceTree(files)
    }

    /// The directory of the repository that this file lies in.
    static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    static func repository() throws -> SourceTree { try read(at: root) }

    private static func collect(
        _ directory: URL, path: String, into files: inout [SourceFile]
    ) throws {
        for name in try FileManager.default.contentsOfDirectory(
            atPath: directory.path(percentEncoded: false))
        {
            if skipped.contains(name) || name.hasSuffix(".xcodeproj") { continue }
            let url = directory.appending(path: name)
            let path = path.isEmpty ? name : "\(path)/\(name)"
            var isDirectory: ObjCBool = false
            let file = url.path(percentEncoded: false)
            guard FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory) else {
                continue
            }
            if isDirectory.boolValue {
                try collect(url, path: path, into: &files)
            } else {
                let data = try Data(contentsOf: url)
                files.append(
                    SourceFile(
                        path, String(data: data, encoding: .utf8) ?? "", byteCount: data.count,
                        isExecutable: FileManager.default.isExecutableFile(atPath: file)))
            }
        }
    }
}
