"use strict";

// The data: blocks of JSON become columns, and the state after each event is found by folding.

const INSERTED = 0, UPDATED = 1, DELETED = 2, CLEARED = 3;
const KINDS = ["inserted", "updated", "deleted", "cleared"];

/** A list of integers that grows. */
class Ints {
  constructor() {
    this.items = new Int32Array(1 << 12);
    this.length = 0;
  }

  push(value) {
    if (this.length === this.items.length) {
      const items = new Int32Array(this.length * 2);
      items.set(this.items);
      this.items = items;
    }
    this.items[this.length++] = value;
  }
}

/** Texts and numbers that occur often, each once: actors, entities, ids and field names. */
class Names {
  constructor() {
    this.list = [];
    this.places = new Map();
  }

  place(raw) {
    // An array holds JSON text; no text of a name begins so.
    const key = Array.isArray(raw) ? "\u0000" + raw[0] : raw;
    let place = this.places.get(key);
    if (place === undefined) {
      place = this.list.length;
      this.list.push(raw);
      this.places.set(key, place);
    }
    return place;
  }

  find(raw) {
    return this.places.get(raw) ?? -1;
  }
}

/**
 * All events of the report, in columns.
 *
 * The event at `index` (0 is the first) has the changes from `starts[index]` to
 * `starts[index + 1]`. The fields of a record are a place in `data`: the number of their shape,
 * and the places of their values. Each change has those of the whole record before and after it,
 * so that one step in either direction is one assignment per change.
 */
class Model {
  constructor(head) {
    this.title = head.title;
    this.tool = head.tool;
    this.first = head.first;
    this.count = Math.max(0, head.last - head.first + 1);
    this.loaded = 0;

    this.names = new Names();
    this.values = [];
    this.shapes = [];
    this.shapePlaces = new Map();
    this.data = new Ints();

    this.times = new Float64Array(this.count);
    this.actors = new Int32Array(this.count);
    this.reasons = new Int32Array(this.count);
    this.abouts = new Int32Array(this.count);
    this.starts = new Int32Array(this.count + 1);

    this.kinds = new Ints();
    this.entities = new Ints();
    this.ids = new Ints();
    this.notes = new Ints();
    this.before = new Ints();
    this.after = new Ints();
    this.recordBefore = new Ints();
    this.recordAfter = new Ints();

    /** Tables that a change has cleared, by the change. */
    this.clearedTables = new Map();
    /** The records of each entity, by id, after the event before `cursor`. */
    this.tables = new Map();
    this.cursor = 0;
    this.base = [];

    /** The number of records after each event, and of each entity after some of them. */
    this.totals = new Int32Array(this.count + 1);
    this.total = 0;
    this.sampleStep = Math.max(1, Math.floor(this.count / 600));
    this.samples = [];
    this.entityShapes = new Map();
    this.changesOf = new Map();
    this.eventsBy = new Map();
  }

  /** Adds a block. Blocks come in the order in which they were written. */
  add(block) {
    const offset = this.values.length;
    for (const value of block.table) this.values.push(value);
    const places = new Int32Array(block.table.length).fill(-1);
    const name = (local) => {
      if (places[local] < 0) places[local] = this.names.place(block.table[local]);
      return places[local];
    };
    const shapes = block.shapes.map((shape) => this.shape(shape.map(name)));
    const reader = { rows: block.rows, at: 0, offset, name, shapes };
    if (block.base !== undefined) {
      for (let index = 0; index < block.base; index++) {
        this.addBaseRecord(reader);
      }
      return;
    }
    for (const time of block.times) this.addEvent(reader, time, block.times);
  }

  addBaseRecord(reader) {
    reader.at += 1;
    const entity = reader.name(reader.rows[reader.at++]);
    const id = reader.name(reader.rows[reader.at++]);
    reader.at += 1;
    const record = this.readFields(reader);
    this.noteShape(entity, record);
    this.base.push([entity, id]);
    this.table(entity).set(id, record);
    this.total += 1;
    this.totals[0] = this.total;
  }

  addEvent(reader, time) {
    const rows = reader.rows;
    const index = this.loaded;
    const isFirst = reader.at === 0;
    this.times[index] = isFirst ? time : this.times[index - 1] + time;
    if (index % this.sampleStep === 0) this.sample(index);
    const actor = rows[reader.at++];
    this.actors[index] = actor ? reader.name(actor) : -1;
    const reason = rows[reader.at++];
    this.reasons[index] = reason ? reader.offset + reason : -1;
    const about = rows[reader.at++];
    this.abouts[index] = about ? reader.offset + about : -1;
    increase(this.eventsBy, this.actors[index], 1);
    const changeCount = rows[reader.at++];
    for (let number = 0; number < changeCount; number++) this.addChange(reader);
    this.loaded += 1;
    this.cursor = this.loaded;
    this.starts[this.loaded] = this.kinds.length;
    this.totals[this.loaded] = this.total;
    if (this.loaded === this.count) this.sample(this.count);
  }

