import Testing

@Suite struct `An import` {
    private func lines(_ path: String, _ text: String) -> [Int] {
        SourceFile(path, text).lines(Imports.findings)
    }

    @Test func `must not lead up or sideways`() {
        #expect(lines("Sources/SkyrosLog/A.swift", "package import Skyros") == [1])
        #expect(lines("Sources/SkyrosLog/A.swift", "\nimport SkyrosSQLite") == [2])
        #expect(lines("Sources/SkyrosTool/A.swift", "import SkyrosBenchmark") == [1])
        #expect(lines("Sources/Skyros/A.swift", "import struct SkyrosTesting.Seed") == [1])
        #expect(lines("Benchmarks/BenchmarkModel/A.swift", "import SkyrosBenchmark") == [1])
    }

    @Test func `may lead down`() {
        #expect(lines("Sources/SkyrosLog/A.swift", "package import SkyrosDisk").isEmpty)
        #expect(lines("Sources/SkyrosTool/A.swift", "import Skyros\nimport SkyrosLog").isEmpty)
        #expect(lines("Examples/A/B.swift", "import Skyros\nimport SkyrosTesting").isEmpty)
        #expect(lines("Examples/A/B.swift", "import Foundation").isEmpty)
        #expect(lines("Benchmarks/SkyrosBenchmark/A.swift", "import BenchmarkModel").isEmpty)
        #expect(lines("Tests/A/B.swift", "@testable import Skyros").isEmpty)
        #expect(lines("Sources/SkyrosLog/A.swift", "// import Skyros").isEmpty)
    }

    @Test func `in an example is one that users can write`() {
        #expect(lines("Examples/A/B.swift", "import SkyrosLog") == [1])
        #expect(lines("Examples/A/B.swift", "import Skyros\nimport SkyrosTool") == [2])
    }

    @Test func `needs a height for every module`() {
        #expect(lines("Sources/SkyrosCellar/A.swift", "let a = 1") == [1])
        #expect(lines("Sources/CZstd/shim.h", "").isEmpty)
    }

    @Test func `of a system library has one door`() {
        #expect(lines("Sources/Skyros/A.swift", "import CZstd") == [1])
        #expect(lines("Sources/SkyrosLog/A.swift", "import CZstd").isEmpty)
        #expect(lines("Sources/SkyrosLog/A.swift", "import CSQLite") == [1])
        #expect(lines("Sources/SkyrosSQLite/A.swift", "import CSQLite").isEmpty)
        #expect(lines("Benchmarks/SkyrosBenchmark/Peers/A.swift", "import CSQLite").isEmpty)
        #expect(lines("Benchmarks/SkyrosBenchmark/Report/A.swift", "import CSQLite") == [1])
        #expect(lines("Sources/SkyrosDisk/Disk.swift", "import Glibc") == [1])
        #expect(lines("Sources/SkyrosDisk/Posix/A.swift", "import Glibc").isEmpty)
    }

    @Test func `of Foundation stays out of the edges`() {
        #expect(lines("Sources/SkyrosSQLite/A.swift", "import Foundation") == [1])
        #expect(lines("Sources/SkyrosDisk/A.swift", "import FoundationEssentials") == [1])
        #expect(lines("Sources/Skyros/A.swift", "import Foundation").isEmpty)
    }
}

@Suite struct `Borders between directories` {
    private let declarations = SourceTree([
        SourceFile("Sources/Skyros/Model/Event.swift", "struct Event { struct Kind {} }"),
        SourceFile("Sources/Skyros/State/Snapshot.swift", "public struct Snapshot {}"),
        SourceFile("Sources/Skyros/Log/EventLog.swift", "final class EventLog { enum Mode {} }"),
        SourceFile("Sources/Skyros/View/MainView.swift", "final class MainView {}"),
        SourceFile("Sources/Skyros/Store.swift", "public final class Store {}"),
        SourceFile("Sources/Skyros/Model/StoreError.swift", "public struct StoreError {}"),
        SourceFile("Sources/Skyros/Live/EventStream.swift", "struct EventStream {}"),
        SourceFile("Sources/Skyros/History/Moment.swift", "enum Moment {}"),
    ])

    private func places(_ name: String, _ text: String) -> [String] {
        let file = SourceFile("Sources/Skyros/\(name)", text)
        return SourceTree(declarations.files + [file]).places(Borders.findings)
    }

