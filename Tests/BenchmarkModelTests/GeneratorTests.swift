import BenchmarkModel
import Foundation
import Testing

/// The numbers that every benchmark on this data has reproduced.
@Suite struct `The generator` {
    @Test func `gives the first row`() throws {
        let id = try #require(UUID(uuidString: "e9ea8043-86f8-c572-2db4-cff9a264c3a5"))
        #expect(
            Generator.order(0)
                == Order(
                    id: id, customer: "customer-9", restaurant: "restaurant-185", status: .done,
                    totalCents: 8_770, createdAt: 1_700_000_000.169, items: 8, note: nil,
                    rating: 4.5))
        #expect(Generator.id(0) == id)
    }

    @Test func `gives the last row of a million`() throws {
        let id = try #require(UUID(uuidString: "61dd3c37-9590-2ead-381c-91112472527b"))
        #expect(
            Generator.order(999_999)
                == Order(
                    id: id, customer: "customer-7697", restaurant: "restaurant-166",
                    status: .delivering, totalCents: 2_789, createdAt: 1_700_249_999.930, items: 2,
                    note: "salt door arrival allergy call twice", rating: 1.0))
    }

    @Test func `leads a million reads to the known sum`() {
        #expect(Expectation.readSum(reads: 1_000_000, rows: 1_000_000) == 5_247_165_181)
    }

    @Test func `leads two thousand queries to the known rows`() {
        let result = Expectation.queryResult(queries: 2_000, rows: 1_000_000, limit: 20)
        #expect(result.rowCount == 40_000)
        #expect(result.totalCents == 208_954_922)
    }
}
