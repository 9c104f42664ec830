/// Imports go down only: each module knows what lies below it.
enum Imports {
    static let rule = Rule("Imports go down only", file: findings)

    /// How high a module stands; it may import what stands lower.
    private static let heights = [
        "SkyrosDisk": 0, "SkyrosLog": 1, "SkyrosSQLite": 1, "Skyros": 2, "SkyrosTesting": 3,
        "SkyrosTool": 3, "BenchmarkModel": 3, "SkyrosBenchmark": 4,
    ]
    /// What users can import, and therefore an example.
    private static let products: Set = ["Skyros", "SkyrosTesting"]

    /// Modules with a door of their own, and the places where the door is.
    private static let doors: [String: [String]] = [
        "CZstd": ["Sources/SkyrosLog/"],
        "CSQLite": [
            "Sources/SkyrosSQLite/", "Sources/SkyrosTesting/SQLite/",
            "Benchmarks/SkyrosBenchmark/Peers/",
        ],
        "Glibc": systemPlaces, "Musl": systemPlaces, "Darwin": systemPlaces,
    ]
    /// Directories of which each directory is a module.
    private static let homes: Set<Substring> = ["Sources", "Benchmarks"]
    private static let systemPlaces = ["Memory", "Posix", "Threads"].map {
        "Sources/SkyrosDisk/\($0)/"
    }

    static func findings(in file: SourceFile) -> [Finding] {
        let forbidden = imports(of: file).compactMap { line, module in
            advice(on: module, in: file).map { file.finding(line, $0) }
        }
        guard file.isSwift, let module = module(of: file), heights[module] == nil else {
            return forbidden
        }
        return forbidden + [file.finding(1, "\(module) has no height yet: give it one in Imports")]
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
        if file.isIn(["Examples/"]) {
            return heights[module] == nil || products.contains(module)
                ? nil : "an example imports what users can import: \(products.sorted())"
        }
        guard let own = heights[self.module(of: file) ?? ""], let other = heights[module],
            other >= own
        else { return nil }
        return "imports go down only: let \(module) use this, or move what is needed below both"
    }

    /// The module that a file of `Sources` or `Benchmarks` belongs to.
    private static func module(of file: SourceFile) -> String? {
        let parts = file.path.split(separator: "/")
        return parts.count > 2 && homes.contains(parts[0]) ? String(parts[1]) : nil
    }
}
