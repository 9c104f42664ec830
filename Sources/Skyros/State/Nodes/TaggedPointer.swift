import SkyrosDisk

/// A reference to an object, not retained, and 16 further bits, in one word.
///
///     ┌──────────┬───────────────────────────────────────────────┐
///     │ tag (16) │ address of the object (48)                    │
///     └──────────┴───────────────────────────────────────────────┘
///
/// User-space addresses have at most 47 bits on x86-64 (Intel SDM, volume 1, 3.3.7.1), and at
/// most 48 on arm64, unless a program asks the system for more; this one never does. A heap that
/// tags its pointers, as Android's and Arm's memory tagging do, leaves no bits free.
struct TaggedPointer<Object: AnyObject> {
    private var word: UInt64

    @inline(__always)
    init(_ object: Unmanaged<Object>, tag: UInt16) {
        let address = UInt64(UInt(bitPattern: object.toOpaque()))
        if address > PointerTag.addressMask { PointerTag.refuse(address) }
        word = UInt64(tag) &<< PointerTag.addressBits | address
    }

    var tag: UInt16 { UInt16(truncatingIfNeeded: word &>> PointerTag.addressBits) }

    var object: Unmanaged<Object> {
        // The address is that of an object, so it is not zero.
        Unmanaged.fromOpaque(
            UnsafeRawPointer(bitPattern: UInt(word & PointerTag.addressMask)).unsafelyUnwrapped)
    }
}

/// Which bits of an address a `TaggedPointer` uses, and whether this platform leaves them free.
enum PointerTag {
    static let addressBits: UInt64 = 48
    static let addressMask: UInt64 = 1 &<< addressBits &- 1

    /// Stops the process, with the reason, if objects have addresses that use the tag's bits.
    /// Checks once in a process.
    static func checkPlatform() {
        _ = isChecked
    }

    private static let isChecked: Bool = {
        final class Probe {}
        let probe = Probe()
        let address = UInt64(UInt(bitPattern: Unmanaged.passUnretained(probe).toOpaque()))
        if address > addressMask { refuse(address) }
        return true
    }()

    @inline(never)
    static func refuse(_ address: UInt64) -> Never {
        System.stop(
            """
            Skyros stores 16 bits of a hash in the unused upper bits of addresses, and the object \
            at 0x\(String(address, radix: 16)) uses them. Turn off memory tagging (MTE, tagged \
            heap pointers) for this process.
            """)
    }
}