    @Test func `keep the stages apart`() {
        #expect(places("Write/A.swift", "\nlet a: EventLog") == ["Sources/Skyros/Write/A.swift:2"])
        #expect(places("View/A.swift", "func a() -> [Store] { [] }").count == 1)
        #expect(places("Write/A.swift", "let a = \"\\(MainView.self)\"").count == 1)
        #expect(places("Log/A.swift", "extension EventLog {}").isEmpty)
        #expect(places("Write/A.swift", "let a: Snapshot, b: Event, c: StoreError").isEmpty)
        #expect(places("Write/A.swift", "/// Like `EventLog`.\nlet a = \"EventLog\"").isEmpty)
        #expect(places("Write/A.swift", "let a: Mode, b: Kind, c: X.EventLog").isEmpty)
        #expect(places("Write/A.swift", "let a: Skyros.EventLog, b: Skyros.Event").count == 1)
        #expect(
            places("Write/A.swift", "private enum MainView {}; let a: Skyros.MainView").count == 1)
        #expect(places("Write/A.swift", "private enum MainView {}; let a: MainView").isEmpty)
    }

    @Test func `keep nouns below the state, and the state below the stages`() {
        #expect(places("Model/A.swift", "let a: Snapshot").count == 1)
        #expect(places("Coding/A.swift", "let a: Snapshot").count == 1)
        #expect(places("State/A.swift", "let a: MainView").count == 1)
        #expect(places("State/A.swift", "let a: Event").isEmpty)
    }

    @Test func `let names go down and never up or aside`() {
        #expect(places("History/A.swift", "let c: EventLog, s: Snapshot").isEmpty)
        #expect(places("Archive/A.swift", "let a: EventStream, b: Moment").isEmpty)
        #expect(places("History/A.swift", "let a: EventStream").count == 1)
        #expect(places("Live/A.swift", "let a: Store").count == 1)
        #expect(places("Coding/A.swift", "let a: Event").count == 1)
        #expect(places("Model/A.swift", "let a: Snapshot").count == 1)
        #expect(places("StoreWiring.swift", "let a: Store, b: EventLog, c: Moment").isEmpty)
    }

    private func places(_ files: [String: String]) -> [String] {
        SourceTree(files.map { SourceFile("Sources/\($0)", $1) }).places(Borders.findings)
    }

    @Test func `stand in every module and at every depth`() {
        #expect(
            places([
                "SkyrosLog/Format/Block.swift": "struct Block { let a: SealedSegment }",
                "SkyrosLog/Reading/SealedSegment.swift": "struct SealedSegment {}",
            ]) == ["Sources/SkyrosLog/Format/Block.swift:1"])
        // The name, and the directory that has no floor.
        #expect(
            places([
                "Skyros/Coding/CBOR/Deep/A.swift": "let a: Record",
                "Skyros/Coding/Records/Record.swift": "struct Record {}",
            ]) == Array(repeating: "Sources/Skyros/Coding/CBOR/Deep/A.swift:1", count: 2))
        #expect(
            places([
                "SkyrosDisk/Threads/A.swift": "let a: System, b: Disk",
                "SkyrosDisk/Posix/System.swift": "enum System {}",
                "SkyrosDisk/Disk.swift": "protocol Disk {}",
                "SkyrosLog/Format/System.swift": "let a: System",
            ]) == ["Sources/SkyrosDisk/Threads/A.swift:1"])
    }

    @Test func `leave no circle`() {
        let circle = [
            "Skyros/State/IndexBTree/IndexBTree.swift":
                "struct IndexBTree {\n    let a: FetchRequest\n}",
            "Skyros/State/Fetch/FetchRequest.swift": "struct FetchRequest { let a: IndexBTree }",
        ]
        #expect(places(circle) == ["Sources/Skyros/State/IndexBTree/IndexBTree.swift:2"])
        let peers = [
            "Skyros/State/IndexBTree/IndexBTree.swift": "struct IndexBTree { let a: RowTrie }",
            "Skyros/State/RowTrie/RowTrie.swift": "struct RowTrie { let a: IndexBTree }",
        ]
        #expect(places(peers).count == 2)
    }

    @Test func `need a floor for every directory`() {
        #expect(places("Cellar/A.swift", "let a = 1") == ["Sources/Skyros/Cellar/A.swift:1"])
        #expect(places(["SkyrosLog/Cellar/A.swift": ""]) == ["Sources/SkyrosLog/Cellar/A.swift:1"])
        #expect(places(["SkyrosNew/A.swift": "", "SkyrosDisk/Posix/A.swift": ""]).isEmpty)
    }
}

