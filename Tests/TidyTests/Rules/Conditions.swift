/// A condition of the compiler is in one file of its module: one for the systems, one for each
/// trait or module that may be missing. A module that is empty without a trait has it everywhere.
enum Conditions {
    static let rule = Rule("A condition is in one file of its module") { (tree: SourceTree) in
        let files = tree.files.filter { $0.isSwift && $0.path.hasPrefix("Sources/") }
        return Dictionary(grouping: files) { $0.path.split(separator: "/")[1] }.values.flatMap {
            findings(in: $0)
        }
    }

    /// Words that tell systems apart: functions, and modules that only some of them have.
    private static let systemWords: Set = [
        "os", "arch", "targetEnvironment", "Darwin", "Glibc", "Musl", "Android", "Bionic",
        "Dispatch", "ObjectiveC", "UIKit", "AppKit", "WASILibc", "WinSDK",
    ]

    private static func findings(in module: [SourceFile]) -> [Finding] {
        let uses = module.flatMap { file in
            conditions(in: file).flatMap { line, subjects in
                subjects.map { (subject: $0, file: file, line: line) }
            }
        }
        return Dictionary(grouping: uses, by: \.subject).flatMap { subject, uses in
            let paths = Set(uses.map(\.file.path))
            guard paths.count > 1, !isAboutAll(module, subject) else { return [Finding]() }
            return paths.compactMap { path in uses.first { $0.file.path == path } }.map {
                $0.file.finding(
                    $0.line, "\(paths.count) files have a condition about \(subject): keep one")
            }
        }
    }

    /// Whether a module is empty without the trait that it is for.
    private static func isAboutAll(_ module: [SourceFile], _ trait: String) -> Bool {
        module.allSatisfy { $0.path.hasPrefix("Sources/Skyros\(trait)/") }
    }

    /// The lines with a condition, and what each is about.
    private static func conditions(in file: SourceFile) -> [(line: Int, subjects: Set<String>)] {
        file.lines.enumerated().compactMap { index, line in
            let line = line.drop { $0 == " " }
            guard line.hasPrefix("#if ") || line.hasPrefix("#elseif ") else { return nil }
            let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
                .dropFirst()
            guard systemWords.isDisjoint(with: words) else { return (index + 1, ["the system"]) }
            return (index + 1, Set(words).subtracting(["canImport", "true", "false"]))
        }
    }
}
