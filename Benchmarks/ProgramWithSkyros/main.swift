// The smallest program that keeps records with Skyros, for its size. Beside it:
// ProgramWithoutSkyros.
//
//     program-with-skyros FOLDER

import Foundation
import Skyros

private struct Note: Entity {
    let id: UUID
    var text: String
}

private let store = try Store(at: URL(filePath: CommandLine.arguments[1]), entities: Note.self)
private let note = Note(id: UUID(), text: "a note")
try store.write(by: "somebody", because: "a first note") { tx in try tx.insert(note) }
guard try store.get(Note.self, note.id)?.text == note.text else { exit(1) }
try store.close()
