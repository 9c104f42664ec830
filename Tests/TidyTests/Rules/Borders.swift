/// A directory names only types of directories on lower floors.
///
/// A module's types are those at the top of its files, without private ones. A name in code counts
/// as a use; after a dot only if the module's name precedes it.
enum Borders {
    static let rule = Rule("Directories name what lies below them") { (tree: SourceTree) in
        let files = tree.files.filter { $0.isSwift && $0.path.hasPrefix("Sources/") }
        let modules = Dictionary(grouping: files) { directories(of: $0)[1] }
        return files.flatMap(strangers) + modules.flatMap(upwardUses)
    }

    private static func directories(of file: SourceFile) -> [String] {
        file.path.split(separator: "/").dropLast().map(String.init)
    }

    /// The directories around a file that have no floor.
    private static func strangers(_ file: SourceFile) -> [Finding] {
        let parts = directories(of: file)
        return parts.indices.dropFirst(2).compactMap { index in
            let around = parts[..<index].map { "\($0)/" }.joined()
            guard Floors.floor(of: parts[index], in: around) == nil else { return nil }
            return file.finding(1, "\(around)\(parts[index]) has no floor yet: give it one")
        }
    }

    private static func upwardUses(of module: String, in files: [SourceFile]) -> [Finding] {
        var homes: [String: [String]] = [:]
        for file in files {
            for declaration in file.declarations
            where declaration.isType && declaration.parent == nil
                && declaration.modifiers.isDisjoint(with: ["private", "fileprivate"])
            {
                homes[declaration.name] = directories(of: file)
            }
        }
        return files.flatMap { file in
            let own = Set(file.declarations.filter(\.isType).map(\.name))
            let tokens = file.tokens
            return tokens.indices.compactMap { index -> Finding? in
                let name = tokens[index].text
                guard let home = homes[name] else { return nil }
                let isMember = index > 0 && tokens[index - 1].text == "."
                let isQualified = isMember && index > 1 && tokens[index - 2].text == module
                guard isQualified || (!isMember && !own.contains(name)) else { return nil }
                return advice(from: directories(of: file), to: home)
                    .map {
                        file.finding(tokens[index].line, "\($0) \(name): pass a noun from below")
                    }
            }
        }
    }

    /// What to say if the innermost directory around both has the target's floor above the user's.
    private static func advice(from: [String], to: [String]) -> String? {
        let shared = zip(from, to).prefix { $0 == $1 }.count
        let around = from[..<shared].map { "\($0)/" }.joined()
        guard let user = from.dropFirst(shared).first, let used = to.dropFirst(shared).first,
            let low = Floors.floor(of: user, in: around),
            let high = Floors.floor(of: used, in: around), high >= low
        else { return nil }
        return "\(user) must not use \(used)'s"
    }
}
