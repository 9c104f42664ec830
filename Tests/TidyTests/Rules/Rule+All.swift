extension Rule {
    /// Every rule of the house.
    static let all =
        [Imports.rule, Access.rule, Reasons.rule, Force.rule, Unused.rule, Manifest.rule]
        + [Documentation.rule, Sentences.rule]
        + Borders.rules + Calls.rules + Names.rules + Subject.rules
        + Sizes.rules + Comments.rules + Markdown.rules + Files.rules
}
