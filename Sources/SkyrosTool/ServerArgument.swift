import Foundation
import Skyros
import SkyrosPostgres

/// A store whose log is on a server, on the command line: `postgresql://host/database`, with the
/// schema after a `#` if it is another one than `skyros`.
struct ServerArgument {
    let url: String
    let schema: String

    private static let schemes = ["postgresql://", "postgres://"]

    /// Nil if the word is the directory of a store.
    init?(_ word: String) {
        guard Self.schemes.contains(where: { word.hasPrefix($0) }) else { return nil }
        let parts = word.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        url = String(parts[0])
        schema = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : "skyros"
    }

    /// The store, with a copy in a directory of the user's caches, or in `directory`.
    ///
    /// - Throws: `UsageError` if the tool was built without PostgreSQL.
    func place(_ role: NodeRole, cache directory: String? = nil) throws -> StorePlace {
        #if Postgres
            let cache =
                directory.map { URL(filePath: $0) } ?? Self.caches.appending(path: cacheName)
            // Where the copy is made, a server with one machine is no risk; writing asks for more.
            let allowsWeakDurability =
                ProcessInfo.processInfo.environment["SKYROS_ALLOWS_WEAK_DURABILITY"] == "1"
            return .postgres(
                url, cache: cache, schema: schema, role: role,
                allowsWeakDurability: allowsWeakDurability || role == .reader)
        #else
            throw UsageError(
                "this build of skyros does not know PostgreSQL; build it with "
                    + "`swift build --traits SystemZstd,Postgres`, which needs libpq")
        #endif
    }

    /// The argument as it was given, but for passwords.
    var word: String {
        let (start, rest) = Self.split(url, after: "://")
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        var place = String(rest)
        if let end = authority.lastIndex(of: "@"), let colon = authority[..<end].firstIndex(of: ":")
        {
            place = String(rest[..<colon] + rest[end...])
        }
        let (path, query) = Self.split(place, after: "?")
        let options = query.split(separator: "&").filter { !$0.hasPrefix("password=") }
            .filter { !$0.hasPrefix("sslpassword=") }
        let base = options.isEmpty ? String(path.prefix { $0 != "?" }) : path
        return start + base + options.joined(separator: "&")
            + (schema == "skyros" ? "" : "#\(schema)")
    }

    /// What people call the store: the database, and the schema if it is another one than `skyros`.
    var name: String {
        let rest = Self.split(url, after: "://").rest.prefix { $0 != "?" }
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let database = parts.count > 1 ? String(parts[1]) : ""
        return [database, schema == "skyros" ? "" : schema].filter { !$0.isEmpty }
            .joined(separator: "#")
    }

    private static func split(
        _ text: String, after separator: String
    ) -> (start: String, rest: Substring) {
        guard let range = text.range(of: separator) else { return (text, "") }
        return (String(text[..<range.upperBound]), text[range.upperBound...])
    }

    private static var caches: URL {
        let given = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"].map { URL(filePath: $0) }
        let home = FileManager.default.homeDirectoryForCurrentUser
        return (given ?? home.appending(path: ".cache")).appending(path: "skyros")
    }

    /// A name for the server and the schema, without the user and the password.
    private var cacheName: String {
        let rest = url.drop { $0 != "/" }.drop { $0 == "/" }
        let place = rest.prefix { $0 != "?" }.split(separator: "@").last ?? ""
        let text = "\(place)#\(schema)"
        return String(
            text.map { $0.isASCII && ($0.isLetter || $0.isNumber || ".-".contains($0)) ? $0 : "_" })
    }
}
