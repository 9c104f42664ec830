/// A name says what a thing is; the history says which version.
enum Names {
    static let rule = Rule("Names have no version", file: findings)

    static func findings(in file: SourceFile) -> [Finding] {
        var findings: [Finding] = []
        let stem = file.name.prefix { $0 != "." }
        for part in stem.split(separator: "+").map(String.init) where hasVersion(part) {
            findings.append(file.finding(1, advice(part)))
        }
        for declaration in file.declarations
        where declaration.isType && hasVersion(declaration.name) {
            findings.append(file.finding(declaration.line, advice(declaration.name)))
        }
        return findings
    }

    private static func advice(_ name: String) -> String {
        "\(name) names a version: replace the older one, and name this for what it is"
    }

    private static func hasVersion(_ name: String) -> Bool {
        let digits = name.reversed().prefix { $0.isNumber }.count
        let stem = name.dropLast(digits)
        if digits > 0 { return stem.hasSuffix("V") || stem.hasSuffix("_") || stem.hasSuffix("_v") }
        return name.hasSuffix("New") || name.hasSuffix("Old")
    }
}
