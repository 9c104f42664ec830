import TestSupport
import Testing

@testable import Skyros

/// `swap` moves a transaction out of its block, although it cannot be copied.
@Suite struct `A transaction that is exchanged with another store's` {
    private let a: Store
    private let b: Store

    init() throws {
        a = try Store(inMemory: Note.self)
        b = try Store(inMemory: Note.self)
    }

    private func expectUnchanged() throws {
        #expect(a.sequence == 0 && b.sequence == 0)
        // Both stores still work.
        for store in [a, b] {
            try store.write { try $0.insert(Note(id: 9, text: "later")) }
            #expect(try store.all(Note.self).map(\.id) == [9])
        }
    }

    @Test func `makes both blocks throw, and neither writes (F69)`() throws {
        let outer = code {
            try a.write { ta in
                try ta.insert(Note(id: 1, text: "a"))
                let inner = code {
                    try b.write { tb in
                        try tb.insert(Note(id: 2, text: "b"))
                        swap(&ta, &tb)
                        try ta.insert(Note(id: 3, text: "through a's variable"))
                        try tb.insert(Note(id: 4, text: "through b's variable"))
                    }
                }
                #expect(inner == .wrongTransaction)
            }
        }
        #expect(outer == .wrongTransaction)
        try expectUnchanged()
    }

    @Test func `cannot be used once its block has ended (F69)`() throws {
        let outer = code {
            try a.write { ta in
                try? b.write { tb in swap(&ta, &tb) }
                #expect(code { try ta.insert(Note(id: 1, text: "")) } == .wrongTransaction)
                #expect(code { _ = try ta.get(Note.self, 1) } == .wrongTransaction)
                #expect(code { _ = try ta.count(Note.self) } == .wrongTransaction)
                #expect(code { _ = try ta.snapshot } == .wrongTransaction)
                #expect(code { try ta.deleteAll(Note.self) } == .wrongTransaction)
            }
        }
        #expect(outer == .wrongTransaction)
        try expectUnchanged()
    }

    @Test func `does not become that of a later block (F69)`() throws {
        let outer = code {
            try a.write { ta in
                try? b.write { tb in swap(&ta, &tb) }
                try? b.write { tb in
                    #expect(code { try ta.insert(Note(id: 1, text: "")) } == .wrongTransaction)
                    try tb.insert(Note(id: 2, text: ""))
                    swap(&ta, &tb)
                    throw StoreError(.io, "the block's own error")
                }
            }
        }
        #expect(outer == .wrongTransaction)
        try expectUnchanged()
    }

    @Test func `outlives its store without harm (F69)`() throws {
        let outer = code {
            try a.write { ta in
                do {
                    let brief = try Store(inMemory: Note.self)
                    try? brief.write { tb in swap(&ta, &tb) }
                }
                #expect(code { try ta.insert(Note(id: 1, text: "")) } == .wrongTransaction)
            }
        }
        #expect(outer == .wrongTransaction)
        try expectUnchanged()
    }

    @Test func `may be exchanged back (F69)`() throws {
        try a.write { ta in
            try b.write { tb in
                swap(&ta, &tb)
                swap(&ta, &tb)
                try ta.insert(Note(id: 1, text: "a"))
                try tb.insert(Note(id: 2, text: "b"))
            }
        }
        #expect(try a.all(Note.self).map(\.id) == [1])
        #expect(try b.all(Note.self).map(\.id) == [2])
    }
}