@Suite struct `An edge` {
    private func lines(_ path: String, _ text: String) -> [Int] {
        SourceFile(path, text).lines(Access.findings)
    }

    @Test func `has nothing public`() {
        #expect(lines("Sources/SkyrosDisk/A.swift", "\npublic struct A {}") == [2])
        #expect(lines("Sources/SkyrosLog/A.swift", "public import SkyrosDisk") == [1])
        #expect(lines("Sources/SkyrosLog/A.swift", "open class A {}") == [1])
        #expect(lines("Sources/SkyrosLog/A.swift", "package func open() { disk.open() }").isEmpty)
        #expect(lines("Sources/SkyrosLog/A.swift", "// public struct").isEmpty)
        #expect(lines("Sources/Skyros/A.swift", "public struct A {}").isEmpty)
    }
}

@Suite struct `A test` {
    private func lines(_ text: String, at path: String = "Tests/A/B.swift") -> [Int] {
        SourceFile(path, text).lines(Sentences.findings)
    }

    @Test func `is a sentence`() {
        #expect(lines("@Suite struct Log {\n    @Test func opens() {}\n}") == [1, 2])
        #expect(lines("@Suite(.serialized)\nstruct Log {\n}") == [2])
        #expect(lines("@Test(arguments: [a(b)])\nfunc opens(c: D) {}") == [2])
        #expect(lines("@Suite struct `A log` {\n    @Test func `opens`() {}\n}").isEmpty)
        #expect(lines("struct Log {\n    @A func opens() {}\n}").isEmpty)
    }

    @Test func `is there for each failure, and a mutant`() {
        func findings(
            _ test: String, _ mutant: String, source: String = "let one = 1",
            of wanted: [String] = ["F1"]
        ) -> [String] {
            let page = "# Page\n\n| F1 | a kill | a loop | a sync is skipped |"
            let tree = SourceTree([
                SourceFile("docs/reliability.md", page),
                SourceFile("Tests/A/B.swift", "@Test func `\(test)`() {}"),
                SourceFile(
                    "Tests/Mutants/disk.txt", "== \(mutant)\nfile: A.swift\n--- one\n+++ two\n"),
                SourceFile("A.swift", source),
            ])
            return Failures.findings(in: tree, of: wanted).map { "\($0.path):\($0.line)" }.sorted()
        }
        #expect(findings("survives a kill (F1)", "a sync is skipped").isEmpty)
        #expect(findings("survives a kill", "a sync is skipped") == ["docs/reliability.md:3"])
        #expect(findings("survives (F1)", "another") == ["docs/reliability.md:3"])
        #expect(findings("survives (F1, F2)", "a sync is skipped") == ["Tests/A/B.swift:1"])
        #expect(findings("is form F2", "a sync is skipped") == ["docs/reliability.md:3"])
        let test = "survives a kill (F1)"
        #expect(findings(test, "a sync is skipped", of: ["F1", "F2"]) == ["docs/reliability.md:1"])
        for source in ["two", "one one"] {
            let found = findings(test, "a sync is skipped", source: source)
            #expect(found == ["Tests/Mutants/disk.txt:1"])
        }
    }
}

@Suite struct `The manifest` {
    private let loop = """
        .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility")
        """

    private func lines(_ text: String, at path: String = "Package.swift") -> [Int] {
        SourceFile(path, text).lines(Manifest.findings)
    }

    @Test func `is strict`() {
        #expect(lines(loop).isEmpty)
        #expect(lines(loop.replacing("ExistentialAny", with: "")) == [1])
        #expect(lines("let a = 1") == [1, 1, 1, 1])
        #expect(lines("let a = 1", at: "Sources/A/Package.swift").isEmpty)
    }

    @Test func `needs the code of nobody else`() {
        #expect(lines("\(loop)\n.package(url: a, from: b)") == [4])
        #expect(lines("\(loop)\n.unsafeFlags([a])") == [4])
        #expect(lines("\(loop)\n// .package(url: a)").isEmpty)
    }
}
