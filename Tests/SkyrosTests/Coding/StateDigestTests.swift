import Foundation
import SkyrosLog
import TestSupport
import Testing

@testable import Skyros

@Suite struct `The hash of bytes` {
    /// From the Python package xxhash: seed 0 and seed 1 of the bytes 0, 1, 2 … n - 1.
    @Test(
        arguments: [
            (0, 0xef46_db37_51d8_e999, 0xd5af_ba13_36a3_be4b),
            (1, 0xe934_a84a_db05_2768, 0x7719_17c7_f6ee_2451),
            (3, 0xe5c7_bb45_33bc_65dd, 0xa216_8d89_c582_b451),
            (4, 0xffce_d860_4453_cc1e, 0x9450_6f8c_7e58_70a9),
            (8, 0x884a_1736_14b8_1b8d, 0x9d2b_7c73_54fe_4e23),
            (31, 0xc346_d2b5_9b4d_8ee1, 0xf031_031d_6597_7dfc),
            (32, 0xcbf5_9c51_16ff_32b4, 0xd74e_6766_ce9d_ba94),
            (33, 0x0c53_5d1a_cafb_8ead, 0xa371_825f_4210_fe99),
            (100, 0x6ac1_e580_3216_6597, 0x3d19_a3a2_098a_7023),
        ] as [(Int, UInt64, UInt64)])
    func `is XXH64`(count: Int, seed0: UInt64, seed1: UInt64) {
        let bytes = (0..<count).map { UInt8($0) }
        #expect(XXH64.hash(bytes) == seed0)
        #expect(XXH64.hash(bytes, seed: 1) == seed1)
    }
}

@Suite struct `The state digest` {
    private struct Row {
        let entity: String
        let id: RecordID
        let record: [UInt8]
    }

    private func rows(_ count: Int) throws -> [Row] {
        var random = RandomSource(seed: 71)
        return try (0..<count).map { index in
            Row(
                entity: "E\(index % 3)", id: RecordID(random.uuid()),
                record: try Fields(random.fields()).bytes)
        }
    }

    private func digest(_ rows: [Row]) -> StateDigest {
        var digest = StateDigest()
        for row in rows {
            row.record.withUnsafeBytes { digest.add(entity: row.entity, id: row.id, record: $0) }
        }
        return digest
    }

    @Test func `of nothing is zero`() {
        #expect(StateDigest().description == String(repeating: "0", count: 32))
    }

    @Test func `of a record is what xxhash and cbor2 say`() {
        var digest = StateDigest()
        bytes("a1616101").withUnsafeBytes {
            digest.add(entity: "E", id: RecordID(1), record: $0)
        }
        // b = cbor2.dumps(["E", 1, {"a": 1}], canonical=True); xxh64(b, seed=0), xxh64(b, seed=1)
        #expect(digest.description == "a7584c51992bcc9417429c26e2c9aa82")
    }

    @Test func `does not depend on order and can be kept up`() throws {
        let rows = try rows(200)
        var random = RandomSource(seed: 72)
        let whole = digest(rows)
        #expect(digest(rows.shuffled(using: &random)) == whole)
        var sum = digest(Array(rows[..<80]))
        sum.add(digest(Array(rows[80...])))
        #expect(sum == whole)
        sum.remove(digest(Array(rows[..<80])))
        #expect(sum == digest(Array(rows[80...])))
        var kept = whole
        for row in rows[..<80] {
            kept.remove(digest([row]))
        }
        #expect(kept == sum)
    }

    @Test func `differs for other records, ids and entities`() throws {
        let row = try rows(1)[0]
        let other = Row(entity: row.entity, id: row.id, record: try Fields(["x": 1]).bytes)
        #expect(digest([row]) != digest([other]))
        #expect(digest([row]) != digest([Row(entity: "F", id: row.id, record: row.record)]))
        #expect(
            digest([row]) != digest([Row(entity: row.entity, id: RecordID(1), record: row.record)]))
        #expect(digest([row, row]) != digest([row]))
    }
}
