import Foundation
import Skyros
import SkyrosDisk

/// Gives events as lines of JSON to a command of the user, and notes how far it has handled them.
///
/// A line of the command's output that is the number of an event says that it has handled this one
/// and all before it; other lines go to the standard error. A command that exits with 0 has handled
/// all events, if it has left none unread.
struct EventFeed: Sendable {
    let archive: Archive
    let command: ShellCommand
    let store: URL
    let position: PositionFile?

    /// What became of the events.
    struct Outcome {
        /// How many events were given to the command.
        let count: Int
        /// The last event that it has handled.
        let handled: SequenceNumber
        let status: ShellCommand.Status
    }

    /// What the two threads tell each other.
    private struct Exchange {
        /// The last event that was given to the command.
        var given: SequenceNumber
        /// What became of the command's output; nil until it has closed it.
        var answer: Result<SequenceNumber, any Error>?
    }

    /// Returns when the command has ended, and what it has started has closed its output.
    ///
    /// - Parameters:
    ///   - first: the event after which to begin.
    ///   - progress: called after each event.
    func run(
        after first: SequenceNumber, through last: SequenceNumber,
        progress: (SequenceNumber) -> Void
    ) throws -> Outcome {
        let (child, input, commandOutput) = try command.start(
            adding: ["SKYROS_STORE": store.path(percentEncoded: false)])
        let exchange = Monitor(Exchange(given: first))
        let thread = SerialQueue()
        do throws(ThreadShortage) {
            try thread.enqueue {
                let answer = Result { try read(commandOutput, after: first, exchange) }
                close(commandOutput)
                exchange.change { $0.answer = answer }
            }
        } catch {
            close(input)
            close(commandOutput)
            _ = try child.wait()
            throw error
        }
        let fed = Result { try feed(input, after: first, through: last, exchange, progress) }
        close(input)
        let answer = exchange.wait { $0.answer }
        let status = try child.wait()
        thread.stop()
        let isComplete = try fed.get()
        var handled = try answer.get()
        if status == .exited(0), isComplete, handled < last {
            try position?.write(last, of: archive)
            handled = last
        }
        let given = exchange.withLock { $0.given }
        return Outcome(count: first.distance(to: given), handled: handled, status: status)
    }

    /// Writes the events, until the command reads no more or its output is of no use.
    ///
    /// - Returns: whether all were written.
    private func feed(
        _ descriptor: Int32, after first: SequenceNumber, through last: SequenceNumber,
        _ exchange: Monitor<Exchange>, _ progress: (SequenceNumber) -> Void
    ) throws -> Bool {
        guard first < last else { return true }
        let sink = TextSink(descriptor, "the command's input")
        var events = archive.events(first.next...last).makeIterator()
        do {
            while let event = try events.next() {
                let object = try EventText.json(event).compactMapValues { $0 }
                let line = FieldValue.map(object).jsonText()
                let isWanted = exchange.withLock { exchange in
                    if case .failure? = exchange.answer { return false }
                    exchange.given = event.sequence
                    return true
                }
                guard isWanted else { return false }
                try sink.line(line)
                progress(event.sequence)
            }
            try sink.flush()
        } catch let error as StoreError where error.code == .io && sink.isClosed {
            return false
        }
        return true
    }

    /// Reads what the command writes until it closes its output; returns the last event that it has
    /// handled.
    private func read(
        _ descriptor: Int32, after first: SequenceNumber, _ exchange: Monitor<Exchange>
    ) throws -> SequenceNumber {
        var handled = first
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let newline = UInt8(ascii: "\n")
        while true {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw StoreError(errno: errno, "the command cannot be read") }
            guard count > 0 else { break }
            guard let end = buffer[..<count].lastIndex(of: newline) else {
                pending += buffer[..<count]
                continue
            }
            let before = handled
            pending += buffer[..<end]
            try note(pending, &handled, exchange)
            pending = Array(buffer[(end + 1)..<count])
            // One write for all that were read together.
            if handled > before { try position?.write(handled, of: archive) }
        }
        guard !pending.isEmpty else { return handled }
        let before = handled
        try note(pending, &handled, exchange)
        if handled > before { try position?.write(handled, of: archive) }
        return handled
    }

    /// Takes note of lines of the command.
    private func note(
        _ lines: [UInt8], _ handled: inout SequenceNumber, _ exchange: Monitor<Exchange>
    ) throws {
        let newline = UInt8(ascii: "\n")
        for line in lines.split(separator: newline, omittingEmptySubsequences: false) {
            let text = String(decoding: line, as: UTF8.self)
            guard let number = UInt64(digits: text) else {
                ErrorOutput.write(text.showingControls + "\n")
                continue
            }
            let sequence = SequenceNumber(rawValue: number)
            let given = exchange.withLock { $0.given }
            guard handled <= sequence, sequence <= given else {
                throw StoreError(
                    .invalidInput,
                    "the command says that it has handled event \(sequence), after \(handled); it "
                        + "was given the events through \(given), and must name them in order")
            }
            handled = sequence
        }
    }
}
