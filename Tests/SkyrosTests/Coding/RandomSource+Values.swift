import Foundation
import TestSupport

@testable import Skyros

extension RandomSource {
    /// Any value that has a canonical form, down to `depth` levels.
    mutating func value(depth: Int = 3) -> FieldValue {
        switch below(depth > 0 ? 13 : 10) {
        case 0: .null
        case 1: .bool(below(2) == 0)
        case 2: .integer(Int128(integer()))
        case 3: .integer(Int128(integer()) << 63 | Int128(below(1000)))
        case 4: .double(double())
        case 5, 6: .text(text())
        case 7: .bytes(Data(text().utf8))
        case 8: .uuid(uuid())
        case 9: .date(Date(timeIntervalSinceReferenceDate: double()))
        case 10: .array((0..<below(4)).map { _ in value(depth: depth - 1) })
        case 11: .map(fields(depth: depth - 1))
        default: .tagged(UInt64(1000 + below(70_000)), value(depth: depth - 1))
        }
    }

    mutating func fields(depth: Int = 2) -> NamedValues<FieldValue> {
        var fields: NamedValues<FieldValue> = [:]
        for _ in 0..<below(8) {
            fields[below(3) == 0 ? text() : "field\(below(12))"] = value(depth: depth)
        }
        return fields
    }
}
