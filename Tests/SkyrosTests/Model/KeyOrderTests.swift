import Foundation
import Testing

@testable import Skyros

@Suite struct `The order of index keys` {
    private enum Plain: Codable { case a, b }
    private enum Raw: String, Codable { case a, b }
    private enum Ordered: Int, Codable, Comparable {
        case a, b
        static func < (a: Ordered, b: Ordered) -> Bool { a == .b && b == .a }
    }
    private struct Flags: OptionSet, Codable { let rawValue: Int }
    private struct Wrapped: RawRepresentable, Codable { var rawValue: Plain }
    private struct Version: Codable, Comparable {
        var text: String
        static func < (a: Version, b: Version) -> Bool { a.text.count < b.text.count }
    }

    @Test func `is that of the values, of the library's own scalars`() {
        let types: [Any.Type] = [
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self, UInt.self,
            UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt128.self, Double.self,
            Float.self, String.self, Date.self, UUID.self, Int?.self, Date?.self,
        ]
        for type in types { #expect(KeyOrder.of(type) == .full, "\(type)") }
    }

    @Test func `says which values are equal, of raw representable types`() {
        let types: [Any.Type] = [
            Bool.self, Bool?.self, Raw.self, Raw?.self, Ordered.self, Flags.self,
        ]
        for type in types { #expect(KeyOrder.of(type) == .equality, "\(type)") }
    }

    @Test func `says nothing about other types`() {
        let types: [Any.Type] = [
            Plain.self, Plain?.self, Wrapped.self, Version.self, [Int].self, Data.self, URL.self,
            Decimal.self, [String: Int].self, Set<Int>.self, Range<Int>.self, Duration.self,
            Int??.self, Raw??.self,
        ]
        for type in types { #expect(KeyOrder.of(type) == .none, "\(type)") }
    }
}
