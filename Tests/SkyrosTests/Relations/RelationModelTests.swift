import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite struct `Random graphs under random deletions` {
    @Test(arguments: 1...6)
    func `are what a search through all records makes of them`(seed: Int) throws {
        var random = RandomSource(seed: UInt64(seed))
        let directory = try TemporaryDirectory()
        var store = try Store(at: directory.store, entities: Team.self, Member.self)
        var model = RelationModel()
        let idMax = [4, 12, 40][seed % 3]
        var counts = (written: 0, denied: 0, broken: 0)
        for round in 1...250 {
            let steps = (0...random.below(6)).map { _ in
                RelationModel.Step(&random, idMax: idMax)
            }
            let before = model
            let failure = run(steps, on: store, &model)
            switch failure {
            case nil: counts.written += 1
            case .denied: counts.denied += 1
            case .broken: counts.broken += 1
            }
            if failure != nil { model = before }
            try #require(try RelationModel(of: store.snapshot) == model, "round \(round)")
            if round % 10 == 0 { try compareReferrers(store.snapshot, model) }
            if round % 100 == 0 {
                try store.close()
                store = try Store(at: directory.store, entities: Team.self, Member.self)
                #expect(store.recovery.brokenReferences.isEmpty)
                try #require(try RelationModel(of: store.snapshot) == model)
                try compareReferrers(store.snapshot, model)
            }
        }
        #expect(counts.written > 20 && counts.broken > 5, "\(counts)")
    }

    /// Runs a block on the store and on the model; both must fail in the same way, or not at all.
    private func run(
        _ steps: [RelationModel.Step], on store: Store, _ model: inout RelationModel
    ) -> RelationModel.Failure? {
        let before = model
        for step in steps { model.apply(step) }
        var expected: RelationModel.Failure?
        do throws(RelationModel.Failure) {
            try model.endBlock(from: before)
        } catch {
            expected = error
        }
        let error = failure(as: StoreError.self) {
            try store.write { tx in
                for step in steps { try RelationModel.apply(step, to: &tx) }
            }
        }
        let names = Set(error?.place.references.map(\.description) ?? [])
        switch (error?.code, expected) {
        case (nil, nil): break
        case (.brokenReference, .broken(names)), (.deletionDenied, .denied(names)): break
        default:
            Issue.record("\(String(describing: error)), not \(String(describing: expected))")
        }
        return expected
    }

    private func compareReferrers(_ state: Snapshot, _ model: RelationModel) throws {
        for id in 0..<40 {
            let friends = try state.all(Member.self, referring: \.friends, to: Ref(id)).map(\.id)
            let expected = model.members.values.filter { $0.friends.contains(Ref(id)) }.map(\.id)
            #expect(friends == expected.sorted())
            let clubs = try state.count(Member.self, referring: \.clubs, to: Ref(id))
            #expect(clubs == model.members.values.count { $0.clubs.contains(Ref(id)) })
            let leads = try state.all(Team.self, referring: \.lead, to: Ref(id)).map(\.id)
            #expect(leads == model.teams.values.filter { $0.lead?.id == id }.map(\.id).sorted())
        }
    }
}

@Suite struct `A cycle of relations` {
    @Test func `is deleted once around`() throws {
        let store = try Store(inMemory: Team.self, Member.self)
        try store.write { tx in
            for id in 0..<1_000 {
                try tx.insert(Team(id: id, parent: Ref((id + 1) % 1_000)))
            }
        }
        try store.write { try $0.delete(Team.self, 500) }
        #expect(try store.count(Team.self) == 0)
        #expect(try store.event(2)?.changes.count == 1_000)
    }

    @Test func `of a record with itself is deleted with it`() throws {
        let store = try Store(inMemory: Team.self, Member.self)
        try store.write { tx in
            try tx.insert(Team(id: 1, parent: Ref(1)))
            try tx.insert(Member(id: 1, team: Ref(1), wards: [Ref(1)]))
        }
        try store.write { try $0.delete(Member.self, 1) }
        try store.write { try $0.delete(Team.self, 1) }
        #expect(try store.count(Team.self) == 0)
    }
}
