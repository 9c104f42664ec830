import SkyrosDisk
import TestSupport
import Testing

@testable import Skyros

@Suite struct `A handler of errors` {
    @Test func `is called on the same stack again and again`() {
        let places = Locked<[Int]>([])
        var options = Store.Options()
        options.onError = { _ in places.withLock { $0.append(StackPointer.current) } }
        let handler = ErrorHandler(options)
        for _ in 0..<1_000 { handler.current?(StoreError.closed) }
        #expect(places.withLock { $0.count } == 1_000)
        #expect(places.withLock { $0.spread } < 1_000)
    }
}
