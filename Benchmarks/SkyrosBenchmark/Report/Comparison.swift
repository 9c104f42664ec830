/// Skyros beside one peer.
struct Comparison: Codable, Sendable {
    let workload: String
    let variant: String
    let unit: String
    let skyros: Double
    let peer: String
    let value: Double
    /// Above 1, Skyros is better.
    let ratio: Double

    /// Skyros beside each peer that has done the same.
    static func all(of series: Series) -> [Comparison] {
        guard let skyros = series.median(of: .skyros) else { return [] }
        return Side.allCases.compactMap { side in
            guard side != .skyros, let value = series.median(of: side), value > 0, skyros > 0
            else { return nil }
            return Comparison(
                workload: series.workload, variant: series.variant, unit: series.unit.rawValue,
                skyros: skyros, peer: side.rawValue, value: value,
                ratio: series.unit.isBetterWhenGreater ? skyros / value : value / skyros)
        }
    }
}
