import Foundation

/// The figures as JSON, for `scripts/charts` and other programs.
enum FigureFile {
    private struct Entry: Encodable {
        let workload: String
        let variant: String
        let unit: String
        let sides: [String: Reached]
    }

    /// What one side has reached.
    private struct Reached: Encodable {
        let median: Double
        let rounds: [Double]
        /// Medians of seconds; nil where they were not measured.
        let cost: Cost?
        /// Skyros beside this side: above 1, Skyros is better.
        let ratio: Double?
    }

    static func write(_ series: [Series], to file: URL) throws {
        let entries = series.map { series in
            let reached = Side.allCases.compactMap { side in
                series.median(of: side).map { median in
                    let rounds = (series.figures[side] ?? []).map(\.value)
                    return (
                        side.rawValue,
                        Reached(
                            median: median, rounds: rounds, cost: series.cost(of: side),
                            ratio: series.ratio(to: side))
                    )
                }
            }
            return Entry(
                workload: series.workload, variant: series.variant, unit: series.unit.rawValue,
                sides: Dictionary(uniqueKeysWithValues: reached))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(entries).write(to: file)
    }
}
