// The smallest program that keeps records without a library, for its size. Beside it:
// ProgramWithSkyros.
//
//     program-without-skyros FILE

import Foundation

private struct Note: Codable {
    let id: UUID
    var text: String
}

private let file = URL(filePath: CommandLine.arguments[1])
private let note = Note(id: UUID(), text: "a note")
try JSONEncoder().encode([note]).write(to: file)
private let notes = try JSONDecoder().decode([Note].self, from: Data(contentsOf: file))
guard notes.first?.text == note.text else { exit(1) }
