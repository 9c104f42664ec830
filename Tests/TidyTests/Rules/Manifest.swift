/// The manifest holds every target to the same strict settings, and needs nobody else's code.
enum Manifest {
    static let rule = Rule("The manifest is strict", file: findings)

    private static let settings = [
        "treatAllWarnings(as: .error)", "enableUpcomingFeature(\"ExistentialAny\")",
        "enableUpcomingFeature(\"InternalImportsByDefault\")",
        "enableUpcomingFeature(\"MemberImportVisibility\")",
    ]

    private static let bans = [
        ".package(": "the package depends on the toolchain and two C libraries alone",
        "unsafeFlags": "such a package cannot be depended on",
        "swiftLanguageMode": "the tools version says it for all targets",
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        guard file.path == "Package.swift" else { return [] }
        let missing = settings.filter { !file.text.contains($0) }.map {
            file.finding(1, "\($0) is missing: it holds for every target")
        }
        let banned = bans.sorted { $0.key < $1.key }.flatMap { code, reason in
            file.tokens.matches(of: code).map {
                file.finding(file.tokens[$0].line, "\(code) … \(reason)")
            }
        }
        return missing + banned
    }
}
