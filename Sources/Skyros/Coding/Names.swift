import Foundation

/// Names of entities, fields, keys and tags: two names are the same if their UTF-8 bytes are.
///
/// So are they in the log, in SQLite and in other languages. Swift's `==` also holds for texts that
/// differ by Unicode normalisation only, as "é" in one scalar and in two.
extension String {
    /// Whether two names are the same. O(n).
    package func isSameName(as other: String) -> Bool {
        utf8.count == other.utf8.count && TextOrder.compare(self, other) == .orderedSame
    }

    /// The name as an error shows it: with escapes if it looks like one of the others.
    package func spelled(besides others: some Sequence<String>) -> String {
        guard others.contains(where: { $0 == self && !$0.isSameName(as: self) }) else {
            return self
        }
        return unicodeScalars.map { scalar in
            scalar.isASCII ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }.joined()
    }

    /// Whether a name comes before another in the canonical order of keys: shorter ones first, then
    /// by their UTF-8.
    func isNameBefore(_ other: String) -> Bool {
        let (left, right) = (utf8.count, other.utf8.count)
        if left != right { return left < right }
        return TextOrder.compare(self, other) == .orderedAscending
    }
}

extension Sequence {
    /// The elements in the order of the UTF-8 of their names. O(n log n).
    package func sorted(byName name: (Element) -> String) -> [Element] {
        sorted { TextOrder.compare(name($0), name($1)) == .orderedAscending }
    }
}

extension Sequence<String> {
    /// Whether one of the names is the given one.
    package func containsName(_ name: String) -> Bool {
        contains { $0.isSameName(as: name) }
    }

    /// The names in the order of their UTF-8. O(n log n).
    package func sortedNames() -> [String] { sorted(byName: \.self) }
}
