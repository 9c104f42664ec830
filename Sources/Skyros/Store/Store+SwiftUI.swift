// Everything for SwiftUI, which no other file names.

#if canImport(SwiftUI)
    public import SwiftUI

    /// A property of a view that holds the result of a live query; the view is updated with it.
    ///
    ///     struct Board: View {
    ///         @Live private var cards: [Card]
    ///
    ///         init(_ store: Store, _ id: UUID) {
    ///             _cards = Live(store.live(Card.self, where: \.board == id, sortedBy: \.rank))
    ///         }
    ///
    ///         var body: some View { List(cards) { Text($0.title) } }
    ///     }
    ///
    /// The query runs when the view first reads the property, and ends with the view. A view that
    /// shows another query needs another identity, as by `.id(board)`.
    @MainActor @propertyWrapper
    public struct Live<E: Entity>: DynamicProperty {
        /// Is created with each value of the view, and kept from the first: it costs nothing
        /// before it is read.
        @MainActor
        private final class Box {
            private let query: LiveQuery<E>
            private(set) lazy var result = LiveResult(query)

            init(_ query: LiveQuery<E>) {
                self.query = query
            }
        }

        @State private var box: Box

        /// A property with the result of the query.
        public init(_ query: LiveQuery<E>) {
            _box = State(initialValue: Box(query))
        }

        /// A property with the result of the query on what a time machine shows; nil for the store.
        ///
        ///     init(_ store: Store, at machine: TimeMachine?) {
        ///         _cards = Live(store.live(Card.self, sortedBy: \.rank), at: machine)
        ///     }
        ///
        /// A view that shows another machine, or none, needs another identity.
        public init(_ query: LiveQuery<E>, at machine: TimeMachine?) {
            self.init(query.at(machine))
        }

        /// The records, in the order of the request.
        public var wrappedValue: [E] { box.result.values }

        /// The result with its error.
        public var projectedValue: LiveResult<E> { box.result }
    }

    extension Store {
        /// A binding to a field of a record, which writes an event with an actor and a reason.
        ///
        ///     TextField("Title", text: store.binding(to: card, \.title, by: user.name))
        ///
        /// It reads the newest state: show the record by a live query, so that the view is updated.
        /// A write blocks the main thread until the event is written, usually some microseconds; an
        /// error is passed to ``Store/Options/onError``.
        @MainActor
        public func binding<E: Entity, V: Sendable>(
            to record: E, _ path: any WritableKeyPath<E, V> & Sendable, by actor: String? = nil,
            because reason: String? = nil
        ) -> Binding<V> {
            let field = FieldBinding(
                store: self, id: record.id, path: path, fallback: record[keyPath: path],
                actor: actor, reason: reason)
            return Binding {
                field.value
            } set: {
                field.value = $0
            }
        }
    }
#endif
