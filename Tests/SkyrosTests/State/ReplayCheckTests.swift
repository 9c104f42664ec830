import SkyrosDisk
import SkyrosLog
import Testing

@testable import Skyros

@Suite struct `The replay of each live write` {
    @Test func `stops the process if it leads to another state (F64)`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            InvariantChecks.enable()
            var snapshot = Snapshot(.untyped, beginning: ChainHash(rawValue: 0), hashSeed: 1)
            let index = snapshot.tableIndex(of: "Thing")
            let id = RecordID(1)
            // A row that is not the record of its event.
            let row = snapshot.tables[index].storedRow(
                id, hash: snapshot.tables[index].hash(id), number: 1,
                bytes: try Fields(["id": 1, "text": "b"]).bytes)
            let record = try Record(entity: "Thing", id: id, fields: ["id": 1, "text": "a"])
            var batch = CommandBatch(metadata: Metadata(), intent: nil)
            batch.append(
                StagedChange(
                    change: .inserted(record), table: index, effect: .put(row, old: nil)))
            let stamp = EventStamp(
                sequence: 1, time: EventTime(microseconds: 1), chainHash: ChainHash(rawValue: 1))
            let check = try StoreReplayCheck(of: batch, as: stamp, on: snapshot)
            var dirty = DirtyRows()
            try Projector.apply(batch.changes, as: stamp, to: &snapshot, marking: &dirty)
            try check?.compare(with: snapshot)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("event 1 is replayed to another state"))
        #expect(message.contains("the record 1 of Thing"))
    }
}
