import Foundation

/// What a sweep tried. Each prints one line, `sweep | …`, from which a table can be made:
/// `scripts/test --deep | grep '^sweep'`.
struct SweepTally {
    /// Whether the whole sweep is asked for, or what fits into every test run.
    static let isDeep = ProcessInfo.processInfo.environment["SKYROS_DEEP"] != nil

    private let name: String
    private var figures: [(what: String, count: Int)] = []

    init(_ name: String) {
        self.name = name
    }

    mutating func count(_ what: String, _ number: Int = 1) {
        if let index = figures.firstIndex(where: { $0.what == what }) {
            figures[index].count += number
        } else {
            figures.append((what, number))
        }
    }

    func report() {
        let extent = Self.isDeep ? "deep" : "quick"
        let text = figures.map { "\($0.count) \($0.what)" }.joined(separator: ", ")
        print("sweep | \(name) | \(extent) | \(text)")
    }
}
