extension Rule {
    /// Every rule of the house.
    static let all =
        [Imports.rule, Borders.rule, Access.rule, Reasons.rule, Calls.rule, Names.rule]
        + [Documentation.rule, Subject.rule]
        + Sizes.rules + Comments.rules + Markdown.rules + Files.rules
}
