/// Collects the tables and columns of the records in events, in the order in which they first
/// appear: as a checkpoint that was written after every event would have them.
struct LayoutCollector {
    private(set) var layout: TableLayout
    /// What the events have recorded of the entities' shapes.
    private(set) var schemas = NamedValues<EntitySchema>()
    /// The columns of each table.
    private var plans: [ColumnPlan]

    /// Makes a collector that knows these tables.
    init(_ layout: TableLayout = TableLayout()) {
        self.layout = layout
        plans = layout.entities.map { ColumnPlan($0.columns) }
    }

    /// Adds what the records of an event show.
    ///
    /// - Throws: `CBORError` if a record is not canonical.
    mutating func note(_ event: borrowing Event) throws {
        note(event.schemas)
        for change in event.changes {
            switch change {
            case .inserted(let record): try note(record.fields.bytes, of: record.entity)
            case .updated(let entity, _, _, let after): try note(after.bytes, of: entity)
            case .deleted, .cleared: break
            }
        }
    }

    /// Adds what the log has recorded of the entities' shapes.
    mutating func note(_ schemas: NamedValues<EntitySchema>) {
        for (entity, schema) in schemas {
            self.schemas[entity] = schema
            guard let index = layout.index(ofEntity: entity),
                layout.entities[index].retypeColumns(schema.retypedFields)
            else { continue }
            plans[index] = ColumnPlan(layout.entities[index].columns)
        }
    }

    /// Adds the table of an entity, if it is new, and returns its index.
    @discardableResult
    mutating func note(table entity: String) -> Int {
        if let known = layout.index(ofEntity: entity) { return known }
        plans.append(ColumnPlan([]))
        return layout.addEntity(entity)
    }

    /// Adds what a record shows, or a part of one.
    mutating func note(_ fields: [UInt8], of entity: String) throws {
        let index = note(table: entity)
        try fields.withUnsafeBytes { fields in
            guard try !plans[index].spread(fields, { _, _ in }) else { return }
            try layout.entities[index].addColumns(for: fields)
            plans[index] = ColumnPlan(layout.entities[index].columns)
        }
    }
}
