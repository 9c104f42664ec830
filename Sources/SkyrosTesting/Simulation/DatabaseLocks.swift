/// The locks of SQLite's connections on the files of one disk.
///
/// Source: https://www.sqlite.org/lockingv3.html, section 3.
struct DatabaseLocks {
    /// SQLite's lock levels; raw values are SQLite's numbers.
    enum Level: Int32, Comparable {
        case none, shared, reserved, pending, exclusive

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    private var lastHolder = 0
    /// The level by file name and holder.
    private var levels: [String: [Int: Level]] = [:]

    /// A number for a new connection.
    mutating func nextHolder() -> Int {
        lastHolder += 1
        return lastHolder
    }

    func level(of holder: Int, on name: String) -> Level {
        levels[name]?[holder] ?? .none
    }

    /// Tries to raise the lock of a holder; returns false if locks of others conflict with that.
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
            // A pending lock admits no new readers, so that the present ones drain.
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

    mutating func releaseAll() { levels = [:] }

    /// Whether any connection holds a reserved lock or a higher one.
    func isReserved(_ name: String) -> Bool {
        levels[name]?.values.contains { $0 >= .reserved } ?? false
    }

    private func highestLevel(on name: String, butOf holder: Int) -> Level {
        levels[name]?.filter { $0.key != holder }.values.max() ?? .none
    }
}
