import Foundation
import Skyros
import SkyrosPostgres

/// A store whose log is on a server, on the command line: `postgresql://host/database`, with the
/// schema after a `#` if it is another one than `skyros`.
struct ServerArgument {
    let url: String
    let schema: String
    private let scheme: String
    /// The user, and perhaps a password, with the "@" after them.
    private let account: Substring
    /// The hosts, and the database.
    private let place: Substring
    private let options: [Substring]

    private static let schemes = ["postgresql://", "postgres://"]

    /// Nil if the word is the directory of a store.
    init?(_ word: String) {
        guard let scheme = Self.schemes.first(where: { word.hasPrefix($0) }) else { return nil }
        let rest = word.dropFirst(scheme.count)
        // libpq takes what is before the first "@" for the account, whatever characters it has, if
        // no "/" is before it. A later "@" may be of the password, too: no host has one.
        let hosts = rest.prefix { $0 != "/" }.drop { $0 != "@" }.prefix { $0 != "?" }
        account = rest[..<(hosts.lastIndex(of: "@").map(rest.index(after:)) ?? rest.startIndex)]
        let parts = Self.split(rest[account.endIndex...], at: "#")
        let (place, query) = Self.split(parts.first, at: "?")
        schema = parts.rest.isEmpty ? "skyros" : String(parts.rest)
        url = scheme + account + parts.first
        options = query.split(separator: "&")
        (self.scheme, self.place) = (scheme, place)
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
        let user = account.isEmpty ? "" : account.prefix { $0 != ":" && $0 != "@" } + "@"
        let shown = options.filter { option in
            let name = String(option.prefix { $0 != "=" })
            return !["password", "sslpassword"].contains(name.removingPercentEncoding)
        }
        let query = shown.isEmpty ? "" : "?" + shown.joined(separator: "&")
        return scheme + user + place + query + (schema == "skyros" ? "" : "#\(schema)")
    }

    /// What people call the store: the database, and the schema if it is another one than `skyros`.
    var name: String {
        [Self.split(place, at: "/").rest, schema == "skyros" ? "" : schema[...]]
            .filter { !$0.isEmpty }.joined(separator: "#")
    }

    private static func split(
        _ text: Substring, at separator: Character
    ) -> (first: Substring, rest: Substring) {
        let first = text.prefix { $0 != separator }
        return (first, text[first.endIndex...].dropFirst())
    }

    private static var caches: URL {
        let given = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"].map { URL(filePath: $0) }
        let home = FileManager.default.homeDirectoryForCurrentUser
        return (given ?? home.appending(path: ".cache")).appending(path: "skyros")
    }

    /// The options that say which server and database it is, as the place does.
    private static let placeOptions: Set = ["dbname", "host", "hostaddr", "port", "service"]

    /// A name of the server and the schema, without the user and the password.
    var cacheName: String {
        let places = options.map { $0.removingPercentEncoding ?? String($0) }.filter { option in
            Self.placeOptions.contains(String(option.prefix { $0 != "=" }))
        }
        let parts = [String(place.drop { $0 == "/" })] + places
        let text = "\(parts.joined(separator: "?"))#\(schema)"
        return String(
            text.map { $0.isASCII && ($0.isLetter || $0.isNumber || ".-".contains($0)) ? $0 : "_" })
    }
}
