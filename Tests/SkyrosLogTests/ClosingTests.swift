import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import Testing

@Suite struct `A log whose closing was not synced` {
    /// The closing block ends at a sector's end for some of these counts, so that nothing that is
    /// written later brings it to the medium by chance.
    @Test(arguments: 1...60)
    func `has no hole there after it was opened and written to again`(count: Int) throws {
        let fixture = LogFixture()
        let disk = SimulatedDisk()
        let log = try fixture.make(on: disk)
        try log.append(count)
        try log.sync(through: log.end)
        disk.inject(Fault(.syncFile))
        #expect(code { try log.close() } == .durabilityLost)
        let next = disk.killed()
        let (again, recovery) = try fixture.open(next)
        #expect(recovery.wasClean)
        try again.append(3)
        try again.sync(through: again.end)
        for seed in 0..<8 {
            let (last, _) = try fixture.open(next.crashed(seed: UInt64(seed)))
            #expect(try last.batches() == expected(UInt64(count + 3)))
        }
    }

    @Test func `can be opened after a crash at every operation of its opening`() throws {
        let fixture = LogFixture()
        for count in 1...10 {
            let disk = SimulatedDisk()
            let log = try fixture.make(on: disk)
            try log.append(count)
            try log.sync(through: log.end)
            disk.inject(Fault(.syncFile))
            #expect(code { try log.close() } == .durabilityLost)
            for after in 0..<24 {
                let next = disk.killed()
                next.inject(Fault(nil, after: after, isLasting: true))
                _ = try? fixture.open(next)
                for seed in 0..<4 {
                    let (last, _) = try fixture.open(next.crashed(seed: UInt64(seed)))
                    #expect(try last.batches() == expected(UInt64(count)))
                }
            }
        }
    }
}
