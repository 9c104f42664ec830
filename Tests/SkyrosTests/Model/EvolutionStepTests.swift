import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite struct `A step of an evolution` {
    private func applied(
        _ steps: FieldSteps, to fields: NamedValues<FieldValue>
    ) throws -> NamedValues<FieldValue> {
        let evolver = Evolver([EvolutionVersion(number: 2, steps: steps.all)])
        let bytes = try Fields(fields).bytes
        let id = try RecordID(encoding: 1)
        return try Fields(trusted: evolver.evolve(bytes, from: 1, "E", id)).values
    }

    @Test func `renames, drops and adds fields`() throws {
        #expect(try applied(.rename("a", to: "b"), to: ["a": 1, "c": 2]) == ["b": 1, "c": 2])
        #expect(try applied(.rename("a", to: "b"), to: ["c": 2]) == ["c": 2])
        #expect(try applied(.rename("a", to: "b"), to: ["a": .null]) == ["b": .null])
        #expect(try applied(.drop("a"), to: ["a": 1, "c": 2]) == ["c": 2])
        #expect(try applied(.add("a", "x"), to: [:]) == ["a": "x"])
        #expect(try applied(.add("a", "x"), to: ["a": "y"]) == ["a": "y"])
    }

    @Test func `splits and merges texts`() throws {
        let split = FieldSteps.split("name", into: ["first", "last"], at: " ")
        #expect(
            try applied(split, to: ["name": "Mia van Dyk"]) == ["first": "Mia", "last": "van Dyk"])
        #expect(try applied(split, to: ["name": "Mia"]) == ["first": "Mia", "last": ""])
        #expect(try applied(split, to: ["id": 1]) == ["id": 1])
        let merge = FieldSteps.merge(["first", "last"], into: "name", with: " ")
        #expect(try applied(merge, to: ["first": "Mia", "last": "Dyk"]) == ["name": "Mia Dyk"])
        #expect(try applied(merge, to: ["last": "Dyk"]) == ["name": "Dyk"])
        #expect(try applied(merge, to: ["first": .null]) == ["first": .null])
        #expect(throws: StoreError(.evolutionFailed, "")) {
            try applied(split, to: ["name": 7])
        }
    }

    @Test func `runs one after the other`() throws {
        let steps = FieldSteps.rename("a", to: "b").retype("b", .integerToText).drop("c")
        #expect(try applied(steps, to: ["a": 7, "c": 1]) == ["b": "7"])
    }

    private static let id = UUID(
        uuid: (0xF8, 0x1D, 0x4F, 0xAE, 0x7D, 0xEC, 0x41, 0xD0, 0x80, 2, 3, 4, 5, 6, 7, 1))

    private static let conversions: [(FieldConversion, FieldValue, FieldValue)] = [
        (.integerToText, 7, "7"), (.integerToText, -7, "-7"), (.textToInteger, "-12", -12),
        (.integerToReal, 2, 2.0), (.realToInteger, 2.0, 2), (.realToText, 0.5, "0.5"),
        (.textToReal, "0.25", 0.25), (.booleanToInteger, true, 1), (.integerToBoolean, 0, false),
        (.booleanToText, true, "true"), (.textToBoolean, "false", false),
        (.secondsToDate, 978_307_200, .date(Date(timeIntervalSinceReferenceDate: 0))),
        (.dateToSeconds, .date(Date(timeIntervalSinceReferenceDate: 1)), 978_307_201.0),
        (.dateToText, .date(Date(timeIntervalSinceReferenceDate: 0)), "2001-01-01T00:00:00Z"),
        (.textToDate, "2001-01-01T00:00:00Z", .date(Date(timeIntervalSinceReferenceDate: 0))),
        (.textToDate, "2001-01-01T00:00:00.5Z", .date(Date(timeIntervalSinceReferenceDate: 0.5))),
        (.textToDate, "2001-01-01T01:30:00+0130", .date(Date(timeIntervalSinceReferenceDate: 0))),
        (
            .uuidToText, .uuid(id),
            "f81d4fae-7dec-41d0-8002-030405060701"
        ),
        (
            .textToUUID, "f81d4fae-7dec-41d0-8002-030405060701",
            .uuid(id)
        ),
        (.urlToText, .tagged(32, "https://example.org"), "https://example.org"),
        (.textToURL, "https://example.org", .tagged(32, "https://example.org")),
        (.integerToDecimal, 12, .tagged(4, [0, 12])),
        (.textToDecimal, "12.50", .tagged(4, [-1, 125])),
        (.textToDecimal, "-.5", .tagged(4, [-1, -5])), (.textToDecimal, "+5.", .tagged(4, [0, 5])),
        (.decimalToText, .tagged(4, [-1, 125]), "12.5"),
    ]

    @Test(arguments: conversions.indices)
    func `converts a value exactly, and keeps one of the new kind`(index: Int) throws {
        let (conversion, value, expected) = Self.conversions[index]
        let steps = FieldSteps.retype("a", conversion)
        #expect(try applied(steps, to: ["a": value]) == ["a": expected])
        #expect(try applied(steps, to: ["a": expected]) == ["a": expected])
        #expect(try applied(steps, to: ["a": .null]) == ["a": .null])
        #expect(throws: StoreError(.evolutionFailed, "")) {
            try applied(steps, to: ["a": [1]])
        }
    }

    @Test func `gives a date back that it made a text of, also before 1582`() throws {
        let steps = FieldSteps.retype("a", .dateToText).retype("a", .textToDate)
        for date in [Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0.1)] {
            #expect(try applied(steps, to: ["a": .date(date)]) == ["a": .date(date)])
        }
    }

    @Test func `has a test for each conversion, and a name that the log knows`() {
        let tested = Set(Self.conversions.map(\.0.name))
        #expect(Set(FieldConversion.all.map(\.name)) == tested)
        for conversion in FieldConversion.all {
            #expect(FieldConversion(name: conversion.name) == conversion)
        }
        #expect(FieldConversion(name: "textToMoon") == nil)
    }

    @Test(
        arguments: [
            (.textToInteger, "7a"), (.realToInteger, 0.5), (.textToReal, "nan"),
            (.integerToBoolean, 2), (.textToBoolean, "yes"), (.textToUUID, "x"), (.textToDate, "x"),
            (.textToDecimal, "12x"), (.textToDecimal, .text(String(repeating: "1", count: 39))),
            (.integerToDecimal, .integer(.max)), (.textToDecimal, "1.2.3"),
            (.textToDecimal, "10-12"), (.textToDecimal, "-"), (.textToDecimal, "."),
            (.textToDecimal, ""), (.textToDecimal, "+-1"), (.textToDecimal, "1e3"),
            (.textToDate, "2001-01-01T00:00:00Z garbage"), (.textToDate, "2001-02-30T00:00:00Z"),
            (.textToDate, "2001-01-01T25:00:00Z"), (.textToDate, "2001-01-01T00:00:00"),
        ] as [(FieldConversion, FieldValue)])
    func `refuses a value that it cannot convert`(conversion: FieldConversion, value: FieldValue)
        throws
    {
        let error = #expect(throws: StoreError.self) {
            try applied(.retype("a", conversion), to: ["a": value])
        }
        #expect(error?.code == .evolutionFailed)
        #expect(error?.message.contains(conversion.name) == true)
        #expect(error?.place.entity == "E")
        #expect(error?.message.contains("version 2") == true)
    }

    @Test func `is the same after it was recorded`() throws {
        let steps = FieldSteps.rename("a", to: "b").retype("b", .integerToText).add("c", [1, "x"])
            .drop("d").split("e", into: ["f", "g"], at: ",").merge(
                ["h", "i"], into: "j", with: "-")
        for step in steps.all + [.code] { #expect(FieldStep(step.value) == step) }
        for value: FieldValue in [
            ["rename", "a"], ["retype", "a", "textToMoon"], ["x"], [], 7, ["drop", 1],
            ["split", "a", ["b"], " "], ["split", "a", ["b", 1], " "],
        ] {
            #expect(FieldStep(value) == nil)
        }
    }
}

