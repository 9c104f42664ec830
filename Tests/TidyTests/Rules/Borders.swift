/// Directories name only the types that lie on lower floors than they do.
///
/// Who declares which type is read from the sources of a module: types at the top of a file,
/// private ones left out. A name counts as a use wherever it stands in code as a word of its own;
/// after a dot only if the module's name stands before it.
enum Borders {
    static let rule = Rule("Directories name what lies below them", tree: findings)

    private struct Use {
        let file: SourceFile
        let line: Int
        let type: String
        /// The innermost directory around the use and the type, and the two in it.
        let around: String
        let from: String
        let to: String

        var isUpward: Bool {
            guard let from = Floors.floor(of: from, in: around),
                let to = Floors.floor(of: to, in: around)
            else { return false }
            return to >= from
        }
    }

    static func findings(in tree: SourceTree) -> [Finding] {
        let upward = upwardUses(in: tree).map { use in
            use.file.finding(
                use.line,
                "\(use.from) does not know \(use.type) of \(use.to): pass a noun that lies below "
                    + "both, or bring both together above them")
        }
        return tree.files.filter(isSource).flatMap(strangers) + upward
    }

    private static func isSource(_ file: SourceFile) -> Bool {
        file.isSwift && file.path.hasPrefix("Sources/")
    }

    private static func directory(of file: SourceFile) -> String {
        String(file.path.dropLast(file.name.count))
    }

    /// The directories around a file that have no floor.
    private static func strangers(_ file: SourceFile) -> [Finding] {
        let parts = directory(of: file).split(separator: "/")
        return parts.indices.dropFirst(2).compactMap { index in
            let around = parts[..<index].map { "\($0)/" }.joined()
            guard Floors.floor(of: String(parts[index]), in: around) == nil else { return nil }
            return file.finding(1, "\(around)\(parts[index]) has no floor yet: give it one")
        }
    }

    private static func upwardUses(in tree: SourceTree) -> [Use] {
        let modules = Dictionary(grouping: tree.files.filter(isSource)) {
            String($0.path.split(separator: "/")[1])
        }
        return modules.sorted { $0.key < $1.key }.flatMap { module, files in
            let homes = homes(of: files)
            return files.flatMap { uses(in: $0, of: module, homes: homes) }.filter(\.isUpward)
        }
    }

    /// The directory that declares a type, by the type's name.
    private static func homes(of files: [SourceFile]) -> [String: String] {
        var homes: [String: String] = [:]
        for file in files {
            for declaration in file.declarations
            where declaration.isType && declaration.parent == nil
                && declaration.modifiers.isDisjoint(with: ["private", "fileprivate"])
            {
                homes[declaration.name] = directory(of: file)
            }
        }
        return homes
    }

    /// Uses of other directories' types; a name that the file declares itself is its own.
    private static func uses(
        in file: SourceFile, of module: String, homes: [String: String]
    ) -> [Use] {
        let own = Set(file.declarations.filter(\.isType).map(\.name))
        let directory = directory(of: file)
        return file.tokens.indices.compactMap { index in
            let token = file.tokens[index]
            guard let home = homes[token.text], home != directory else { return nil }
            let isMember = index > 0 && file.tokens[index - 1].text == "."
            let isQualified = isMember && index > 1 && file.tokens[index - 2].text == module
            guard isQualified || (!isMember && !own.contains(token.text)) else { return nil }
            return use(of: token, in: file, from: directory, to: home)
        }
    }

    private static func use(
        of token: Token, in file: SourceFile, from: String, to: String
    ) -> Use {
        let (from, to) = (from.split(separator: "/"), to.split(separator: "/"))
        let shared = zip(from, to).prefix { $0 == $1 }.count
        let (own, other) = (from.dropFirst(shared).first, to.dropFirst(shared).first)
        return Use(
            file: file, line: token.line, type: token.text,
            around: from[..<shared].map { "\($0)/" }.joined(),
            from: own.map(String.init) ?? Floors.wiring,
            to: other.map(String.init) ?? Floors.wiring)
    }
}
