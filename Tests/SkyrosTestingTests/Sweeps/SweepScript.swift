import Skyros

/// A small fixed workload. Sweeps crash it or make it fail at each of its disk operations.
struct SweepScript: Sendable {
    enum Step {
        case write(Durability, [Edit])
        /// Writes with an idempotency key.
        case writeOnce(Durability, [Edit])
        /// Seals the oldest finished segment.
        case seal
        /// Ends the active segment, as after a pause.
        case endSegment
        /// Merges the segments that are due first.
        case merge
        case markIdle
        case checkpoint
        /// Reads the sealed segments again.
        case scrub
        /// Makes a run of the history, and merges those that are due.
        case indexHistory
        /// Prunes the history before the newest event, as far as segments end there.
        case prune
        /// Closes the store and opens it again.
        case reopen
        /// Kills the process; another one opens the store.
        case restart
        /// As `restart`, with a torn write at the end of the log.
        case tearTail
        /// As `reopen`, with a damaged checkpoint.
        case damageCheckpoint
    }

    enum Edit {
        /// Upserts a record with a text of this length.
        case put(Int, _ characterCount: Int)
        case delete(Int)
        case clear
    }

    let name: String
    let segmentBytesMax: Int
    /// By default no segment of a script holds that much.
    var sealThresholdBytes = 64 << 10
    var hasCheckpoint = false
    let steps: [Step]

    var sizes: SegmentSizes { SegmentSizes(full: segmentBytesMax, least: sealThresholdBytes) }
}

extension SweepScript: CustomStringConvertible {
    var description: String { name }
}

extension SweepScript {
    /// All durability levels, full segments, and sealing.
    static let rolling = SweepScript(
        name: "rolling", segmentBytesMax: 700,
        steps: [
            .write(.buffered, [.put(1, 10)]), .write(.durable, [.put(2, 20)]),
            .write(.buffered, [.put(1, 30), .put(3, 5)]), .write(.deferred, [.put(4, 40)]),
            .write(.buffered, [.delete(2)]), .markIdle, .write(.durable, [.put(5, 200)]),
            .write(.buffered, [.put(6, 100)]), .write(.buffered, [.put(1, 600)]), .seal,
            .write(.deferred, [.put(2, 1)]), .write(.durable, [.put(3, 300)]), .markIdle,
            .write(.buffered, [.put(7, 700)]), .seal, .write(.buffered, [.put(8, 50)]), .seal,
            .scrub, .write(.durable, [.delete(7)]), .write(.buffered, [.put(9, 9)]),
        ])

    /// Deletions, clearing, and sessions that end cleanly.
    static let clearing = SweepScript(
        name: "clearing", segmentBytesMax: 900,
        steps: [
            .write(.buffered, [.put(1, 10), .put(2, 10), .put(3, 10)]), .reopen,
            .write(.durable, [.clear]), .write(.buffered, [.put(1, 20)]), .reopen,
            .write(.buffered, [.delete(1)]), .write(.deferred, [.put(2, 400)]), .reopen,
            .write(.buffered, [.put(4, 300)]), .write(.buffered, [.clear, .put(5, 100)]), .seal,
            .reopen, .write(.deferred, [.put(6, 60)]), .write(.durable, [.delete(5)]),
        ])

    /// The first opening, an immediate close, kills, and torn tails.
    static let beginning = SweepScript(
        name: "beginning", segmentBytesMax: 600,
        steps: [
            .reopen, .restart, .write(.buffered, [.put(1, 10)]), .restart,
            .write(.durable, [.put(2, 300)]), .tearTail, .write(.buffered, [.put(3, 400)]),
            .tearTail, .write(.deferred, [.put(4, 10)]), .restart, .seal,
            .write(.buffered, [.put(5, 500)]), .tearTail, .reopen,
        ])

    /// Segments that are sealed after a pause and on closing, and merged: in several steps, by two
    /// processes, and on closing. Two segments of 800 bytes together are merged, and more below
    /// 2,000 bytes.
    static let merging = SweepScript(
        name: "merging", segmentBytesMax: 4_000, sealThresholdBytes: 100,
        steps: [
            .write(.durable, [.put(1, 60)]), .endSegment, .seal, .write(.buffered, [.put(2, 150)]),
            .reopen, .write(.durable, [.put(3, 200)]), .endSegment, .seal, .merge,
            .write(.buffered, [.put(1, 80)]), .reopen, .write(.deferred, [.delete(2)]),
            .write(.durable, [.put(4, 250)]), .endSegment, .seal, .restart, .merge,
            .write(.buffered, [.put(5, 300)]), .reopen, .merge, .write(.buffered, [.put(6, 400)]),
            .markIdle, .endSegment, .tearTail, .write(.durable, [.put(7, 100)]), .reopen,
            .write(.buffered, [.put(8, 1_500)]), .reopen,
        ])

    /// Checkpoints, one of them damaged. The keys of the first writes expire before its end.
    static let checkpointing = SweepScript(
        name: "checkpointing", segmentBytesMax: 800, hasCheckpoint: true,
        steps: [
            .writeOnce(.buffered, [.put(1, 10), .put(2, 20)]), .checkpoint,
            .writeOnce(.durable, [.delete(1), .put(3, 300)]), .write(.buffered, [.put(2, 30)]),
            .checkpoint, .write(.buffered, [.clear]), .writeOnce(.deferred, [.put(4, 400)]),
            .reopen, .write(.buffered, [.put(5, 50)]), .restart,
            .writeOnce(.durable, [.put(1, 1)]), .damageCheckpoint,
            .writeOnce(.buffered, [.put(6, 60)]), .checkpoint, .write(.buffered, [.delete(5)]),
        ])

    /// Runs of the history, of which eight are merged, by two processes.
    static let indexing = SweepScript(
        name: "indexing", segmentBytesMax: 4_000,
        steps: [
            .write(.buffered, [.put(1, 10), .put(2, 600)]), .indexHistory,
            .write(.durable, [.put(1, 20)]), .indexHistory, .write(.buffered, [.delete(1)]),
            .indexHistory, .write(.deferred, [.clear]), .indexHistory,
            .write(.buffered, [.put(2, 30)]), .indexHistory, .restart,
            .write(.buffered, [.put(1, 40)]), .indexHistory, .write(.buffered, [.put(2, 50)]),
            .indexHistory, .write(.buffered, [.put(3, 5)]), .indexHistory,
            .write(.buffered, [.put(1, 70)]), .reopen, .write(.durable, [.delete(2)]),
            .indexHistory,
        ])

    /// Floors, one after the other, with runs and keys that cross them, by several processes.
    static let pruning = SweepScript(
        name: "pruning", segmentBytesMax: 700,
        steps: [
            .writeOnce(.buffered, [.put(1, 10), .put(2, 400)]), .write(.durable, [.put(1, 300)]),
            .indexHistory, .writeOnce(.buffered, [.delete(1)]), .seal, .prune,
            .write(.durable, [.put(3, 300), .put(2, 500)]), .indexHistory, .prune, .restart,
            .writeOnce(.buffered, [.put(4, 300)]), .write(.deferred, [.put(1, 400)]), .prune,
            .write(.buffered, [.clear]), .write(.durable, [.put(5, 300), .put(6, 400)]), .reopen,
            .prune, .write(.buffered, [.put(5, 10)]), .indexHistory,
        ])
}
