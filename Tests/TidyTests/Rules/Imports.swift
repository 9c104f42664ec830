/// Imports go down only: each module knows what lies below it.
enum Imports {
    static let rule = Rule("Imports go down only", file: findings)

    /// How high a module stands; it may import what stands lower.
    private static let heights = [
        "SkyrosDisk": 0, "SkyrosLog": 1, "SkyrosSQLite": 1, "Skyros": 2, "SkyrosTesting": 3,
        "SkyrosTool": 3, "BenchmarkModel": 3, "SkyrosBenchmark": 4,
    ]
    private static let exampleHeight = 4

    /// Modules with a door of their own, and the places where the door is.
    private static let doors: [String: [String]] = [
        "CZstd": ["Sources/SkyrosLog/"],
        "CSQLite": ["Sources/SkyrosSQLite/", "Benchmarks/SkyrosBenchmark/Peers/"],
        "Glibc": systemPlaces, "Musl": systemPlaces, "Darwin": systemPlaces,
    ]
    private static let systemPlaces = ["Sources/SkyrosDisk/Posix/", "Sources/SkyrosDisk/Threads/"]

    static func findings(in file: SourceFile) -> [Finding] {
        imports(of: file).compactMap { line, module in
            advice(on: module, in: file).map { file.finding(line, $0) }
        }
    }

    private static func imports(of file: SourceFile) -> [(line: Int, module: String)] {
        let tokens = file.tokens
        return tokens.indices.dropLast().compactMap { index in
            guard tokens[index].text == "import" else { return nil }
            let isOfOneName = Declaration.keywords.contains(tokens[index + 1].text)
            let name = isOfOneName && index + 2 < tokens.count ? index + 2 : index + 1
            return (tokens[index].line, tokens[name].text)
        }
    }

    private static func advice(on module: String, in file: SourceFile) -> String? {
        if let places = doors[module], !file.isIn(places) {
            return "import \(module) only in \(places.joined(separator: ", ")); "
                + "elsewhere use what that place offers"
        }
        if module.hasPrefix("Foundation") && file.isIn(Places.edges) {
            return "an edge knows bytes only: do without \(module)"
        }
        let parts = file.path.split(separator: "/").map(String.init)
        let height =
            parts.first == "Examples" ? exampleHeight : heights[parts.dropFirst().first ?? ""]
        guard parts.first != "Tests", let own = height, let other = heights[module], other >= own
        else {
            return nil
        }
        return "imports go down only: let \(module) use this, or move what is needed below both"
    }
}
