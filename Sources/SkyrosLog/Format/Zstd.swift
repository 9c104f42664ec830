import CZstd

/// The zstd library: whole frames in memory, with a content checksum and the content's size.
enum Zstd {
    /// Level 3 is zstd's own default; measured on events, higher levels cost several times the
    /// processor for a few percent.
    private static let level: Int32 = 3

    enum Failure: Error, Equatable {
        case library(String)
        /// The frame states another content size than expected, or one that its bytes cannot hold.
        case sizeMismatch(expected: Int, stated: UInt64)
    }

    /// Compresses frames with one set of tables.
    final class Compressor {
        private let context: OpaquePointer

        init?() {
            guard let context = ZSTD_createCCtx() else { return nil }
            self.context = context
            ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Zstd.level)
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

    /// The content of `frame`, which must be exactly `byteCount` bytes.
    ///
    /// The caller has checked `byteCount` against a limit. A frame that is too short for the content
    /// that it states is refused before memory is allocated.
    static func content(
        of frame: UnsafeRawBufferPointer, byteCount: Int
    ) throws(Failure) -> [UInt8] {
        // The two largest values mean "unknown" and "not a frame".
        let stated = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
        guard stated == UInt64(byteCount) else {
            throw .sizeMismatch(expected: byteCount, stated: stated)
        }
        let possible = frame.count / blockBytesMin * blockContentBytesMax
        guard byteCount <= possible else {
            throw .sizeMismatch(expected: possible, stated: stated)
        }
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, filled in
            result = ZSTD_decompress(buffer.baseAddress, byteCount, frame.baseAddress, frame.count)
            filled = ZSTD_isError(result) == 0 ? result : 0
        }
        try check(result)
        guard bytes.count == byteCount else {
            throw .sizeMismatch(expected: byteCount, stated: UInt64(bytes.count))
        }
        return bytes
    }

    /// The content of `frame`, whose stated size may be at most `byteCountMax`.
    static func content(
        of frame: UnsafeRawBufferPointer, byteCountMax: Int
    ) throws(Failure) -> [UInt8] {
        let stated = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
        guard stated <= UInt64(byteCountMax) else {
            throw .sizeMismatch(expected: byteCountMax, stated: stated)
        }
        return try content(of: frame, byteCount: Int(stated))
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
