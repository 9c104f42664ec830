/// What an index can know of a filter: conditions that are joined by "and" and "or".
indirect enum Requirement: Sendable {
    case condition(Condition)
    /// All of them hold; always true if there are none.
    case all([Requirement])
    /// At least one of them holds; never true if there are none.
    case any([Requirement])
    /// A test that needs the record.
    case unknown

    /// Whether every record passes.
    var isAlwaysTrue: Bool {
        if case .all(let parts) = self { parts.isEmpty } else { false }
    }

    /// What holds where this does not.
    var negated: Requirement {
        switch self {
        case .condition(let condition): condition.negated.map { .condition($0) } ?? .unknown
        case .all(let parts): .any(parts.map(\.negated))
        case .any(let parts): .all(parts.map(\.negated))
        case .unknown: .unknown
        }
    }
}

extension Requirement {
    /// Conditions that hold together.
    struct Branch: Sendable {
        var conditions: [Condition] = []
        /// Whether a record that fulfils all of them passes.
        var isExact = true

        /// The branch of a filter of which nothing is known.
        static let unknown = Branch(isExact: false)
    }

    /// Branches such that a record passes only if it fulfils one of them: a disjunctive normal
    /// form. None if no record passes.
    ///
    /// - Parameter countMax: Where there would be more, some conditions are left out, and the
    ///   branches are not exact.
    func branches(countMax: Int) -> [Branch] {
        switch self {
        case .condition(let condition): return [Branch(conditions: [condition])]
        case .unknown: return [.unknown]
        case .any(let parts):
            var branches: [Branch] = []
            for part in parts {
                branches += part.branches(countMax: countMax)
                if branches.count > countMax { return [.unknown] }
            }
            return branches
        case .all(let parts):
            let all = parts.map { $0.branches(countMax: countMax) }
            // The smallest ones first, because large products are left out.
            return all.sorted { $0.count < $1.count }.reduce([Branch()]) {
                Self.product($0, $1, countMax: countMax)
            }
        }
    }

    /// The branches that fulfil one branch of each side.
    private static func product(
        _ left: [Branch], _ right: [Branch], countMax: Int
    ) -> [Branch] {
        let isUseless = right.count > 1 && right.contains { $0.conditions.isEmpty }
        let (count, isTooLarge) = left.count.multipliedReportingOverflow(by: right.count)
        if isUseless || isTooLarge || count > countMax {
            return left.map { Branch(conditions: $0.conditions, isExact: false) }
        }
        return left.flatMap { a in
            right.map { b in
                Branch(
                    conditions: a.conditions + b.conditions, isExact: a.isExact && b.isExact)
            }
        }
    }
}
