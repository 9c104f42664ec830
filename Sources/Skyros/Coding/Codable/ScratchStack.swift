/// A stack of plain elements, whose memory is reused.
///
/// An array without reference counts and uniqueness checks, for code that runs for every encoded
/// or decoded field.
struct ScratchStack<Element: BitwiseCopyable>: ~Copyable {
    private(set) var base: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        base = .allocate(capacity: capacity)
    }

    deinit {
        base.deallocate()
    }

    /// The element at `index`, which must be below `count`. O(1).
    subscript(index: Int) -> Element {
        @inline(__always) get {
            assert(index >= 0 && index < count)
            return base[index]
        }
        @inline(__always) nonmutating set {
            assert(index >= 0 && index < count)
            base[index] = newValue
        }
    }

    @inline(__always)
    mutating func push(_ element: Element) {
        if count == capacity { grow() }
        (base + count).initialize(to: element)
        count += 1
    }

    @inline(never)
    private mutating func grow() {
        let newBase = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        newBase.initialize(from: base, count: count)
        base.deallocate()
        base = newBase
        capacity *= 2
    }

    /// Pops the elements at `newCount` and above. O(1).
    @inline(__always)
    mutating func truncate(to newCount: Int) {
        assert(newCount >= 0 && newCount <= count)
        count = newCount
    }

    /// Pops everything; frees memory for more than `capacityMax` elements. O(1).
    mutating func removeAll(keepingCapacityUpTo capacityMax: Int = 4_096) {
        count = 0
        if capacity > capacityMax {
            base.deallocate()
            capacity = capacityMax
            base = .allocate(capacity: capacity)
        }
    }

    /// The elements from `start` on. O(1).
    func slice(from start: Int) -> UnsafeMutableBufferPointer<Element> {
        UnsafeMutableBufferPointer(start: base + start, count: count - start)
    }
}
