public import Foundation

extension Store {
    /// Where an app keeps a store that is named, not placed.
    public enum Location: Sendable {
        /// The directory for the data of the user's apps: Application Support on Apple's systems,
        /// elsewhere `$XDG_DATA_HOME`, or `$HOME/.local/share` without it.
        case applicationData
        /// The directory of an app group, which the group's apps and extensions share. Elsewhere
        /// than on Apple's systems, the directory of that name in the one for app data.
        case group(String)
        /// The resources of a bundle, for a store that was shipped with the app: read it with
        /// ``Archive``, or copy it first.
        case bundle(Bundle)
        /// A directory of the app's choice.
        case directory(URL)
    }

    /// The place of the store with this name, by the conventions of the platform:
    /// `NAME/Store/Store.skyros` in the directory of the location. It creates nothing.
    ///
    ///     let store = try Store(at: Store.url(for: "Kanban"), entities: Board.self)
    ///     // ~/.local/share/Kanban/Store/Store.skyros on Linux
    ///
    /// - Parameters:
    ///   - name: the name of the app, or of one of its stores.
    ///   - location: the directory.
    ///   - environment: the variables `XDG_DATA_HOME` and `HOME`. Default: those of the process.
    /// - Throws: `StoreError` with `.invalidInput` if the name is not a plain file name, no
    ///   variable is an absolute path, or there is no such group; `.notAStore` if the bundle has no
    ///   resources.
    public static func url(
        for name: String, in location: Location = .applicationData,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> URL {
        try checkPlain(name)
        let directory: URL
        switch location {
        case .applicationData: directory = try dataDirectory(environment)
        case .group(let group): directory = try groupDirectory(group, environment)
        case .bundle(let bundle):
            guard let resources = bundle.resourceURL else {
                throw StoreError(.notAStore, "the bundle \(bundle.bundlePath) has no resources")
            }
            directory = resources
        case .directory(let url): directory = url
        }
        return directory.appending(path: "\(name)/Store/Store.skyros", directoryHint: .isDirectory)
    }

    private static func checkPlain(_ name: String) throws {
        let isPlain =
            !["", ".", ".."].contains(name) && name.utf8.count <= 255
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
        guard isPlain else {
            throw StoreError(
                .invalidInput,
                "\"\(name)\" cannot be the name of a directory; use 1 to 255 bytes without a slash")
        }
    }
}

extension Store {
    #if canImport(Darwin)
        private static func dataDirectory(_ environment: [String: String]) throws -> URL {
            try StoreError.wrapping(.io, "the directory Application Support cannot be found") {
                try FileManager.default.url(
                    for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil,
                    create: false)
            }
        }

        private static func groupDirectory(
            _ group: String, _ environment: [String: String]
        ) throws -> URL {
            let directory = FileManager.default.containerURL(
                forSecurityApplicationGroupIdentifier: group)
            guard let directory else {
                throw StoreError(
                    .invalidInput,
                    "this app is not in the group \"\(group)\"; add it to the app's entitlements")
            }
            return directory
        }
    #else
        /// Source: XDG Base Directory Specification 0.8: a path that is not absolute is ignored.
        private static func dataDirectory(_ environment: [String: String]) throws -> URL {
            if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") {
                return URL(filePath: path, directoryHint: .isDirectory)
            }
            if let home = environment["HOME"], home.hasPrefix("/") {
                return URL(filePath: home, directoryHint: .isDirectory)
                    .appending(path: ".local/share", directoryHint: .isDirectory)
            }
            throw StoreError(
                .invalidInput,
                "neither XDG_DATA_HOME nor HOME is an absolute path; set one, or give "
                    + "Store(at:) a path")
        }

        private static func groupDirectory(
            _ group: String, _ environment: [String: String]
        ) throws -> URL {
            try checkPlain(group)
            return try dataDirectory(environment)
                .appending(path: group, directoryHint: .isDirectory)
        }
    #endif
}
