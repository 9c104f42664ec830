/// An index without its entity's Swift type: which stored fields, in which order.
package struct IndexDefinition: Hashable, Sendable {
    /// Names of stored fields; the first decides first.
    package let fields: [String]
    /// Whether two records may not have the same values. Records that lack a field, or hold
    /// null in it, are exempt.
    package let isUnique: Bool

    package init(fields: [String], isUnique: Bool) {
        self.fields = fields
        self.isUnique = isUnique
    }
}
