/// The metadata and the durability of an undo's event.
struct UndoRequest: Sendable {
    var actor: String?
    var reason: String?
    var metadata = Metadata()
    var durability: Durability?
    /// The name of the step of an `UndoStack`.
    var stepName: String?
}
