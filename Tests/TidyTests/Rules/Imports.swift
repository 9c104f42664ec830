/// Imports lead down only: each module knows what lies below it.
enum Imports {
    static let rule = Rule("Imports lead down only", file: findings)

    /// A module may import modules of a lower height.
    private static let heights = [
        "SkyrosPlatform": 0, "SkyrosDisk": 1, "SkyrosLog": 2, "SkyrosSQLite": 2, "Skyros": 3,
        "SkyrosReport": 0, "SkyrosPostgres": 4, "SkyrosTesting": 4, "BenchmarkModel": 4,
        "SkyrosTool": 5, "SkyrosBenchmark": 5, "ProgramWithSkyros": 4, "ProgramWithoutSkyros": 0,
    ]
    /// Modules that only some places import.
    private static let doors: [String: [String]] = [
        "CLinux": platform, "Glibc": platform, "Musl": platform, "Android": platform,
        "Darwin": platform,
        "SkyrosPlatform": [
            "Sources/SkyrosDisk/Memory/", "Sources/SkyrosDisk/Posix/",
            "Sources/SkyrosDisk/Threads/", "Sources/Skyros/Coding/Codable/",
            "Sources/SkyrosPostgres/", "Tests/",
        ],
        "CZstd": ["Sources/SkyrosLog/"],
        "libzstd": ["Sources/SkyrosLog/"],
        "CPQ": ["Sources/SkyrosPostgres/", "Benchmarks/SkyrosBenchmark/Cluster/"],
        "CSQLite": [
            "Sources/SkyrosSQLite/", "Sources/SkyrosTesting/SQLite/",
            "Benchmarks/SkyrosBenchmark/Peers/",
        ],
    ]
    private static let platform = ["Sources/SkyrosPlatform/"]

    static func findings(in file: SourceFile) -> [Finding] {
        guard file.isSwift else { return [] }
        let tokens = file.tokens
        let forbidden = tokens.indices.dropLast().compactMap { index -> Finding? in
            guard tokens[index].text == "import" else { return nil }
            let isOfOneName =
                Declaration.keywords.contains(tokens[index + 1].text)
                && index + 2 < tokens.count
            let module = tokens[index + (isOfOneName ? 2 : 1)].text
            return advice(on: module, in: file).map { file.finding(tokens[index].line, $0) }
        }
        guard let module = module(of: file), heights[module] == nil else { return forbidden }
        return forbidden + [file.finding(1, "\(module) has no height yet: give it one in Imports")]
    }

    private static func advice(on module: String, in file: SourceFile) -> String? {
        if let places = doors[module], !file.isIn(places) {
            return "import \(module) only in \(places.joined(separator: ", "))"
        }
        if file.isIn(Places.fuzzed), ["TestSupport", "Testing"].contains(module) {
            return "the fuzzers share this file: do without \(module)"
        }
        if module.hasPrefix("Foundation") && file.isIn(Places.edges) {
            return "an edge knows bytes only: do without \(module)"
        }
        if file.isIn(["Examples/"]), heights[module] != nil,
            !["Skyros", "SkyrosPostgres", "SkyrosTesting"].contains(module)
        {
            return "an example imports what users can import"
        }
        guard let own = heights[self.module(of: file) ?? ""], let other = heights[module],
            other >= own
        else { return nil }
        return "imports lead down only: let \(module) use this, or move it below both"
    }

    /// The module that a file of `Sources` or `Benchmarks` belongs to.
    private static func module(of file: SourceFile) -> String? {
        let parts = file.path.split(separator: "/")
        return parts.count > 2 && ["Sources", "Benchmarks"].contains(parts[0])
            ? String(parts[1]) : nil
    }
}
