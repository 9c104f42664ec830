/// Folders of the library name only the types that the picture in the design allows them to.
///
/// Who declares which type is read from the sources: types at the top of a file, private ones left
/// out. A name counts as a use wherever it stands in code as a word of its own, not after a dot.
enum Borders {
    static let rule = Rule("Stages never mention each other", tree: findings)

    static let stages = ["Write", "Log", "Projection", "View", "Checkpoint"]
    /// What stands on the stages; these may name each other, in one direction.
    static let upperFolders = ["History", "Live", "Archive"]
    /// The files directly in the library's folder, which wire the stages.
    static let wiring = "the wiring files"

    /// The folders whose types a folder may name; nil for all.
    private static func neighbours(of folder: String) -> Set<String>? {
        switch folder {
        case "Model": ["Model", "Coding"]
        case "Coding": ["Model", "Coding"]
        case "State": ["Model", "Coding", "State"]
        case let stage where stages.contains(stage): ["Model", "Coding", "State", stage]
        default: nil
        }
    }

    /// Types that anyone may name although they are declared elsewhere.
    ///
    /// What goes wrong in a stage is thrown as a `StoreError`, which names no type above Model; it
    /// stands beside the wiring files for its prominence.
    private static let common: Set = ["StoreError"]

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
        let uses = files.flatMap { self.uses(in: $0, homes: homes) }
        return uses.filter(isForbidden).map { use in
            use.file.finding(
                use.line,
                "\(use.from) does not know \(use.type) of \(use.to): pass a noun of Model, "
                    + "or let the wiring files bring both together")
        } + circles(in: uses)
    }

    private static func isForbidden(_ use: Use) -> Bool {
        guard let neighbours = neighbours(of: use.from) else { return false }
        return !neighbours.contains(use.to) && !common.contains(use.type)
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

    /// Uses among the upper folders that lead back to where they start.
    private static func circles(in uses: [Use]) -> [Finding] {
        let upper = uses.filter { upperFolders.contains($0.from) && upperFolders.contains($0.to) }
        var reach: [String: Set<String>] = [:]
        for use in upper { reach[use.from, default: []].insert(use.to) }
        for middle in upperFolders {
            for from in upperFolders where reach[from]?.contains(middle) == true {
                reach[from, default: []].formUnion(reach[middle] ?? [])
            }
        }
        return upper.filter { reach[$0.to]?.contains($0.from) == true }.map { use in
            use.file.finding(
                use.line,
                "\(use.from) names \(use.type) of \(use.to), which is built on \(use.from): "
                    + "name each other in one direction only")
        }
    }
}
