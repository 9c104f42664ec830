import Foundation
import Skyros
import TestSupport
import Testing

/// The code of every error that a store can throw.
enum ErrorCode: String, CaseIterable {
    case alreadyOpen, insecurePath, notAStore, unsupportedFormat, foreignStore, logCorrupt
    case segmentMissing, chainBroken, logBehindCheckpoint, invalidSchema, unknownEntity
    case schemaMismatch
    case duplicateID, notFound, uniqueViolation, brokenReference, deletionDenied, unknownRelation
    case idChanged, notEncodable
    case nestedWrite, wrongTransaction, writeCycle, clockAhead, clockBehind
    case suspended, historyChanged, closed, erased, limitExceeded, conflict, nothingToUndo
    case reasonRequired
    case mergeConflict, foreignChild, discarded, unmergedEdits, storesDiffer
    case diskFull, io, durabilityLost, checkpointFailed, checkpointBusy
    case historyIndexFailed, serverUnavailable, insecureDurability, outcomeUnknown
    case notDecodable, unknownProjection, projectionPending, projectionFailed
    case evolutionFailed, positionMissing, subscriptionFailed
    case filterFailed, invalidEvent, noSuchEvent, belowFloor
    case invalidInput, unknownField, invalidCursor, overflow
}

// One of them waits for a subscription, which needs a thread of the pool.
@Suite(.long) struct `The code of an error` {
    @Test(arguments: ErrorCode.allCases)
    func `can be provoked`(code: ErrorCode) throws {
        let error = #expect(throws: StoreError.self) { try ErrorProvocation.provoke(code) }
        let found = try #require(error)
        #expect(found.code.name == code.rawValue)
        #expect(found.code.description == code.rawValue)
        #expect(!found.message.isEmpty)
        #expect(found.description.hasPrefix("\(code.rawValue): \(found.message)"))
    }

    @Test func `is provoked here, if the library declares it`() throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Skyros/Model/Errors/StoreError+Code.swift")
        let text = try String(contentsOf: source, encoding: .utf8)
        let declared = text.matches(of: /static let (\w+) = Code\("(\w+)"\)/)
        #expect(declared.allSatisfy { $0.output.1 == $0.output.2 })
        #expect(declared.map { String($0.output.2) } == ErrorCode.allCases.map(\.rawValue))
    }
}
