extension Rule {
    /// Every rule of the house.
    static let all =
        [Imports.rule, Access.rule, Reasons.rule, Calls.rule, Names.rule]
        + [Documentation.rule, Subject.rule]
        + Borders.rules + Sizes.rules + Comments.rules + Markdown.rules + Files.rules
}