  addChange(reader) {
    const rows = reader.rows;
    const kind = rows[reader.at++];
    const entity = reader.name(rows[reader.at++]);
    const local = rows[reader.at++];
    const id = kind === CLEARED ? -1 : reader.name(local);
    const note = rows[reader.at++];
    const table = this.table(entity);
    let before = -1, after = -1, recordBefore = -1, recordAfter = -1;
    if (kind === INSERTED) {
      after = recordAfter = this.readFields(reader);
      this.noteShape(entity, after);
      if (!table.has(id)) this.total += 1;
      table.set(id, after);
    } else if (kind === UPDATED) {
      before = this.readFields(reader);
      after = this.readFields(reader);
      recordBefore = table.get(id) ?? before;
      recordAfter = this.merged(recordBefore, before, after);
      this.noteShape(entity, recordAfter);
      table.set(id, recordAfter);
    } else if (kind === DELETED) {
      before = this.readFields(reader);
      recordBefore = table.get(id) ?? before;
      if (table.delete(id)) this.total -= 1;
    } else {
      after = rows[reader.at++];
      this.total -= table.size;
      this.clearedTables.set(this.kinds.length, table);
      this.tables.set(entity, new Map());
    }
    this.kinds.push(kind);
    this.entities.push(entity);
    this.ids.push(id);
    this.notes.push(note ? reader.offset + note : -1);
    this.before.push(before);
    this.after.push(after);
    this.recordBefore.push(recordBefore);
    this.recordAfter.push(recordAfter);
    let tally = this.changesOf.get(entity);
    if (!tally) this.changesOf.set(entity, tally = [0, 0, 0, 0]);
    tally[kind] += 1;
  }

  /** Copies fields to `data`, and returns their place. */
  readFields(reader) {
    const place = this.data.length;
    const shape = reader.shapes[reader.rows[reader.at++]];
    this.data.push(shape);
    const count = this.shapes[shape].length;
    for (let index = 0; index < count; index++) {
      this.data.push(reader.offset + reader.rows[reader.at++]);
    }
    return place;
  }

  /** The record with the fields `after` in place of `before`. */
  merged(record, before, after) {
    const place = this.data.length;
    const names = this.shapes[this.data.items[record]];
    const changed = this.fields(after);
    const gone = this.fields(before);
    const isSameShape = changed.size === gone.size
      && [...changed.keys()].every((name) => gone.has(name) && names.includes(name));
    if (isSameShape) {
      this.data.push(this.data.items[record]);
      names.forEach((name, index) => {
        this.data.push(changed.get(name) ?? this.data.items[record + 1 + index]);
      });
      return place;
    }
    const fields = this.fields(record);
    for (const name of gone.keys()) if (!changed.has(name)) fields.delete(name);
    for (const [name, value] of changed) fields.set(name, value);
    this.data.push(this.shape([...fields.keys()]));
    for (const value of fields.values()) this.data.push(value);
    return place;
  }

  /** The fields at a place: their values by their names. */
  fields(place) {
    const fields = new Map();
    if (place < 0) return fields;
    this.shapes[this.data.items[place]].forEach((name, index) => {
      fields.set(name, this.data.items[place + 1 + index]);
    });
    return fields;
  }

  shape(names) {
    const key = names.join(",");
    let place = this.shapePlaces.get(key);
    if (place === undefined) {
      place = this.shapes.length;
      this.shapes.push(names);
      this.shapePlaces.set(key, place);
    }
    return place;
  }

  noteShape(entity, record) {
    let shapes = this.entityShapes.get(entity);
    if (!shapes) this.entityShapes.set(entity, shapes = new Set());
    shapes.add(this.data.items[record]);
  }

  table(entity) {
    let table = this.tables.get(entity);
    if (!table) this.tables.set(entity, table = new Map());
    return table;
  }

  sample(index) {
    const counts = new Map();
    for (const [entity, table] of this.tables) counts.set(entity, table.size);
    this.samples.push({ index, counts });
  }

  /** Finds the order of all ids, once all blocks are there. */
  finish() {
    const list = this.names.list;
    const order = Array.from(list.keys()).sort((a, b) => compareIDs(list[a], list[b]));
    this.ranks = new Int32Array(list.length);
    this.byRank = Int32Array.from(order);
    order.forEach((name, rank) => { this.ranks[name] = rank; });
    const actors = [...this.eventsBy].sort((a, b) => b[1] - a[1]).filter(([actor]) => actor >= 0);
    this.actorRanks = new Map(actors.map(([actor], rank) => [actor, rank]));
  }

  // MARK: Reading

  sequence(index) { return this.first + index; }
  text(name) { return name < 0 ? "" : textOf(this.names.list[name]); }
  value(place) { return this.values[place]; }

  /** The names of all entities, the one with most changes first. */
  entityNames() {
    const weight = (entity) => (this.changesOf.get(entity) ?? [0]).reduce((a, b) => a + b, 0);
    return [...this.tables.keys()].sort((a, b) => weight(b) - weight(a));
  }

  /** Moves the state to the one after `cursor` events. O(events between). */
  moveTo(cursor) {
    while (this.cursor < cursor) this.stepForward(this.cursor++);
    while (this.cursor > cursor) this.stepBack(--this.cursor);
  }

