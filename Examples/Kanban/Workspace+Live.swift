import Skyros

extension Workspace {
    /// The cards of a column, now and after each event that changes them.
    func liveCards(in column: Column) -> LiveQuery<Card> {
        store.live(Card.self, where: \.column == column.ref, sortedBy: \.rank)
    }
}
