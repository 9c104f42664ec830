import TestSupport

/// Counts what a sweep has tried.
struct SweepTally {
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
        reportSweep(name, figures.map { "\($0.count) \($0.what)" }.joined(separator: ", "))
    }
}
