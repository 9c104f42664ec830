// A step ⇄ the array in a schema event: the step's name, then its arguments.

extension FieldStep {
    /// The step as the log holds it.
    var value: FieldValue {
        switch self {
        case .rename(let from, let to): ["rename", .text(from), .text(to)]
        case .retype(let field, let conversion):
            ["retype", .text(field), .text(conversion.name)]
        case .add(let field, let value): ["add", .text(field), value]
        case .drop(let field): ["drop", .text(field)]
        case .split(let field, let names, let separator):
            ["split", .text(field), .array(names.map { .text($0) }), .text(separator)]
        case .merge(let fields, let name, let separator):
            ["merge", .array(fields.map { .text($0) }), .text(name), .text(separator)]
        case .code: ["code"]
        }
    }

    /// The step that the log holds; nil if this version does not know it.
    init?(_ value: FieldValue) {
        let parts = value.array ?? []
        func text(_ index: Int) -> String? { value[index]?.text }
        func texts(_ index: Int) -> [String]? {
            let all = value[index]?.array
            let texts = all?.compactMap(\.text)
            return texts?.count == all?.count ? texts : nil
        }
        switch (text(0), parts.count) {
        case ("rename", 3):
            guard let from = text(1), let to = text(2) else { return nil }
            self = .rename(from, to: to)
        case ("retype", 3):
            guard let field = text(1), let conversion = text(2).flatMap(FieldConversion.init(name:))
            else { return nil }
            self = .retype(field, conversion)
        case ("add", 3):
            guard let field = text(1) else { return nil }
            self = .add(field, parts[2])
        case ("drop", 2):
            guard let field = text(1) else { return nil }
            self = .drop(field)
        case ("split", 4):
            guard let field = text(1), let names = texts(2), let separator = text(3)
            else { return nil }
            self = .split(field, into: names, separator: separator)
        case ("merge", 4):
            guard let fields = texts(1), let name = text(2), let separator = text(3)
            else { return nil }
            self = .merge(fields, into: name, separator: separator)
        case ("code", 1): self = .code
        default: return nil
        }
        if problem != nil { return nil }
    }
}