  stepForward(index) {
    for (let change = this.starts[index]; change < this.starts[index + 1]; change++) {
      const entity = this.entities.items[change];
      const kind = this.kinds.items[change];
      if (kind === CLEARED) {
        this.clearedTables.set(change, this.table(entity));
        this.tables.set(entity, new Map());
      } else if (kind === DELETED) {
        this.table(entity).delete(this.ids.items[change]);
      } else {
        this.table(entity).set(this.ids.items[change], this.recordAfter.items[change]);
      }
    }
  }

  stepBack(index) {
    for (let change = this.starts[index + 1] - 1; change >= this.starts[index]; change--) {
      const entity = this.entities.items[change];
      const kind = this.kinds.items[change];
      if (kind === CLEARED) {
        this.tables.set(entity, this.clearedTables.get(change));
      } else if (kind === INSERTED) {
        this.table(entity).delete(this.ids.items[change]);
      } else {
        this.table(entity).set(this.ids.items[change], this.recordBefore.items[change]);
      }
    }
  }

  /** The ids of an entity's records at the cursor, in their order. O(n log n). */
  sortedIDs(entity) {
    const table = this.tables.get(entity);
    if (!table) return new Int32Array(0);
    const ranks = new Int32Array(table.size);
    let count = 0;
    for (const id of table.keys()) ranks[count++] = this.ranks[id];
    ranks.sort();
    return ranks.map((rank) => this.byRank[rank]);
  }

  /** The event at a time, the last one before it; -1 if all are later. */
  indexAt(time) {
    let low = 0, high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle + 1; else high = middle;
    }
    return low - 1;
  }

  /** The changes of one record, oldest first: `{index, change}`; -1 for what was there before. */
  life(entity, id) {
    const found = [];
    let exists = this.base.some(([otherEntity, otherID]) => otherEntity === entity
      && otherID === id);
    if (exists) found.push({ index: -1, change: -1 });
    for (let index = 0; index < this.count; index++) {
      for (let change = this.starts[index]; change < this.starts[index + 1]; change++) {
        if (this.entities.items[change] !== entity) continue;
        const kind = this.kinds.items[change];
        if (kind === CLEARED ? !exists : this.ids.items[change] !== id) continue;
        exists = kind === INSERTED || kind === UPDATED;
        found.push({ index, change });
      }
    }
    return found;
  }

  /** The indexes of events that match, in ascending order. */
  filtered({ actor, entity, words }) {
    const matches = words ? this.matcher(words) : null;
    const found = new Int32Array(this.count);
    let count = 0;
    for (let index = 0; index < this.count; index++) {
      if (actor !== null && this.actors[index] !== actor) continue;
      if (entity !== null && !this.touches(index, entity)) continue;
      if (matches && !matches(index)) continue;
      found[count++] = index;
    }
    return found.subarray(0, count);
  }

  touches(index, entity) {
    for (let change = this.starts[index]; change < this.starts[index + 1]; change++) {
      if (this.entities.items[change] === entity) return true;
    }
    return false;
  }

  /** A function that says whether an event has the words in a text, a name or a value. */
  matcher(words) {
    const wanted = words.toLowerCase();
    const has = (raw) => raw !== null && textOf(raw).toLowerCase().includes(wanted) ? 1 : 0;
    const names = Uint8Array.from(this.names.list, has);
    const values = Uint8Array.from(this.values, has);
    const data = this.data.items;
    const hasIn = (place) => {
      if (place < 0) return false;
      const count = this.shapes[data[place]].length;
      for (let index = place + 1; index <= place + count; index++) {
        if (values[data[index]]) return true;
      }
      return false;
    };
    return (index) => {
      if (this.actors[index] >= 0 && names[this.actors[index]]) return true;
      if (this.reasons[index] >= 0 && values[this.reasons[index]]) return true;
      if (this.abouts[index] >= 0 && values[this.abouts[index]]) return true;
      for (let change = this.starts[index]; change < this.starts[index + 1]; change++) {
        if (names[this.entities.items[change]]) return true;
        if (this.kinds.items[change] === CLEARED) continue;
        if (names[this.ids.items[change]]) return true;
        if (hasIn(this.before.items[change]) || hasIn(this.after.items[change])) return true;
      }
      return false;
    };
  }

  /** How often a kind of change occurs in an event: inserted, updated, deleted, cleared. */
  tally(index) {
    const tally = [0, 0, 0, 0];
    for (let change = this.starts[index]; change < this.starts[index + 1]; change++) {
      tally[this.kinds.items[change]] += 1;
    }
    return tally;
  }
}

function increase(counts, key, by) {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** Numbers before texts; texts by their code points. */
function compareIDs(a, b) {
  const isNumberA = typeof a === "number", isNumberB = typeof b === "number";
  if (isNumberA && isNumberB) return a - b;
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  const [textA, textB] = [textOf(a), textOf(b)];
  return textA < textB ? -1 : textA > textB ? 1 : 0;
}
