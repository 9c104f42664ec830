/// A place that breaks a rule, and what to do about it.
struct Finding: Equatable, CustomStringConvertible {
    let path: String
    let line: Int
    let advice: String

    var description: String { "\(path):\(line): \(advice)" }
}
