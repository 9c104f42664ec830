import Foundation

/// Where one measurement takes place: its sizes, an empty directory, and what was prepared.
struct Bench: Sendable {
    let settings: Settings
    /// The directory of all measurements.
    let root: URL

    /// A directory that is empty when a measurement begins and is removed when it has ended.
    var scratch: URL { root.appending(path: "scratch") }

    /// Where a fixture is, or will be.
    func place(of fixture: Fixture, _ side: Side) -> URL {
        root.appending(
            path: "\(fixture.rawValue)-\(settings.rows)-\(side.preparer.rawValue)")
    }

    /// The same settings and directory as arguments for a process of this program.
    var arguments: [String] {
        settings.arguments + ["--directory", root.path(percentEncoded: false)]
    }

    /// Runs a workload on one side in this process.
    func measure(_ workload: Workload, _ side: Side) throws -> [Figure] {
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        warm()
        return try workload.measure(side, self)
    }

    /// A copy of a fixture that may be changed, on the disk before anything is measured.
    func copy(of fixture: Fixture, _ side: Side) throws -> URL {
        let names = try FileManager.default
            .contentsOfDirectory(atPath: scratch.path(percentEncoded: false))
        let copy = scratch.appending(path: "copy-\(names.count)")
        try FileManager.default.copyItem(at: place(of: fixture, side), to: copy)
        sync()
        warm()
        return copy
    }

    /// Touches memory and gives it back; see `Memory.warm`.
    func warm() {
        Memory.warm(bytes: settings.isQuick ? 64 << 20 : 2 << 30)
    }
}
