extension Rule {
    /// Every rule of the house.
    static let all =
        [
            Imports.rule, Borders.rule, Access.rule, Reasons.rule, Force.rule, Unused.rule,
            Manifest.rule,
        ]
        + [Documentation.rule, Sentences.rule, Failures.rule]
        + Calls.rules + Names.rules + Subject.rules
        + Sizes.rules + Comments.rules + Markdown.rules + Files.rules
}
