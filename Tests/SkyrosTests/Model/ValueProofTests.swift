import Foundation
import Testing

@testable import Skyros

// Never shared: only its layout is read.
private final class Box: Codable, @unchecked Sendable {
    var number = 1
}

private enum Status: String { case open, done }

private indirect enum Tree {
    case leaf
    case branch(left: Tree, label: String, right: Tree)
    case tagged([String: [UUID?]], Date)
}

private enum Holder {
    case empty
    case box(Box)
}

private struct Pair<A, B> {
    var a: A
    var b: B?

    struct Inner {
        var list: [A]
    }
}

@propertyWrapper private struct Clamped {
    var wrappedValue: Int
}

private struct Order {
    let id: UUID
    var customer: String
    var status: Status
    var total: Decimal
    @Clamped var items: Int
    var link: URL?
    var tree: Tree
    var span: ClosedRange<Double>
    var tags: Set<String>
    var pair: Pair<Int, Data>.Inner
    lazy var cached = 5
}

/// A type that contains a larger instance of itself.
private indirect enum Growing<A> {
    case end
    case more(Growing<[A]>)
}

private struct Weak { weak var box: Box? }
// Never made: only its layout is read.
private struct Unowned { unowned(unsafe) let box: Box }
private struct Pointing { let pointer: UnsafeMutablePointer<Int> }
private struct Calling { let call: () -> Int }
private struct Existing { let any: any Sendable }
private struct Dual { let both: (Int, Box) }
private struct Unit { let measurement: Measurement<UnitLength> }

@Suite struct `The proof that a type holds no reference` {
    @Test(
        arguments: [
            Int.self, String.self, Status.self, Tree.self, Order.self, Pair<String, Tree>.self,
            [Pair<Int, Int>.Inner].self, Never?.self, [UUID: Status].self,
        ] as [Any.Type])
    func `succeeds for values of values (F65)`(type: Any.Type) {
        #expect(ValueProof.succeeds(for: type))
    }

    @Test(
        arguments: [
            Box.self, Holder.self, Pair<String, Box>.self, Pair<Box, Int>.Inner.self, Weak.self,
            Unowned.self, Pointing.self, Calling.self, Existing.self, Dual.self, Unit.self,
            [Box].self, [Int: Box?].self, (any Error).self, (() -> Void).self, Growing<Int>.self,
            NSString.self, [Holder].self,
        ] as [Any.Type])
    func `fails for what may share something (F65)`(type: Any.Type) {
        #expect(!ValueProof.succeeds(for: type))
    }
}
