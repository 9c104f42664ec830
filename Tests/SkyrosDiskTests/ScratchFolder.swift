import Foundation

/// A folder for one test, which is not there yet; removed with all that is in it.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        let parent = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        path = parent.appending(path: "skyros-disk-\(UUID().uuidString)").path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The permissions of what is at a path below, such as 0o600.
    func mode(_ name: String = "") throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }
}
