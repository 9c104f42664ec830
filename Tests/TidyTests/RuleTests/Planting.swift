extension SourceFile {
    /// The lines at which a rule finds something in this file alone.
    func lines(_ rule: (SourceFile) -> [Finding]) -> [Int] { rule(self).map(\.line) }
}

extension SourceTree {
    /// Where a rule finds something, as `path:line`.
    func places(_ rule: (SourceTree) -> [Finding]) -> [String] {
        rule(self).map { "\($0.path):\($0.line)" }
    }
}
