import Foundation

/// What the program was asked to do.
struct Arguments {
    /// The parts of the program that only the program calls.
    enum Role {
        case conduct
        /// Stores on servers.
        case cluster
        case prepare(Fixture, Side)
        case measure(Workload, Side)
        /// One step of a workload that needs its own process.
        case probe(Probe, launch: UInt64, arguments: [String])
    }

    /// Which workloads run on how many rows.
    enum Profile: String {
        case standard
        /// Some workloads on ever more rows.
        case growth
        /// A store of the size that an app on a phone has.
        case phone
    }

    private(set) var role = Role.conduct
    private(set) var settings: Settings
    private(set) var only: Set<String> = []
    private(set) var json: URL?
    private(set) var markdown: URL?
    private(set) var directory = URL(filePath: ".build/benchmark")
    private(set) var profile = Profile.standard
    /// The URL of a PostgreSQL server, and that of three.
    private(set) var one: String?
    private(set) var three: String?

    static let usage = """
        usage: skyros-benchmark [--growth | --phone] [--quick] [--only W1,W4] [--rounds N]
                                [--rows N] [--work N] [--json FILE] [--markdown FILE]
                                [--directory FOLDER]
               skyros-benchmark --cluster [--one URL] [--three URL] [--quick] [--markdown FILE]
        """

    init(_ words: [String]) throws {
        settings = Settings(isQuick: words.contains("--quick"))
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--quick": break
            case "--grown": settings.isGrown = true
            case "--cluster": role = .cluster
            case "--one": one = try Self.value(&words)
            case "--three": three = try Self.value(&words)
            case "--growth": profile = .growth
            case "--phone": profile = .phone
            case "--only": only = Set(try Self.value(&words).split(separator: ",").map(String.init))
            case "--rounds": settings.rounds = try Self.number(&words)
            case "--rows": settings.rows = try Self.number(&words)
            case "--work": settings.work = try Self.number(&words)
            case "--json": json = URL(filePath: try Self.value(&words))
            case "--markdown": markdown = URL(filePath: try Self.value(&words))
            case "--directory": directory = URL(filePath: try Self.value(&words))
            case "--prepare":
                let name = try Self.value(&words)
                guard let fixture = Fixture(rawValue: name) else { throw Self.unknown(name) }
                role = .prepare(fixture, try Self.side(&words))
            case "--measure":
                let name = try Self.value(&words)
                guard let workload = Workload.named(name) else { throw Self.unknown(name) }
                role = .measure(workload, try Self.side(&words))
            case "--probe":
                let name = try Self.value(&words)
                guard let probe = Probe(rawValue: name) else { throw Self.unknown(name) }
                let launch = UInt64(try Self.number(&words))
                role = .probe(probe, launch: launch, arguments: Array(words))
                words = []
            default: throw Self.unknown(word)
            }
        }
        if let name = only.first(where: { Workload.named($0) == nil }) { throw Self.unknown(name) }
    }

    func wants(_ workload: Workload) -> Bool {
        only.isEmpty || only.contains(workload.name)
    }

    private static func value(_ words: inout ArraySlice<String>) throws -> String {
        guard let value = words.popFirst() else { throw BenchmarkError(usage) }
        return value
    }

    private static func number(_ words: inout ArraySlice<String>) throws -> Int {
        let text = try value(&words)
        guard let number = Int(text), number > 0 else { throw unknown(text) }
        return number
    }

    private static func side(_ words: inout ArraySlice<String>) throws -> Side {
        let text = try value(&words)
        guard let side = Side(rawValue: text) else { throw unknown(text) }
        return side
    }

    private static func unknown(_ word: String) -> BenchmarkError {
        BenchmarkError("\(word)?\n\(usage)")
    }
}
