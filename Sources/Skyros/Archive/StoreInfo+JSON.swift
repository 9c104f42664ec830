extension StoreInfo {
    /// What it says, as JSON for programs; without the damages.
    package var json: NamedValues<FieldValue> {
        let values: [(String, FieldValue?)] = [
            ("sequence", .integer(Int128(sequence.rawValue))),
            ("events", .integer(Int128(sequence.rawValue))),
            ("firstSequence", .integer(Int128(firstSequence.rawValue))),
            ("entities", .map(entities.mapValues { .integer(Int128($0)) })),
            ("logBytes", .integer(Int128(logBytes))),
            ("floorBytes", .integer(Int128(floorBytes))),
            ("rawBytes", .integer(Int128(rawBytes))),
            ("segments", .integer(Int128(segmentCount))),
            ("historyBytes", .integer(Int128(historyBytes))),
            ("historySequence", historySequence.map { .integer(Int128($0.rawValue)) }),
            ("checkpointSequence", checkpointSequence.map { .integer(Int128($0.rawValue)) }),
            ("checkpointProblem", checkpointProblem.map { .text($0) }),
            ("projections", .array(projections.map { .map($0.json) })),
            (
                "subscriptions",
                .map(NamedValues(subscriptions.map { ($0, $1.map { .map($0.json) } ?? .null) }))
            ),
            ("firstTime", firstTime.map { .text($0.description) }),
            ("lastTime", lastTime.map { .text($0.description) }),
            ("openingMilliseconds", .integer(Int128(openingMilliseconds))),
        ]
        return NamedValues(values.compactMap { name, value in value.map { (name, $0) } })
    }
}

extension ProjectionInfo {
    fileprivate var json: NamedValues<FieldValue> {
        var object = NamedValues<FieldValue>()
        object["name"] = .text(name)
        object["version"] = .integer(Int128(version))
        object["sequence"] = .integer(Int128(sequence.rawValue))
        object["bytes"] = byteCount.map { .integer(Int128($0)) }
        object["failedAt"] = failure.map { .integer(Int128($0.sequence.rawValue)) }
        object["failure"] = failure.map { .text($0.message) }
        return object
    }
}

extension SubscriptionPosition {
    fileprivate var json: NamedValues<FieldValue> {
        [
            "sequence": .integer(Int128(sequence.rawValue)), "keepsHistory": .bool(keepsHistory),
        ]
    }
}
