import Foundation

/// Where one measurement takes place: its sizes, its own empty directory, and what was prepared.
struct Bench: Sendable {
    let settings: Settings
    /// The directory of all measurements.
    let root: URL

    /// An empty directory of this measurement's own; the runner removes it afterwards.
    var scratch: URL { root.appending(path: "scratch") }

    /// Where a fixture is, or will be.
    func place(of fixture: Fixture, _ side: Side) -> URL {
        root.appending(path: "\(fixture.rawValue)-\(settings.rows)-\(side.rawValue)")
    }

    /// A copy of a fixture that may be changed.
    func copy(of fixture: Fixture, _ side: Side) throws -> URL {
        let names = try FileManager.default
            .contentsOfDirectory(atPath: scratch.path(percentEncoded: false))
        let copy = scratch.appending(path: "copy-\(names.count)")
        try FileManager.default.copyItem(at: place(of: fixture, side), to: copy)
        return copy
    }
}
