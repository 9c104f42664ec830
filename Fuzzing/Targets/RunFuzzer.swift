import SkyrosDisk
import SkyrosLog
import SkyrosTesting

@testable import Skyros

/// Damages a run of the history as the input describes, and asks about the past: no answer may be
/// wrong. Or edits its parts and updates the checksums: then any answer or error is right.
enum RunFuzzer: Fuzzer {
    static let name = "run"
    static let inputBytesMax = 512
    /// Fewer than the checksum of a zstd frame has.
    private static let setBytesMax = 3

    static func seeds() throws -> [[UInt8]] {
        let edits = (0..<8).map { kind -> [UInt8] in [1, 0, kind, 0, 9, 0, 3, 0, 1, 2, 3] }
        return edits + [[0, 0], [0, 1, 0, 100, 0, 7], [0, 0, 2, 200, 1], [1, 1], [2, 5, 1, 2]]
    }

    static func run(_ bytes: UnsafeRawBufferPointer) throws {
        var input = FuzzInput(bytes)
        let image = try HistoryImage.shared.get()
        let isForged = input.flag()
        let name = image.names[input.below(image.names.count)]
        let run =
            isForged
            ? try forged(image.bytes(of: name), &input) : damaged(image.bytes(of: name), &input)
        func disk() -> SimulatedDisk { image.disk(with: run, of: name) }
        let answers = try allowingFailure { try image.answers(on: disk()) }
        if !isForged {
            try require(
                try answers == expectedAnswers.get(), "a damaged run leads to a wrong answer")
        }
        let merged = disk()
        let isMerged: Void? = try allowingFailure { try image.merge(on: merged) }
        if isMerged != nil {
            let answers = try allowingFailure { try image.answers(on: merged) }
            if !isForged {
                try require(
                    try answers == expectedAnswers.get(), "a merged run leads to a wrong answer")
            }
        }
        try image.verify(on: disk())
    }

    private static let expectedAnswers = Result {
        let (image, name) = (try HistoryImage.shared.get(), try HistoryImage.shared.get().names[0])
        return try image.answers(on: image.disk(with: image.bytes(of: name), of: name))
    }

    /// Runs `body`; nil if it throws an error that says what is damaged.
    private static func allowingFailure<R>(_ body: () throws -> R) throws -> R? {
        do {
            return try body()
        } catch is LogError {
            return nil
        } catch is StoreError {
            return nil
        } catch {
            throw FuzzFinding("expected an error of the library, not \(error)")
        }
    }

    // MARK: Damage

    private static func damaged(_ run: [UInt8], _ input: inout FuzzInput) -> [UInt8] {
        var (run, left) = (run, setBytesMax)
        while !input.isAtEnd, !run.isEmpty {
            let kind = input.below(4)
            let offset = input.below(run.count)
            switch kind {
            case 2: run.removeLast(run.count - offset)
            case 3: run += [UInt8](repeating: input.byte(), count: offset)
            default:
                guard left > 0 else { return run }
                left -= 1
                run[offset] = kind == 0 ? input.byte() : run[offset] ^ 1 << UInt8(input.below(8))
            }
        }
        return run
    }

    // MARK: Forgery

    /// The parts of a file, without their checksums.
    private struct Parts {
        var header: [UInt8]
        var frames: [[UInt8]]
        var index: [UInt8]
    }

    private static func forged(_ run: [UInt8], _ input: inout FuzzInput) throws -> [UInt8] {
        var parts = try parts(of: run)
        while !input.isAtEnd { edit(&parts, &input) }
        let path = DiskPath(.history, "run")
        var writer = try FrameFileWriter(
            header: HashedBytes.appendingHash(to: parts.header), path: path)
        for frame in parts.frames where !frame.isEmpty { try writer.append(frame) }
        writer.finish(index: HashedBytes.appendingHash(to: parts.index))
        return writer.take()
    }

    private static func parts(of run: [UInt8]) throws -> Parts {
        let (disk, path) = (MemoryDisk(), DiskPath(.history, "run"))
        disk.makeDirectory(.history)
        let file = try disk.open(path, .create)
        try run.withUnsafeBytes { try file.write($0, at: 0) }
        let frames = try FrameFile(file, byteCount: run.count, path: path, as: "run")
        return Parts(
            header: [UInt8](HashedBytes.content(of: try frames.header(in: file)) ?? []),
            frames: try frames.frames.indices.map {
                try frames.content(
                    ofFrame: $0, in: file, contentBytesMax: HistoryRun.frameBytesMax)
            },
            index: [UInt8](HashedBytes.content(of: try frames.index(in: file)) ?? []))
    }

    private static func edit(_ parts: inout Parts, _ input: inout FuzzInput) {
        let kind = input.below(8)
        let number = input.below(parts.frames.count)
        switch kind {
        case 0...3 where !parts.frames.isEmpty: edit(kind, &parts.frames[number], &input)
        case 4 where !parts.frames.isEmpty: parts.frames.remove(at: number)
        case 5 where !parts.frames.isEmpty:
            parts.frames.insert(parts.frames[number], at: input.below(parts.frames.count))
        case 6: edit(input.below(4), &parts.header, &input)
        default: edit(input.below(4), &parts.index, &input)
        }
    }

    private static func edit(_ kind: Int, _ bytes: inout [UInt8], _ input: inout FuzzInput) {
        let start = input.below(bytes.count)
        switch kind {
        case 0 where !bytes.isEmpty: bytes[start] = input.byte()
        case 1 where !bytes.isEmpty: bytes[start] ^= 1 << UInt8(input.below(8))
        case 2:
            let end = min(bytes.count, start + Int(input.byte()))
            bytes.replaceSubrange(start..<end, with: input.string())
        default: bytes = input.string()
        }
    }
}
