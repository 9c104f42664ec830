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
        #expect(lines("Examples/A/B.swift", "import SkyrosTesting").isEmpty)
        #expect(lines("Benchmarks/SkyrosBenchmark/A.swift", "import BenchmarkModel").isEmpty)
        #expect(lines("Tests/A/B.swift", "@testable import Skyros").isEmpty)
        #expect(lines("Sources/SkyrosLog/A.swift", "// import Skyros").isEmpty)
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

@Suite struct `Borders between folders` {
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

    @Test func `need a floor for every folder`() {
        #expect(places("Cellar/A.swift", "let a = 1") == ["Sources/Skyros/Cellar/A.swift:1"])
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
