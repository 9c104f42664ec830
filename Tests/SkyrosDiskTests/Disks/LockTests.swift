import SkyrosDisk
import Testing

@Suite struct `The lock of any disk` {
    @Test(arguments: DiskKind.allCases)
    func `has one holder at a time`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let lock = try fixture.disk.lock()
        for _ in 0..<2 {
            let error = failure { _ = try fixture.disk.lock() }
            #expect(error?.lockHolder == "this process")
            #expect(error?.operation == .lock)
        }
        lock.release()
        try fixture.disk.lock().release()
    }

    @Test(arguments: DiskKind.allCases)
    func `is not released by its previous holder`(on kind: DiskKind) throws {
        let fixture = try DiskFixture(kind)
        let first = try fixture.disk.lock()
        first.release()
        let second = try fixture.disk.lock()
        first.release()
        #expect(failure { _ = try fixture.disk.lock() }?.lockHolder != nil)
        second.release()
        try fixture.disk.lock().release()
    }
}
