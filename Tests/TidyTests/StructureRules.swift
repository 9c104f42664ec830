/// Rules that look at the house as a whole: who may know whom.
enum StructureRules {
    static let all: [@Sendable ([SourceFile]) -> [Finding]] = [
        imports, edges, borders, links,
    ]

    /// The modules from bottom to top; imports go down only.
    private static let modules: [String: Int] = [
        "CZstd": 0, "CSQLite": 0, "SkyrosDisk": 1, "SkyrosLog": 2, "SkyrosSQLite": 2, "Skyros": 3,
        "SkyrosTesting": 4, "SkyrosTool": 4, "SkyrosBenchmark": 4,
    ]
    private static let edgeModules = ["SkyrosDisk", "SkyrosLog", "SkyrosSQLite"]
    /// The only places that may know these modules.
    private static let homes: [String: [String]] = [
        "CZstd": ["Sources/SkyrosLog/"], "CSQLite": ["Sources/SkyrosSQLite/"],
        "Glibc": ["Sources/SkyrosDisk/"], "Darwin": ["Sources/SkyrosDisk/"],
        "Musl": ["Sources/SkyrosDisk/"],
    ]

    static func imports(_ files: [SourceFile]) -> [Finding] {
        eachImport(files) { file, name in
            if let homes = homes[name], !homes.contains(where: { file.path.hasPrefix($0) }) {
                return "only \(homes[0]) imports \(name)"
            }
            if name == "Foundation", edgeModules.contains(file.module) {
                return "an edge does without Foundation"
            }
            if let own = modules[file.module], let other = modules[name], other >= own {
                return "\(file.module) may not import \(name): imports go down"
            }
            if file.path.hasPrefix("Examples/"), name != "Skyros", modules[name] != nil {
                return "an example uses what users use"
            }
            return nil
        }
    }

    private static func eachImport(
        _ files: [SourceFile], _ check: (SourceFile, String) -> String?
    ) -> [Finding] {
        files.filter { $0.isSwift && !$0.path.hasPrefix("Tests/") }.flatMap { file in
            file.lines.enumerated().compactMap { index, line -> Finding? in
                guard let match = line.firstMatch(of: #/^\s*(?:\w+ )?import (\w+)/#),
                    let message = check(file, String(match.1))
                else { return nil }
                return Finding(path: file.path, line: index + 1, message: message)
            }
        }
    }

    static func edges(_ files: [SourceFile]) -> [Finding] {
        files.filter { $0.path.hasPrefix("Sources/") && edgeModules.contains($0.module) }
            .flatMap { file in
                file.code.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
                    .filter { $0.element.contains(#/\bpublic\b/#) }
                    .map { index, _ in
                        Finding(
                            path: file.path, line: index + 1,
                            message: "an edge is for this package: write package")
                    }
            }
    }

    /// The folders of the library from bottom to top; what stands beside them is on top.
    private static let floors: [String: Int] = [
        "Coding": 0, "Model": 1, "State": 2, "Write": 3, "Log": 3, "Projection": 3, "View": 3,
        "Checkpoint": 3, "History": 4, "Live": 4, "Archive": 5, "": 6,
    ]

    /// A folder names its own types and those of lower floors: no arrow goes up, there is no
    /// circle, and stages, which share a floor, never name each other.
    static func borders(_ files: [SourceFile]) -> [Finding] {
        let library = files.filter { $0.isSwift && $0.path.hasPrefix("Sources/Skyros/") }
        var homes: [String: String] = [:]
        for file in library {
            for match in file.code.matches(of: declaration) {
                homes[String(match.1)] = file.stage
            }
        }
        return library.flatMap { file -> [Finding] in
            guard let floor = floors[file.stage] else {
                let message = "the folder \(file.stage) has no floor in the house yet"
                return [Finding(path: file.path, line: 1, message: message)]
            }
            let lines = file.code.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.enumerated().flatMap { index, line in
                names(in: line).compactMap { name -> Finding? in
                    guard let home = homes[name], home != file.stage,
                        (floors[home] ?? 0) >= floor
                    else { return nil }
                    let place = home.isEmpty ? "the wiring" : home
                    return Finding(
                        path: file.path, line: index + 1,
                        message: "\(file.stage) may not name \(name) of \(place)")
                }
            }
        }
    }

    /// The capitalised words of a line that do not belong to a longer name.
    private static func names(in line: Substring) -> [String] {
        line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }
            .compactMap { $0.split(separator: ".").first.map(String.init) }
            .filter { $0.first?.isUppercase == true }
    }

    private static var declaration: Regex<(Substring, Substring)> {
        #/(?m)^(?:\w+ |@\w+ )*(?:struct|class|enum|protocol|actor|typealias) ([A-Z]\w+)/#
    }

    /// Relative links of the documents lead somewhere.
    static func links(_ files: [SourceFile]) -> [Finding] {
        let paths = Set(files.map(\.path))
        return files.filter(\.isMarkdown).flatMap { file in
            file.lines.enumerated().flatMap { index, line in
                line.matches(of: #/\]\(([^)#:]+)(#[^)]*)?\)/#).compactMap { match -> Finding? in
                    let target = resolve(String(match.1), from: file.path)
                    guard !paths.contains(target),
                        !paths.contains(where: { $0.hasPrefix(target + "/") })
                    else { return nil }
                    return Finding(
                        path: file.path, line: index + 1, message: "the link leads to no file")
                }
            }
        }
    }

    private static func resolve(_ link: String, from path: String) -> String {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in link.split(separator: "/") {
            if part == ".." {
                parts = parts.dropLast()
            } else if part != "." {
                parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }
}
