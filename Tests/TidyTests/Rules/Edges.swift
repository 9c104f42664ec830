/// Edges serve this package only.
enum Edges {
    static let rule = Rule("Edges have nothing public") { (file: SourceFile) in
        guard file.isIn(Places.edges) else { return [] }
        let open = file.declarations.filter { $0.modifiers.contains("open") }.map(\.line)
        let lines = file.tokens.filter { $0.text == "public" }.map(\.line) + open
        return lines.map { file.finding($0, "an edge gives package access only: write package") }
    }
}

/// A test's name is an outcome.
enum Tests {
    static let rule = Rule("Tests are named in words") { (file: SourceFile) in
        guard file.isIn(["Tests/"]) else { return [] }
        return file.declarations.filter {
            !$0.attributes.isDisjoint(with: ["Test", "Suite"]) && !$0.name.hasPrefix("`")
        }
        .map { file.finding($0.line, "\($0.name): say in backticks what it is, or what holds") }
    }
}

/// The manifest holds every target to the same settings and needs no other package.
enum Manifest {
    static let rule = Rule("The manifest is strict", file: findings)

    private static let settings = [
        "treatAllWarnings(as: .error)", "enableUpcomingFeature(\"ExistentialAny\")",
        "enableUpcomingFeature(\"InternalImportsByDefault\")",
        "enableUpcomingFeature(\"MemberImportVisibility\")",
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        guard file.path == "Package.swift" else { return [] }
        let missing = settings.filter { !file.text.contains($0) }.map {
            file.finding(1, "\($0) is missing: it holds for every target")
        }
        // That of zstd is fetched only with the trait BundledZstd.
        let packages = file.tokens.matches(of: ".package(").dropFirst().map {
            file.tokens[$0].line
        }
        // A package with unsafe flags cannot be a dependency.
        let condition = file.tokens.matches(of: "Context.environment[").map { file.tokens[$0].line }
        let flags = file.tokens.filter {
            $0.text == "unsafeFlags" && $0.line < condition.last ?? .max
        }
        return missing
            + packages.map { file.finding($0, "the package depends on zstd and SQLite only") }
            + flags.map { file.finding($0.line, "unsafe flags need an environment variable") }
    }
}
