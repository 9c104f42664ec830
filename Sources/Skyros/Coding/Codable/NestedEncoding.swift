/// An explicitly requested container, and the place of its bytes.
///
/// Its owner may fill it at any time until the value around it is complete: before, between and
/// after other fields. So it grows in a separate context.
struct NestedEncoding {
    let context: EncodingContext
    /// The frame that it is part of.
    let frame: Int
    /// The key's index in the parent's entries, or the element's index in its array.
    let entry: Int
    /// The offset in the parent's buffer at which its bytes are inserted.
    let offset: Int
}

/// The reference from a child to its parent, for coding paths.
struct ParentEncoding {
    let context: EncodingContext
    let frame: Int
    /// The key's index in the parent's entries, or the element's index in its array.
    let entry: Int
}

extension EncodingContext {
    /// A cursor for a nested container at the end of the buffer; this one has begun a field or
    /// an element for it.
    func makeChild(in frame: Int, _ kind: EncodingFrame.Kind) -> EncodingCursor {
        let child = state.pointee.spares.popLast() ?? EncodingContext.begin()
        let owner = state.pointee.top
        let entry = owner.kind == .map ? state.pointee.entries.count - 1 : owner.count - 1
        child.state.pointee.userInfo = state.pointee.userInfo
        child.state.pointee.parent = ParentEncoding(context: self, frame: frame, entry: entry)
        child.state.pointee.callDepthBase = callDepth
        let stamp = child.state.pointee.pushFrame(.undecided, depth: owner.depth)
        state.pointee.children.append(
            NestedEncoding(
                context: child, frame: frame, entry: entry, offset: state.pointee.writer.count))
        let cursor = EncodingCursor(context: child, frame: 0, stamp: stamp)
        return kind == .undecided ? cursor : cursor.opened(as: kind)
    }

    /// The child of the top frame that has the same key as the frame's last one, if any. O(n) in
    /// the frame's children.
    func childOfLastKey(in frame: Int) -> EncodingCursor? {
        let last = state.pointee.entries.count - 1
        for child in state.pointee.children.reversed() {
            guard child.frame == frame else { return nil }
            if state.pointee.hasSameKeys(child.entry, last) {
                let stamp = child.context.state.pointee.frames[0].stamp
                return EncodingCursor(context: child.context, frame: 0, stamp: stamp)
            }
        }
        return nil
    }

    /// Throws if a key of the top frame has a child and was encoded again after it: the fields of
    /// the child would be lost. O(n · m) in the frame's n children and m keys.
    @inline(never)
    func refuseReplacedChildren() throws {
        let frame = state.pointee.frames.count - 1
        guard state.pointee.children.last?.frame == frame, state.pointee.top.kind == .map
        else { return }
        for child in state.pointee.children where child.frame == frame {
            for later in (child.entry + 1)..<state.pointee.entries.count
            where state.pointee.hasSameKeys(child.entry, later) {
                let context = EncodingError.Context(
                    codingPath: child.context.codingPath(upTo: 0),
                    debugDescription: "A key for which a nested container or a super encoder was "
                        + "requested was encoded again; encode each key once.")
                throw EncodingError.invalidValue((), context)
            }
        }
    }
}

extension EncodingState {
    /// Keeps the memory of a child that was inserted or discarded, for up to 8 of them, otherwise
    /// returns it to the pool. Later writes to the child's cursors are errors.
    mutating func retire(_ child: NestedEncoding) {
        guard spares.count < 8 else { return child.context.end() }
        child.context.state.pointee.reset()
        spares.append(child.context)
    }

    /// Inserts the bytes of the top frame's children at their places. O(n).
    @inline(never)
    mutating func spliceChildren() throws {
        let frame = frames.count - 1
        guard let first = children.firstIndex(where: { $0.frame == frame }) else { return }
        let own = Array(children[first...])
        for child in own { try child.context.finishFrame() }
        // Not earlier: if one of them throws, all of them must be discarded.
        children.removeSubrange(first...)

        let start = own[0].offset
        scratch.removeAll()
        let tail = UnsafeRawBufferPointer(start: writer.base + start, count: writer.count - start)
        scratch.append(raw: tail)
        writer.truncate(to: start)
        var entry = top.entriesStart
        var copied = start
        var shift = 0
        for child in own {
            appendScratch(from: copied - start, to: child.offset - start)
            copied = child.offset
            entry = shiftEntries(from: entry, upTo: child.offset, by: shift)
            shift += child.context.appendBytes(to: &writer)
        }
        appendScratch(from: copied - start, to: scratch.count)
        _ = shiftEntries(from: entry, upTo: .max, by: shift)
        for child in own { retire(child) }
    }

    private mutating func appendScratch(from: Int, to: Int) {
        let bytes = UnsafeRawBufferPointer(start: scratch.base + from, count: to - from)
        writer.append(raw: bytes)
    }

    /// Moves the entries that begin before `offset`, and returns the first that does not.
    private mutating func shiftEntries(from first: Int, upTo offset: Int, by shift: Int) -> Int {
        var index = first
        while index < entries.count, Int(entries[index].start) < offset {
            entries.base[index].start &+= UInt32(truncatingIfNeeded: shift)
            index += 1
        }
        return index
    }
}
