/// Folders of the library name only the types that lie on lower floors than they do.
///
/// Who declares which type is read from the sources: types at the top of a file, private ones left
/// out. A name counts as a use wherever it stands in code as a word of its own, not after a dot.
enum Borders {
    static let rule = Rule("Stages never mention each other", tree: findings)

    /// The folders of the library from bottom to top; the files beside them wire the rest.
    ///
    /// A folder names its own types and those of lower floors, so there is no arrow upwards and
    /// no circle, and stages, which share a floor, never name each other.
    private static let floors: [String: Int] = [
        "Coding": 0, "Model": 1, "State": 2, "Write": 3, "Log": 3, "Projection": 3, "View": 3,
        "Checkpoint": 3, "History": 4, "Live": 4, "Archive": 5, wiring: 6,
    ]

    /// The files directly in the library's folder, which wire the stages.
    static let wiring = "the wiring files"

    private struct Use {
        let file: SourceFile
        let line: Int
        let type: String
        let from: String
        let to: String
    }

    static func findings(in tree: SourceTree) -> [Finding] {
        let files = tree.files.filter { $0.isSwift && $0.path.hasPrefix(Places.library) }
        let homes = homes(of: files)
        let unknown = files.filter { floors[folder(of: $0)] == nil }.map { file in
            file.finding(1, "the folder \(folder(of: file)) has no floor yet: give it one")
        }
        let uses = files.flatMap { self.uses(in: $0, homes: homes) }
        return unknown
            + uses.filter(isForbidden).map { use in
                use.file.finding(
                    use.line,
                    "\(use.from) does not know \(use.type) of \(use.to): pass a noun of Model, "
                        + "or let the wiring files bring both together")
            }
    }

    private static func isForbidden(_ use: Use) -> Bool {
        guard let from = floors[use.from], let to = floors[use.to] else { return false }
        return to >= from
    }

    static func folder(of file: SourceFile) -> String {
        let parts = file.path.dropFirst(Places.library.count).split(separator: "/")
        return parts.count > 1 ? String(parts[0]) : wiring
    }

    /// The folder that declares a type, by the type's name.
    private static func homes(of files: [SourceFile]) -> [String: String] {
        var homes: [String: String] = [:]
        for file in files {
            for declaration in file.declarations
            where declaration.isType && declaration.parent == nil
                && declaration.modifiers.isDisjoint(with: ["private", "fileprivate"])
            {
                homes[declaration.name] = folder(of: file)
            }
        }
        return homes
    }

    /// Uses of other folders' types; a name that the file declares itself is its own.
    private static func uses(in file: SourceFile, homes: [String: String]) -> [Use] {
        let own = Set(file.declarations.filter(\.isType).map(\.name))
        let from = folder(of: file)
        return file.tokens.indices.compactMap { index in
            let token = file.tokens[index]
            guard let to = homes[token.text], to != from, !own.contains(token.text),
                index == 0 || file.tokens[index - 1].text != "."
            else { return nil }
            return Use(file: file, line: token.line, type: token.text, from: from, to: to)
        }
    }
}
