#if !SKYROS_COMPARE
    import BenchmarkModel
    import Foundation
    import Skyros

    /// W15: how far `info`'s estimate of an opening is off.
    enum Estimates {
        static let workload = Workload(
            name: "W15", title: "the estimate of an opening, beside the opening",
            sides: [.skyros], measure: measure)

        /// The kinds of stores that are opened.
        private enum Kind: String, CaseIterable {
            case small = "1 % of the rows"
            case middle = "20 % of the rows"
            case all = "all rows"
            case inserted = "20 % of the rows, no checkpoint"
            case updated = "20 % of the rows, updated once, no checkpoint"
            case wide = "2 % of the rows, of 2 KB"
            case tiny = "50 % of the rows, of two numbers"
            case indexed = "20 % of the rows, three indexes"

            func rows(_ settings: Settings) -> Int {
                let percent =
                    switch self {
                    case .small: 1
                    case .wide: 2
                    case .middle, .inserted, .updated, .indexed: 20
                    case .tiny: 50
                    case .all: 100
                    }
                return settings.rows * percent / 100
            }
        }

        static let variants = Kind.allCases.map(\.rawValue)

        private static let repetitions = 5

        private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
            try Kind.allCases.map { kind in
                let directory = bench.scratch.appending(path: "store")
                defer { try? FileManager.default.removeItem(at: directory) }
                try prepare(kind, at: directory, rows: kind.rows(bench.settings))
                var estimates: [Double] = []
                var openings: [Double] = []
                for _ in 0..<repetitions {
                    estimates.append(try run("info", kind, directory, bench))
                    let copy = bench.scratch.appending(path: "copy")
                    defer { try? FileManager.default.removeItem(at: copy) }
                    try FileManager.default.copyItem(at: directory, to: copy)
                    openings.append(try run("open", kind, copy, bench))
                }
                let estimate = Statistics.percentile(0.5, of: estimates.sorted())
                let opening = Statistics.percentile(0.5, of: openings.sorted())
                let text = "  \(kind.rawValue): \(estimate) ms estimated, \(opening) ms\n"
                FileHandle.standardError.write(Data(text.utf8))
                return Figure(
                    kind.rawValue, max(estimate / opening, opening / estimate), .multiple)
            }
        }

        private static func run(
            _ what: String, _ kind: Kind, _ directory: URL, _ bench: Bench
        ) throws -> Double {
            sync()
            let figures = try Probe.run(
                .estimate, in: bench, what, kind.rawValue, directory.path(percentEncoded: false))
            guard let figure = figures.first else { throw BenchmarkError("no time") }
            return figure.value
        }

        private static func prepare(_ kind: Kind, at directory: URL, rows: Int) throws {
            var options = Store.Options()
            options.openingTarget = .milliseconds(SkyrosPeer.never)
            let store = try open(kind, at: directory, options)
            for block in Blocks(0..<rows) {
                if kind == .inserted || kind == .updated {
                    for row in block { try store.write { try $0.insert(Generator.order(row)) } }
                } else {
                    try store.write { tx in for row in block { try insert(row, kind, &tx) } }
                }
            }
            if kind == .updated {
                for row in 0..<rows {
                    try store.write { tx in
                        try tx.update(Order.self, Generator.id(row)) { $0.items += 1 }
                    }
                }
            }
            try store.close()
            if kind == .inserted || kind == .updated {
                try Versions.removeCheckpoint(in: directory)
            }
        }

        private static func insert(
            _ row: Int, _ kind: Kind, _ tx: inout WriteTransaction
        ) throws {
            switch kind {
            case .small, .middle, .all, .inserted, .updated: try tx.insert(Generator.order(row))
            case .wide: try tx.insert(WideRow(row))
            case .tiny: try tx.insert(SmallRow(id: row))
            case .indexed: try tx.insert(IndexedOrder(row))
            }
        }

        private static func open(
            _ kind: Kind, at directory: URL, _ options: Store.Options = Store.Options()
        ) throws -> Store {
            switch kind {
            case .small, .middle, .all, .inserted, .updated:
                try Store(at: directory, entities: Order.self, options: options)
            case .wide: try Store(at: directory, entities: WideRow.self, options: options)
            case .tiny: try Store(at: directory, entities: SmallRow.self, options: options)
            case .indexed: try Store(at: directory, entities: IndexedOrder.self, options: options)
            }
        }

        // MARK: In the measured process

        /// Opens a store, or estimates that, and gives the milliseconds.
        static func answer(_ words: [String], _ bench: Bench) throws -> ProbeResult {
            guard words.count == 3, let kind = Kind(rawValue: words[1]) else {
                throw BenchmarkError("estimate info|open KIND FOLDER")
            }
            let directory = URL(filePath: words[2])
            if words[0] == "info" {
                let estimate = try Archive(at: directory).info().openingMilliseconds
                return ProbeResult(figures: [Figure("", Double(estimate), .milliseconds)])
            }
            var store: Store?
            let cost = try Cost.measure { store = try open(kind, at: directory) }
            return ProbeResult(
                figures: [Figure("", cost.wall * 1e3, .milliseconds, cost)], kept: store)
        }
    }
#endif
