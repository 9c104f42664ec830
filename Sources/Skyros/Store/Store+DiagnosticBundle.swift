public import Foundation
import SkyrosDisk

/// What `Store.diagnosticBundle` has written.
public struct DiagnosticBundle: Hashable, Sendable {
    /// The directory.
    public let url: URL
    /// The store in it, with the last events.
    public let fixture: FixtureReport
}

extension Store {
    /// Writes what a developer needs who looks for a fault: the last events as another store,
    /// without the values of scrubbed fields, and what the store says of itself.
    ///
    ///     let bundle = try store.diagnosticBundle(
    ///         into: FileManager.default.temporaryDirectory.appending(path: "Diagnostics"),
    ///         last: 500, scrubbing: Scrubbing("Customer.name", "Customer.phone"),
    ///         notes: ["app": version])
    ///
    /// The directory gets `history.skyros`, see `Archive.writeFixture`, which every command of the
    /// tool reads, `skyros distill` too, and `diagnostics.json`: sizes, checkpoint, projections,
    /// subscriptions, the system, the formats, and the notes. On Apple systems, `NSFileCoordinator`
    /// with `.forUploading` makes an archive of it that can be sent.
    ///
    /// - Parameters:
    ///   - directory: nothing, or an empty directory, and not in this store.
    ///   - count: the number of events; the records before them are included.
    ///   - scrubbing: the fields whose values get pseudonyms. None of their values may be in the
    ///     notes.
    ///   - notes: what the app adds.
    ///   - progress: called after each event that is read or written.
    /// - Complexity: as `Archive.writeFixture` and `Archive.info`. The store is in use meanwhile.
    /// - Throws: as `Archive.writeFixture`, `Archive.info` and ``archive()``; nothing is left then.
    public func diagnosticBundle(
        into directory: URL, last count: Int = 1_000, scrubbing: Scrubbing,
        notes: [String: String] = [:], progress: (StoreProgress) -> Void = { _ in }
    ) throws -> DiagnosticBundle {
        let archive = try archive()
        let diagnostics = try Self.diagnostics(of: archive, notes)
        let history = directory.appending(path: "history.skyros")
        let files = FileManager.default
        let path = directory.path(percentEncoded: false)
        guard (try? files.contentsOfDirectory(atPath: path))?.isEmpty ?? true else {
            throw StoreError(.invalidInput, "\(path) is not empty; name another directory")
        }
        let wasThere = files.fileExists(atPath: path)
        do {
            let fixture = try archive.writeFixture(
                into: history, keeping: count, scrubbing: scrubbing,
                mentioning: diagnostics.texts + names(in: diagnostics), progress: progress)
            let text = diagnostics.jsonText(pretty: true) + "\n"
            try Data(text.utf8).write(to: directory.appending(path: "diagnostics.json"))
            return DiagnosticBundle(url: directory, fixture: fixture)
        } catch {
            // The first error counts.
            try? files.removeItem(at: wasThere ? history : directory)
            throw StoreError.wrapping(error)
        }
    }

    /// The same, on a thread beside those of the caller.
    public func diagnosticBundle(
        into directory: URL, last count: Int = 1_000, scrubbing: Scrubbing,
        notes: [String: String] = [:],
        progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
    ) async throws -> DiagnosticBundle {
        try await withCheckedThrowingContinuation { continuation in
            let code = SerialQueue.startThread {
                continuation.resume(
                    with: Result {
                        try self.diagnosticBundle(
                            into: directory, last: count, scrubbing: scrubbing, notes: notes,
                            progress: progress)
                    })
            }
            if code != 0 {
                continuation.resume(throwing: StoreError(ThreadShortage(code: code)))
            }
        }
    }

    /// The names in the file that are not from this library.
    private func names(in diagnostics: FieldValue) -> [String] {
        [diagnostics["notes"], diagnostics["store"]?["subscriptions"]].flatMap { value in
            (value?.map ?? NamedValues()).map(\.key)
        }
    }

    private static func diagnostics(
        of archive: Archive, _ notes: [String: String]
    ) throws -> FieldValue {
        let object: NamedValues<FieldValue> = [
            "store": .map(try archive.info().json),
            "system": .text(ProcessInfo.processInfo.operatingSystemVersionString),
            "formats": .map([
                "log": .integer(Int128(StoreFormats.log)),
                "checkpoint": .integer(Int128(StoreFormats.checkpoint)),
            ]),
            "notes": .map(NamedValues(notes.mapValues { .text($0) })),
        ]
        return .map(object)
    }
}

extension FieldValue {
    /// All texts in the value, but for the names of members.
    fileprivate var texts: [String] {
        switch self {
        case .text(let text): [text]
        case .array(let values): values.flatMap(\.texts)
        case .map(let members): members.flatMap { $0.value.texts }
        case .tagged(_, let inner): inner.texts
        default: []
        }
    }
}
