import Foundation
import SkyrosSQLite

@testable import Skyros

/// Loads a checkpoint whose file is the input, or an intact one with edits from the input. If it
/// loads, it must be the state that was written.
enum CheckpointFuzzer: Fuzzer {
    static let name = "checkpoint"
    static let inputBytesMax = 2_048

    static func seeds() throws -> [[UInt8]] {
        let header = try [UInt8](CheckpointImage.file.get().prefix(100))
        return [[0], [0, 100, 0, 2, 0, 5, 6], [0, 24, 0, 0, 0], [1] + header, [1], [2, 0, 16]]
    }

    static func run(_ bytes: UnsafeRawBufferPointer) throws {
        var input = FuzzInput(bytes)
        let file = try file(&input)
        try CheckpointImage.withPath { try load(file, at: $0) }
    }

    private static func load(_ file: [UInt8], at path: String) throws {
        try Data(file).write(to: URL(filePath: path))
        for isReadOnly in [true, false] {
            let database = try allowing(CheckpointError.self) {
                try CheckpointDatabase(path: path, readOnly: isReadOnly)
            }
            guard let database else { continue }
            var keys: [KeyedEvent] = []
            let snapshot = try CheckpointImage.load(database) { keys.append($0) }
            try compare(snapshot, keys)
            try database.close()
        }
        // Reading or refusing the file must not change it.
        try require(
            try [UInt8](Data(contentsOf: URL(filePath: path))) == file, "the file was changed")
    }

    private static func file(_ input: inout FuzzInput) throws -> [UInt8] {
        switch input.byte() % 3 {
        case 0:
            var file = try CheckpointImage.file.get()
            while !input.isAtEnd {
                let offset = input.word()
                let bytes = input.string()
                let range = min(offset, file.count)..<min(offset + bytes.count, file.count)
                file.replaceSubrange(range, with: bytes.prefix(range.count))
            }
            return file
        case 1: return input.remainder()
        default: return try [UInt8](CheckpointImage.file.get().prefix(input.word()))
        }
    }

    private static func compare(_ snapshot: Snapshot?, _ keys: [KeyedEvent]) throws {
        guard let snapshot else { return }
        let original = try CheckpointImage.snapshot.get()
        try require(
            try snapshot.digest() == original.digest() && snapshot.sequence == original.sequence
                && snapshot.chainHash == original.chainHash && keys == CheckpointImage.keys,
            "a checkpoint was loaded whose state was never written")
    }
}