@Suite struct `The schema of an entity` {
    private let evolver = Evolver([
        EvolutionVersion(number: 2, steps: FieldSteps.retype("a", .integerToText).all),
        EvolutionVersion(number: 3, steps: FieldSteps.rename("a", to: "b").all),
        EvolutionVersion(number: 5, steps: FieldSteps.add("c", 1).all),
    ])

    private func schema(_ evolver: Evolver?) throws -> EntitySchema {
        try EntitySchema(
            evolver, fields: ["b": .text], unique: [["b"]],
            relations: [["b", "Board", "one", "deny"], ["c", "Board", "later", "deny"]])
    }

    @Test func `keeps what it records`() throws {
        let schema = try schema(evolver)
        let read = try #require(EntitySchema(schema.parts))
        #expect(read == schema)
        #expect(read.version == 5)
        #expect(read.fields == ["b": "text"])
        #expect(read.uniqueIndexes == [["b"]])
        #expect(read.relations(of: "A").map(\.description) == ["A.b → Board, on delete deny"])
        #expect(read.steps.map(\.version) == [2, 3, 5])
        #expect(read.steps[1].steps == ["rename(\"a\", to: \"b\")"])
        #expect(read.retypedFields == ["b": .text])
        #expect(read.declarative.version == 5)
        #expect(read.refusal(of: evolver) == nil)
        #expect(EntitySchema(try Fields(["version": 0])) == nil)
        #expect(EntitySchema(Fields()) == nil)
    }

    @Test func `lets an older type use it past steps that only add`() throws {
        let older = Evolver(Array(evolver.versions.prefix(2)))
        #expect(try schema(evolver).refusal(of: older) == nil)
        let first = try schema(evolver).refusal(of: nil)
        #expect(first?.contains("retype(\"a\", .integerToText)") == true)
    }

    @Test func `refuses other steps to a version that was written`() throws {
        let other = Evolver([
            EvolutionVersion(number: 2, steps: FieldSteps.drop("a").all),
            EvolutionVersion(number: 3, steps: FieldSteps.rename("a", to: "b").all),
            EvolutionVersion(number: 5, steps: FieldSteps.add("c", 1).all),
        ])
        #expect(try schema(evolver).refusal(of: other)?.contains("version 2") == true)
        let inserted = Evolver([
            evolver.versions[0], evolver.versions[1],
            EvolutionVersion(number: 4, steps: FieldSteps.drop("z").all), evolver.versions[2],
        ])
        #expect(try schema(evolver).refusal(of: inserted) != nil)
    }

    @Test func `ends for a tool where a closure is`() throws {
        let code = Evolver([
            evolver.versions[0],
            EvolutionVersion(number: 3, steps: [.code]), evolver.versions[2],
        ])
        #expect(try schema(code).declarative.version == 2)
    }

    @Test func `carries parts of later versions`() throws {
        let later = try #require(EntitySchema(Fields(["version": 1, "reasons": [1]])))
        let merged = try schema(evolver).carryingUnknownParts(of: later)
        #expect(merged.parts["reasons"] == [1])
        #expect(merged.version == 5)
    }
}
