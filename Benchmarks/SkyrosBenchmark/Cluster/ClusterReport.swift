import BenchmarkModel
import Foundation
import Skyros

#if Postgres
    import SkyrosPostgres

    /// Skyros on PostgreSQL servers, beside libpq alone, in one run.
    enum ClusterReport {
        /// One server, or three of which two must have each commit.
        private struct Setup {
            let name: String
            let url: String
            /// Whether a commit is acknowledged that only one machine has.
            let isWeak: Bool
        }

        private static let kinds: [(name: String, threads: Int?)] = [
            ("1 writer", 1), ("16 writers", 16), ("64 writers", 64), ("queued", nil),
        ]

        static func run(_ arguments: Arguments) throws {
            let setups = [
                arguments.one.map { Setup(name: "one server", url: $0, isWeak: true) },
                arguments.three.map { Setup(name: "three servers", url: $0, isWeak: false) },
            ].compactMap { $0 }
            var writing: [[String]] = []
            var nodes: [[String]] = []
            for setup in setups {
                let cluster = try ClusterRun(
                    url: setup.url, isWeak: setup.isWeak, in: arguments.directory,
                    isQuick: arguments.settings.isQuick)
                for (name, threads) in kinds {
                    let pairs = try (0..<arguments.settings.rounds).map { _ in
                        try cluster.writing(by: threads)
                    }
                    writing.append([setup.name, name] + cells(pairs))
                }
                nodes += try cluster.reading().map { [setup.name] + $0 }
                try cluster.close()
            }
            let tables = [
                (
                    name: "cluster-writes",
                    table: TextTable(
                        head: ["", "", "Skyros", "p50", "libpq", "p50", "×"], rows: writing,
                        textColumns: 2)
                ),
                (
                    name: "cluster-nodes",
                    table: TextTable(head: ["", "", ""], rows: nodes, textColumns: 3)
                ),
            ]
            for (_, table) in tables { print(table.text, terminator: "\n\n") }
            if let file = arguments.markdown {
                try MarkedText.write(tables.map { ($0.name, $0.table.markdown) }, to: file)
            }
        }

        private static func cells(
            _ pairs: [(skyros: ClusterWriting.Rate, bare: ClusterWriting.Rate)]
        ) -> [String] {
            func cells(_ rates: [ClusterWriting.Rate]) -> [String] {
                [
                    Statistics.median(rates.map(\.perSecond)).map { TextTable.number($0) } ?? "–",
                    Statistics.median(rates.compactMap(\.milliseconds))
                        .map { TextTable.number($0) + " ms" } ?? "",
                ]
            }
            let ratio = Statistics.median(pairs.map { $0.skyros.perSecond / $0.bare.perSecond })
            return cells(pairs.map(\.skyros)) + cells(pairs.map(\.bare))
                + [ratio.map(TextTable.ratio) ?? "–"]
        }
    }

    /// Nodes of a store, and a bare log on the same servers.
    private final class ClusterRun {
        private let url: String
        private let isWeak: Bool
        private let caches: URL
        private let name: String
        private let writer: Store
        private let bare: BareLog
        private let rows = Tally()
        /// What an event takes.
        private let byteCount: Int
        private let isQuick: Bool

        private var seconds: Double { isQuick ? 1 : 3 }
        private var lagCount: Int { isQuick ? 100 : 1_000 }

        init(url: String, isWeak: Bool, in directory: URL, isQuick: Bool) throws {
            self.url = url
            self.isWeak = isWeak
            self.isQuick = isQuick
            name = "bench_\(ProcessInfo.processInfo.processIdentifier)"
            caches = directory.appending(path: name)
            try FileManager.default.createDirectory(at: caches, withIntermediateDirectories: true)
            writer = try Self.node("writer", .writer, url, isWeak, caches, schema: name)
            let separator = url.contains("?") ? "&" : "?"
            bare = try BareLog(
                url: "\(url)\(separator)target_session_attrs=read-write",
                schema: "\(name)_bare")
            for _ in 0..<100 {
                let order = Generator.order(rows.next())
                try writer.write(by: Audit.actor, because: Audit.reason) { try $0.insert(order) }
            }
            byteCount = try bare.meanByteCount(in: name)
        }

        private static func node(
            _ name: String, _ role: NodeRole, _ url: String, _ isWeak: Bool, _ caches: URL,
            schema: String
        ) throws -> Store {
            let place = StorePlace.postgres(
                url, cache: caches.appending(path: name), schema: schema, role: role, node: name,
                allowsWeakDurability: isWeak)
            return try Store(at: place, entities: Order.self)
        }

        /// One round of both, where nothing else uses the servers.
        func writing(
            by threads: Int?
        ) throws -> (skyros: ClusterWriting.Rate, bare: ClusterWriting.Rate) {
            let skyros = try ClusterWriting.skyros(writer, by: threads, seconds: seconds, rows)
            let bare = try ClusterWriting.bare(
                bare, by: threads, seconds: seconds, byteCount: byteCount)
            return (skyros, bare)
        }

        /// What readers do, and a new node: names and values.
        func reading() throws -> [[String]] {
            let reader = try Self.node("reader", .reader, url, isWeak, caches, schema: name)
            defer { try? reader.close() }
            let lags = try ClusterReading.lags(lagCount, from: writer, to: reader, rows)
            let latest = try ClusterReading.latestReads(lagCount, of: reader)
            let reads = try ClusterReading.reads(seconds, of: reader, rows: rows.value)
            // The reader has stored its first checkpoint by now.
            let followed = try ClusterWriting.skyros(writer, by: 16, seconds: seconds, rows)
            let count = rows.value
            let start = Cost.now.wall
            let new = try Self.node("new", .reader, url, isWeak, caches, schema: name)
            let opening = Cost.now.wall - start
            try BenchmarkError.check(try new.count(Order.self), count, "rows of a new node")
            try new.close()
            return [
                [
                    "16 writers while a reader follows, on the same machine",
                    "\(TextTable.number(followed.perSecond)) events/s",
                ],
                ["a reader shows a write after the writer returned", Self.times(lags)],
                ["readLatest", Self.times(latest)],
                ["reads by id, one thread of a node", "\(TextTable.number(reads)) /s"],
                [
                    "a new node copies and folds \(TextTable.number(Double(count))) events",
                    "\(TextTable.number(opening)) s, "
                        + "\(TextTable.number(Double(count) / opening)) events/s",
                ],
                ["an event", "\(byteCount) bytes"],
            ]
        }

        private static func times(_ sorted: [Double]) -> String {
            let median = TextTable.number(Statistics.percentile(0.5, of: sorted))
            let late = TextTable.number(Statistics.percentile(0.99, of: sorted))
            return "p50 \(median) ms, p99 \(late) ms"
        }

        func close() throws {
            try writer.close()
            try FileManager.default.removeItem(at: caches)
        }
    }
#else
    /// Stores on servers need the trait.
    enum ClusterReport {
        static func run(_: Arguments) throws {
            throw BenchmarkError("build it with --traits SystemZstd,Postgres")
        }
    }
#endif
