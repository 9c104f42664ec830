import SkyrosDisk

#if BundledZstd
    import libzstd
#elseif SystemZstd
    import CZstd
#else
    #error("enable one of the traits SystemZstd and BundledZstd")
#endif

/// The zstd library: whole frames in memory, with a content checksum and the content's size.
enum Zstd {
    enum Failure: Error, Equatable, CustomStringConvertible {
        case library(String)
        /// The frame states another content size than expected, or one that its bytes cannot hold.
        case sizeMismatch(expected: Int, stated: UInt64)

        var description: String {
            switch self {
            case .library(let message): message
            case .sizeMismatch(let expected, let stated):
                "it states \(stated) bytes of content instead of \(expected)"
            }
        }
    }

    /// Compresses frames with one set of tables.
    final class Compressor {
        private let context: OpaquePointer

        init?(_ effort: FrameFileWriter.Effort = .usual) {
            guard let context = ZSTD_createCCtx() else { return nil }
            self.context = context
            ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, effort.level)
            ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
            ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 1)
        }

        deinit {
            ZSTD_freeCCtx(context)
        }

        /// Compresses `content` to one frame.
        func frame(_ content: [UInt8]) throws(Failure) -> [UInt8] {
            let capacity = ZSTD_compressBound(content.count)
            var result = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
                result = ZSTD_compress2(
                    context, buffer.baseAddress, capacity, content, content.count)
                filled = ZSTD_isError(result) == 0 ? result : 0
            }
            try check(result)
            return bytes
        }
    }

    /// The largest content of a zstd block, and the smallest size of one.
    /// https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1.2.4
    private static let blockContentBytesMax = 128 << 10
    private static let blockBytesMin = 4

    /// The content of `frame`.
    ///
    /// A frame that states more than it can hold is refused before memory is allocated.
    ///
    /// - Parameters:
    ///   - byteCount: the size that the frame must state; nil for any.
    ///   - byteCountMax: the largest size that it may state.
    static func content(
        of frame: UnsafeRawBufferPointer, byteCount: Int? = nil, byteCountMax: Int
    ) throws(Failure) -> [UInt8] {
        // The two largest values mean "unknown" and "not a frame".
        let stated = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
        let possible = min(byteCountMax, frame.count / blockBytesMin * blockContentBytesMax)
        guard stated <= UInt64(possible), byteCount.map({ stated == UInt64($0) }) ?? true else {
            throw .sizeMismatch(expected: byteCount ?? possible, stated: stated)
        }
        let size = Int(stated)
        var result: Int? = 0
        // Not for no bytes: their array is one object for all threads, whose count is written.
        let bytes = [UInt8](unsafeUninitializedCapacity: max(1, size)) { buffer, filled in
            result = decompressors.use { context in
                ZSTD_decompressDCtx(
                    context, buffer.baseAddress, size, frame.baseAddress, frame.count)
            }
            filled = result.map { ZSTD_isError($0) == 0 ? $0 : 0 } ?? 0
        }
        guard let result else { throw .library("there is no memory to decompress") }
        try check(result)
        guard bytes.count == size else {
            throw .sizeMismatch(expected: size, stated: UInt64(bytes.count))
        }
        return bytes
    }

    /// The decompressors that no thread uses. Making one allocates and clears more memory than a
    /// frame of 8 KiB needs.
    private static let decompressors = DecompressorPool()

    private final class DecompressorPool: Sendable {
        private static let countMax = 4
        /// Addresses of contexts.
        private let free = Locked<[UInt]>([])

        /// Runs `body` with a context; nil if there is no memory for one.
        func use(_ body: (OpaquePointer) -> Int) -> Int? {
            let kept = free.withLock { $0.popLast() }.flatMap { OpaquePointer(bitPattern: $0) }
            guard let context = kept ?? ZSTD_createDCtx() else { return nil }
            let result = body(context)
            let isKept = free.withLock { free in
                guard free.count < Self.countMax else { return false }
                free.append(UInt(bitPattern: context))
                return true
            }
            if !isKept { ZSTD_freeDCtx(context) }
            return result
        }
    }

    /// The size of the frame at the start of `bytes`; nil if it is not complete.
    static func frameByteCount(in bytes: UnsafeRawBufferPointer) -> Int? {
        let size = ZSTD_findFrameCompressedSize(bytes.baseAddress, bytes.count)
        return ZSTD_isError(size) == 0 && size > 0 && size <= bytes.count ? size : nil
    }

    private static func check(_ result: Int) throws(Failure) {
        guard ZSTD_isError(result) != 0 else { return }
        throw .library(String(cString: ZSTD_getErrorName(result)))
    }
}
