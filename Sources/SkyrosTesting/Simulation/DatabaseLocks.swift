/// The locks that SQLite's connections have on the files of one disk.
///
/// Source: https://www.sqlite.org/lockingv3.html, section 3.
struct DatabaseLocks {
    /// With the numbers that SQLite gives them.
    enum Level: Int32, Comparable {
        case none, shared, reserved, pending, exclusive

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    private var lastHolder = 0
    /// By the file's name, and by the holder.
    private var levels: [String: [Int: Level]] = [:]

    /// The number of one more connection.
    mutating func nextHolder() -> Int {
        lastHolder += 1
        return lastHolder
    }

    func level(of holder: Int, on name: String) -> Level {
        levels[name]?[holder] ?? .none
    }

    /// Returns whether the holder has this level now; if not, others are in its way.
    mutating func raise(_ holder: Int, on name: String, to level: Level) -> Bool {
        if self.level(of: holder, on: name) >= level { return true }
        let highest = highestLevel(on: name, butOf: holder)
        switch level {
        case .none: return true
        case .shared where highest >= .pending: return false
        case .reserved where highest >= .reserved: return false
        case .pending where highest >= .reserved, .exclusive where highest >= .reserved:
            return false
        case .exclusive where highest == .shared:
            // Nobody new may begin to read, so that those who do are gone sometime.
            levels[name, default: [:]][holder] = .pending
            return false
        case .shared, .reserved, .pending, .exclusive:
            levels[name, default: [:]][holder] = level
            return true
        }
    }

    mutating func lower(_ holder: Int, on name: String, to level: Level) {
        guard self.level(of: holder, on: name) > level else { return }
        levels[name]?[holder] = level == .none ? nil : level
    }

    /// Whether anybody is about to write.
    func isReserved(_ name: String) -> Bool {
        levels[name]?.values.contains { $0 >= .reserved } ?? false
    }

    private func highestLevel(on name: String, butOf holder: Int) -> Level {
        levels[name]?.filter { $0.key != holder }.values.max() ?? .none
    }
}
