import SkyrosDisk

/// Values by their names, in canonical order: shorter names first, then by their UTF-8.
///
///     let value: FieldValue = ["name": "Nonna", "tables": 12]
///     value.map?["tables"]                            // 12
///     for (name, value) in value.map ?? [:] { … }     // name, then tables
///
/// Two names are the same if their UTF-8 bytes are, as in every stored form. A `Dictionary` cannot
/// hold two that Swift takes for equal: "é" in one scalar and in two.
public struct NamedValues<Value> {
    private var entries: [Element]

    /// A name with its value.
    public typealias Element = (key: String, value: Value)

    /// No values.
    public init() {
        entries = []
    }

    /// The values of a dictionary. O(n log n).
    public init(_ dictionary: [String: Value]) {
        entries = dictionary.isEmpty ? [] : dictionary.sorted { $0.key.isNameBefore($1.key) }
    }

    /// The values of names in any order; if a name occurs twice, the last value counts. O(n log n).
    public init(_ pairs: some Sequence<(String, Value)>) {
        self.init(entries: pairs.map { ($0, $1) })
    }

    /// The same; O(n) if the names are in canonical order. There are fewer values than entries if a
    /// name occurs twice.
    init(entries: [Element]) {
        self.entries = entries
        let isInOrder = zip(entries, entries.dropFirst()).allSatisfy { $0.key.isNameBefore($1.key) }
        if isInOrder { return }
        let sorted = entries.enumerated().sorted { a, b in
            a.element.key.isSameName(as: b.element.key)
                ? a.offset < b.offset : a.element.key.isNameBefore(b.element.key)
        }
        self.entries = []
        for (_, entry) in sorted {
            if let last = self.entries.last, last.key.isSameName(as: entry.key) {
                self.entries.removeLast()
            }
            self.entries.append(entry)
        }
    }

    /// The value of a name, or nil if there is none. Setting nil removes it.
    ///
    /// - Complexity: O(log n) to read; O(n) to insert or to remove.
    public subscript(name: String) -> Value? {
        get {
            let (index, isFound) = find(name)
            return isFound ? entries[index].value : nil
        }
        set {
            if let newValue {
                updateValue(newValue, forKey: name)
            } else {
                let (index, isFound) = find(name)
                if isFound { entries.remove(at: index) }
            }
        }
    }

    /// Sets the value of a name, and returns the value that it replaces, if any. O(1) for a name
    /// after all others in canonical order, otherwise O(n).
    @discardableResult
    public mutating func updateValue(_ value: Value, forKey name: String) -> Value? {
        if let last = entries.last, !last.key.isNameBefore(name) {
            let (index, isFound) = find(name)
            guard isFound else {
                entries.insert((name, value), at: index)
                return nil
            }
            defer { entries[index].value = value }
            return entries[index].value
        }
        entries.append((name, value))
        return nil
    }

    /// The same names with other values. O(n).
    public func mapValues<T>(_ transform: (Value) throws -> T) rethrows -> NamedValues<T> {
        var result = NamedValues<T>()
        result.entries = try entries.map { ($0.key, try transform($0.value)) }
        return result
    }

    /// The same names with other values, without those for which there is none. O(n).
    public func compactMapValues<T>(_ transform: (Value) throws -> T?) rethrows -> NamedValues<T> {
        var result = NamedValues<T>()
        result.entries = try entries.compactMap { name, value in
            try transform(value).map { (name, $0) }
        }
        return result
    }

    /// These values, and those of others; `combine` chooses between two values of one name. O(n).
    public func merging(
        _ others: NamedValues, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows -> NamedValues {
        var result = NamedValues()
        var rest = entries[...]
        for other in others {
            while let first = rest.first, first.key.isNameBefore(other.key) {
                result.entries.append(rest.removeFirst())
            }
            var value = other.value
            if let first = rest.first, first.key.isSameName(as: other.key) {
                value = try combine(rest.removeFirst().value, value)
            }
            result.entries.append((other.key, value))
        }
        result.entries += rest
        return result
    }

    /// The names in canonical order.
    public var keys: some Collection<String> { entries.lazy.map(\.key) }

    /// The values in the order of their names.
    public var values: some Collection<Value> { entries.lazy.map(\.value) }

    /// The place of a name, or the one where it would be inserted.
    private func find(_ name: String) -> (index: Int, isFound: Bool) {
        let index = entries.partitioningIndex { !$0.key.isNameBefore(name) }
        return (index, index < entries.count && entries[index].key.isSameName(as: name))
    }
}

extension NamedValues: RandomAccessCollection {
    /// The place of the first value.
    public var startIndex: Int { 0 }

    /// The place after the last value.
    public var endIndex: Int { entries.count }

    /// The name and the value at a place in canonical order.
    public subscript(position: Int) -> Element { entries[position] }
}

extension NamedValues: ExpressibleByDictionaryLiteral {
    /// If a name occurs twice, the last value counts.
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(elements)
    }
}

extension NamedValues: Sendable where Value: Sendable {}

extension NamedValues: Equatable where Value: Equatable {
    /// Whether both have the same names, by their bytes, with equal values.
    public static func == (a: NamedValues, b: NamedValues) -> Bool {
        a.elementsEqual(b) { $0.key.isSameName(as: $1.key) && $0.value == $1.value }
    }
}

extension NamedValues: Hashable where Value: Hashable {
    /// Mixes in what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for (name, value) in self {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}

extension NamedValues: CustomStringConvertible {
    /// The names with their values, as of a dictionary.
    public var description: String {
        isEmpty ? "[:]" : "[" + map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "]"
    }
}
