/// What a request asks for, in words: equal for equal requests, also in other processes.
///
/// Limit and offset do not count. Of closures and predicates nothing is known but that there is
/// one.
enum RequestSignature {
    static func of<E: Entity>(_ request: FetchRequest<E>, _ keys: [CursorKey<E>]) -> String {
        let sort = zip(request.sort, keys).map { sort, key in
            (sort.isAscending ? "+" : "-") + key.name
        }
        let filter = request.filter.map { of($0.root) } ?? ""
        return "\(E.entityName)|\(sort.joined(separator: ","))|\(filter)"
    }

    private static func of<E: Entity>(_ node: Filter<E>.Node) -> String {
        switch node {
        case .comparison(let comparison): of(comparison)
        case .and(let a, let b): "(\(of(a)) & \(of(b)))"
        case .or(let a, let b): "(\(of(a)) | \(of(b)))"
        case .not(let a): "!\(of(a))"
        case .test: "test"
        }
    }

    private static func of<E: Entity>(_ comparison: Comparison<E>) -> String {
        let name = FieldName.of(comparison.path) ?? "(\(type(of: comparison.path).valueType))"
        return "\(name) \(comparison.operation) \(hexadecimal(of: comparison.value))"
    }

    private static func hexadecimal(of value: any Encodable) -> String {
        (try? CBOREncoder().encode(value)).map { hexadecimal($0) } ?? "?"
    }

    /// Bytes as hexadecimal digits.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
