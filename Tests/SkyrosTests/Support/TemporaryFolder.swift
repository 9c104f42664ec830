import Foundation

/// A folder of its own for one test, removed when the test is done.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "skyros-\(UUID().uuidString)").resolvingSymlinksInPath()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Where the test's store is, or will be.
    var store: URL { url.appending(path: "Test.skyros") }

    /// The bytes of all files below, by their paths.
    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
            let file = url.appending(path: path)
            if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
                contents[path] = try Data(contentsOf: file)
            }
        }
        return contents
    }
}
