// The parts of the page: the events, what one of them changed, the state, a record, the growth.

const shownMax = 200;

/** Adds elements for items, the first ones, and a button for more. */
function appendSome(parent, items, makeItem, from = 0) {
  const end = Math.min(items.length, from + shownMax);
  for (let index = from; index < end; index++) parent.append(makeItem(items[index], index));
  if (end === items.length) return;
  const more = makeButton("more", `${grouped(items.length - end)} more`, () => {
    more.remove();
    appendSome(parent, items, makeItem, end);
  });
  parent.append(more);
}

/** The same for the items around a place, with a button for those before them, too. */
function appendAround(parent, items, place, makeItem) {
  const start = items.length <= shownMax ? 0 : Math.max(0, place - shownMax / 2);
  appendSome(parent, items, makeItem, start);
  const addEarlier = (end) => {
    if (end <= 0) return;
    const more = makeButton("more", `${grouped(end)} earlier`, () => {
      const from = Math.max(0, end - shownMax);
      more.replaceWith(...items.slice(from, end).map(makeItem));
      addEarlier(from);
    });
    parent.prepend(more);
  };
  addEarlier(start);
}

function kindBadge(kind) {
  const sign = ["+", "~", "−", "−"][kind];
  const badge = make("span", `badge ${KINDS[kind]}`, sign);
  badge.title = KINDS[kind];
  return badge;
}

// MARK: The events

class EventsView {
  constructor(page, box) {
    this.page = page;
    this.matches = null;
    this.list = new VirtualList(box, 52, {
      label: "Events",
      fill: (row, index) => this.fill(row, index),
      choose: (position) => page.moveTo(this.index(position) + 1),
    });
  }

  get count() { return this.matches ? this.matches.length : this.page.model.count; }
  index(position) { return this.matches ? this.matches[position] : position; }

  /** The position of the last event in the list that is not after the one at `index`. */
  position(index) {
    if (!this.matches) return index;
    let low = 0, high = this.matches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.matches[middle] <= index) low = middle + 1; else high = middle;
    }
    return low - 1;
  }

  show(matches) {
    this.matches = matches;
    this.list.show(this.count, (position) => this.index(position));
    this.update();
  }

  update() {
    const index = this.page.cursor - 1;
    const position = this.position(index);
    const isShown = position >= 0 && this.index(position) === index;
    if (!isShown && position >= 0) this.list.scrollTo(position);
    this.list.select(isShown ? position : -1);
  }

  step(by) {
    const here = this.position(this.page.cursor - 1);
    const isShown = here >= 0 && this.index(here) === this.page.cursor - 1;
    const next = by > 0 || isShown ? here + by : here;
    if (next >= 0 && next < this.count) this.page.moveTo(this.index(next) + 1);
  }

  fill(row, index) {
    const { model } = this.page;
    const reason = model.reasons[index];
    row.classList.toggle("later", index >= this.page.cursor);
    const summary = make("span", "summary");
    const tally = new Map();
    for (let change = model.starts[index]; change < model.starts[index + 1]; change++) {
      const key = model.entities.items[change] * 4 + model.kinds.items[change];
      increase(tally, key, 1);
      if (tally.size > 6) break;
    }
    for (const [key, count] of [...tally].slice(0, 3)) {
      const kind = key & 3;
      const what = make("span", KINDS[kind], ["+", "~", "−", "−"][kind]);
      const many = kind === CLEARED ? "all " : count > 1 ? `${count} ` : "";
      what.append(many + showingControls(model.text(key >> 2)));
      summary.append(what);
    }
    if (tally.size > 3) summary.append(make("span", "", "…"));
    if (tally.size === 0) summary.append(make("span", "none", "no changes"));
    row.replaceChildren(
      make("span", "number", grouped(model.sequence(index))),
      actorElement(model, model.actors[index]),
      timeElement(model.times[index], shortTime(model.times[index])),
      make("span", "reason", reason < 0 ? "" : showingControls(textOf(model.value(reason)))),
      summary);
  }
}

// MARK: The changes of the event at the cursor

function showChanges(page, panel) {
  const { model, cursor } = page;
  if (cursor === 0) {
    const text = model.count
      ? "Before the first event of this report. Step forward to see what it changed."
      : "There is no event.";
    panel.replaceChildren(make("p", "hint", text));
    return;
  }
  const index = cursor - 1;
  const reason = model.reasons[index];
  const head = make("header", "event-head",
    make("h2", reason < 0 ? "none" : "",
      reason < 0 ? "No reason given" : showingControls(textOf(model.value(reason)))),
    make("p", "facts",
      make("span", "number", `Event ${grouped(model.sequence(index))}`),
      actorElement(model, model.actors[index]),
      timeElement(model.times[index])));
  if (model.abouts[index] >= 0) head.append(aboutElement(model.value(model.abouts[index])));
  const changes = [];
  for (let change = model.starts[index]; change < model.starts[index + 1]; change++) {
    changes.push(change);
  }
  const list = make("div", "changes");
  appendSome(list, changes, (change) => changeElement(page, change, true));
  if (!changes.length) list.append(make("p", "hint", "The event changed no record."));
  panel.replaceChildren(head, list);
}

/** The members of a JSON object, each with its value. */
function aboutElement(raw) {
  const list = make("dl", "about");
  for (const [name, json] of membersOf(textOf(raw))) {
    const text = json.startsWith('"') ? JSON.parse(json) : json;
    list.append(make("dt", "", showingControls(name)), make("dd", "", showingControls(text)));
  }
  return list;
}

/** The ids of the records that a change has cleared. */
function clearedElement(page, change) {
  const { model } = page;
  const list = make("div", "ids");
  const entity = model.entities.items[change];
  appendSome(list, [...model.clearedTables.get(change).keys()], (id) => (
    makeButton("record-link", showingControls(model.text(id)), () => page.openRecord(entity, id))));
  return list;
}

function changedFields(model, change) {
  const before = model.kinds.items[change] === CLEARED
    ? new Map() : model.fields(model.before.items[change]);
  const after = model.kinds.items[change] === CLEARED
    ? new Map() : model.fields(model.after.items[change]);
  const value = (fields, name) => (fields.has(name) ? model.value(fields.get(name)) : undefined);
  return sortedFields(model, new Set([...before.keys(), ...after.keys()])).map((name) => ({
    field: name, name: model.text(name), before: value(before, name), after: value(after, name),
  }));
}

/** Names of fields: `id` first, then by their texts. */
function sortedFields(model, names) {
  const key = (name) => (model.text(name) === "id" ? "" : model.text(name));
  return [...names].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

function changeElement(page, change, hasHead) {
  const { model } = page;
  const kind = model.kinds.items[change];
  const entity = model.entities.items[change];
  const card = make("article", `change ${KINDS[kind]}`);
  if (hasHead) {
    const head = make("h3", "", kindBadge(kind), showingControls(model.text(entity)));
    if (kind !== CLEARED) {
      const id = model.ids.items[change];
      head.append(makeButton("record-link", showingControls(model.text(id)), () => {
        page.openRecord(entity, id);
      }));
    }
    head.append(make("span", "kind", KINDS[kind]));
    card.append(head);
  }
  if (kind === CLEARED) {
    const count = model.after.items[change];
    card.append(make("p", "hint", `All ${grouped(count)} records were deleted.`));
    if (hasHead) card.append(clearedElement(page, change));
  } else {
    card.append(diffElement(changedFields(model, change)));
  }
  if (model.notes.items[change] >= 0) {
    card.append(aboutElement(model.value(model.notes.items[change])));
  }
  return card;
}

// MARK: The state

class StateView {
  constructor(page, panel) {
    this.page = page;
    this.entity = null;
    this.words = "";
    this.chips = make("div", "chips");
    this.chips.setAttribute("role", "group");
    this.chips.setAttribute("aria-label", "Entity");
    this.find = make("input", "find");
    this.find.type = "search";
    this.find.placeholder = "Find records";
    this.find.setAttribute("aria-label", "Find records");
    this.find.addEventListener("input", () => {
      this.words = this.find.value.toLowerCase();
      this.update();
    });
    this.note = make("span", "note");
    this.header = make("div", "columns");
    this.box = make("div", "table-box");
    this.box.id = "records";
    panel.append(
      make("div", "bar", this.chips, make("div", "grow"), this.note, this.find), this.box);
    this.list = new VirtualList(this.box, 32, {
      label: "Records", headHeight: 32,
      fill: (row, id) => this.fill(row, id),
      choose: (position) => page.openRecord(this.entity, this.ids[position]),
    });
    this.box.prepend(this.header);
    this.columnsOf = new Map();
    this.ids = [];
  }

  update() {
    const { model } = this.page;
    const entities = model.entityNames();
    const touched = new Set();
    if (this.page.cursor > 0) {
      const { starts } = model;
      for (let change = starts[this.page.cursor - 1]; change < starts[this.page.cursor]; change++) {
        touched.add(model.entities.items[change]);
      }
    }
    if (this.entity === null && entities.length) this.entity = entities[0];
    this.chips.replaceChildren(...entities.map((entity) => {
      const count = model.tables.get(entity).size;
      const chip = makeButton("chip", showingControls(model.text(entity)), () => {
        this.entity = entity;
        this.update();
        this.page.didChange();
      });
      chip.append(make("span", "count", grouped(count)));
      chip.setAttribute("aria-pressed", entity === this.entity);
      chip.classList.toggle("touched", touched.has(entity));
      return chip;
    }));
    let ids = this.entity === null ? [] : model.sortedIDs(this.entity);
    const all = ids.length;
    if (this.words) ids = ids.filter((id) => this.matches(id));
    this.ids = ids;
    this.note.textContent = this.words ? `${grouped(ids.length)} of ${grouped(all)}` : "";
    this.columns = this.columnsFor(this.entity);
    this.changed = this.changedIDs();
    const template = this.columns.map(({ width }) => `${width}px`).join(" ");
    this.box.style.setProperty("--columns", template || "1fr");
    const width = this.columns.reduce((sum, column) => sum + column.width, 0);
    this.box.style.setProperty("--width", `${width}px`);
    this.header.replaceChildren(...this.columns.map(({ title, isNumber }) => (
      make("span", isNumber ? "right" : "", showingControls(title)))));
    this.box.classList.toggle("empty", !ids.length);
    this.list.show(ids.length, (position) => ids[position]);
    this.followChange();
  }

  /** Scrolls to a record that the event at the cursor has changed, if the cursor was moved. */
  followChange() {
    if (this.cursor === this.page.cursor && this.followed === this.entity) return;
    Object.assign(this, { cursor: this.page.cursor, followed: this.entity });
    const position = this.ids.findIndex((id) => this.changed.has(id));
    if (position >= 0) this.list.scrollTo(position);
  }

  matches(id) {
    const { model } = this.page;
    if (model.text(id).toLowerCase().includes(this.words)) return true;
    const fields = model.fields(model.tables.get(this.entity).get(id));
    for (const value of fields.values()) {
      if (textOf(model.value(value)).toLowerCase().includes(this.words)) return true;
    }
    return false;
  }

  /** The ids that the event at the cursor has inserted or updated, with the kind. */
  changedIDs() {
    const { model, cursor } = this.page;
    const changed = new Map();
    if (cursor === 0) return changed;
    for (let change = model.starts[cursor - 1]; change < model.starts[cursor]; change++) {
      if (model.entities.items[change] !== this.entity) continue;
      changed.set(model.ids.items[change], model.kinds.items[change]);
    }
    return changed;
  }

  /** The columns of an entity: the id, and all fields that its records ever had. */
  columnsFor(entity) {
    if (entity === null) return [];
    const known = this.columnsOf.get(entity);
    if (known) return known;
    const { model } = this.page;
    const names = new Set();
    for (const shape of model.entityShapes.get(entity) ?? []) {
      for (const name of model.shapes[shape]) names.add(name);
    }
    const sample = [...(model.tables.get(entity) ?? new Map()).values()].slice(0, 60)
      .map((record) => model.fields(record));
    const columns = sortedFields(model, names)
      .map((field) => {
        const values = sample.filter((fields) => fields.has(field))
          .map((fields) => model.value(fields.get(field)));
        return column(model.text(field), field, values);
      });
    if (sample.length) this.columnsOf.set(entity, columns);
    return columns;
  }

  fill(row, id) {
    const { model } = this.page;
    const fields = model.fields(model.tables.get(this.entity)?.get(id) ?? -1);
    const kind = this.changed.get(id);
    if (kind !== undefined) row.classList.add(KINDS[kind]);
    row.replaceChildren(...this.columns.map(({ field, isNumber }) => {
      const place = fields.get(field);
      const raw = place === undefined ? undefined : model.value(place);
      const text = raw === undefined ? "" : showingControls(textOf(raw).slice(0, 300));
      return make("span", `cell ${typeOf(raw)}${isNumber ? " right" : ""}`, text);
    }));
  }
}

function column(title, field, values) {
  const types = new Set(values.map(typeOf));
  types.delete("null");
  const isNumber = types.size === 1 && types.has("number");
  const lengths = values.map((raw) => textOf(raw).length);
  const longest = Math.max(title.length, ...lengths);
  const width = Math.min(290, Math.max(72, Math.round(longest * 7.4) + 26));
  return { title, field, isNumber, width };
}

// MARK: A record

function showRecord(page, panel) {
  const { model, record } = page;
  if (!record) {
    panel.replaceChildren(make("p", "hint",
      "Choose a record among the changes or in the state to see all that happened to it."));
    return;
  }
  const { entity, id } = record;
  if (page.lifeOf !== record) {
    page.lifeOf = record;
    page.life = model.life(entity, id);
  }
  const now = model.tables.get(entity)?.get(id);
  const origins = originsOf(model, page.life, page.cursor);
  const state = make("section", "record-now",
    make("h2", "record-title", make("span", "entity", showingControls(model.text(entity))),
      make("span", "id", showingControls(model.text(id)))),
    make("h3", "", `At event ${page.cursorText}`));
  if (now === undefined) {
    state.append(make("p", "hint", "The record does not exist at this event."));
  } else {
    state.append(fieldsElement(page, now, origins));
  }
  const life = make("ol", "life");
  page.lifePlace = lastBefore(page.life, page.cursor);
  appendAround(life, page.life, page.lifePlace, (entry) => lifeElement(page, entry));
  const count = page.life.length;
  panel.replaceChildren(make("div", "record-parts", state,
    make("section", "record-life",
      make("h3", "", count === 1 ? "1 change" : `${grouped(count)} changes`), life)));
}

/** The place of the last entry that is not after the cursor. */
function lastBefore(life, cursor) {
  let place = life.length - 1;
  while (place > 0 && life[place].index >= cursor) place -= 1;
  return place;
}

/** The event that set each field's value as of the cursor. */
function originsOf(model, life, cursor) {
  const origins = new Map();
  for (const { index, change } of life) {
    if (change < 0 || index >= cursor) continue;
    const kind = model.kinds.items[change];
    if (kind === INSERTED) origins.clear();
    if (kind !== INSERTED && kind !== UPDATED) continue;
    for (const field of model.fields(model.after.items[change]).keys()) origins.set(field, index);
  }
  return origins;
}

function fieldsElement(page, place, origins) {
  const { model } = page;
  const fields = model.fields(place);
  const list = make("dl", "fields");
  for (const name of sortedFields(model, fields.keys())) {
    const origin = origins.get(name);
    const cell = make("dd", "", valueElement(model.value(fields.get(name))));
    if (origin !== undefined) {
      const who = model.text(model.actors[origin]) || "no actor";
      const link = makeButton("origin", `${grouped(model.sequence(origin))} ${who}`, () => {
        page.moveTo(origin + 1);
      });
      link.title = `Set by event ${model.sequence(origin)}, ${isoTime(model.times[origin])}`;
      cell.append(link);
    }
    list.append(make("dt", "", showingControls(model.text(name))), cell);
  }
  return list;
}

function lifeElement(page, { index, change }) {
  const { model } = page;
  if (change < 0) {
    return make("li", "entry kept", make("p", "facts", "There before the first event shown"));
  }
  const kind = model.kinds.items[change];
  const reason = model.reasons[index];
  const item = make("li", `entry ${KINDS[kind]}`);
  item.dataset.index = index;
  if (index === page.cursor - 1) item.classList.add("here");
  if (page.life[page.lifePlace].index === index) item.classList.add("newest");
  if (index >= page.cursor) item.classList.add("later");
  item.append(
    make("p", "facts",
      makeButton("number", grouped(model.sequence(index)), () => page.moveTo(index + 1)),
      make("span", `kind ${KINDS[kind]}`, KINDS[kind]),
      actorElement(model, model.actors[index]),
      timeElement(model.times[index], shortTime(model.times[index]))));
  if (reason >= 0) item.append(make("p", "reason", showingControls(textOf(model.value(reason)))));
  item.append(changeElement(page, change, false));
  return item;
}

// MARK: Growth

class GrowthView {
  constructor(page, panel) {
    Object.assign(this, { page, panel, isMade: false });
  }

  make() {
    const { page } = this;
    const { model } = page;
    this.isMade = true;
    this.canvas = make("canvas", "");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "The number of records of each entity over time");
    this.marker = make("div", "marker");
    this.entities = model.entityNames().slice(0, 8).map((place, index) => (
      { place, name: model.text(place), hue: (222 + index * 137.5) % 360 }));
    this.legend = make("ul", "legend");
    this.panel.replaceChildren(
      make("section", "card", make("h3", "", "Records"),
        make("div", "growth-plot", this.canvas, this.marker), this.legend),
      make("div", "cards",
        this.ranking("Events by actor", page.actorsByCount(), (actor) => (
          actor < 0 ? "no actor" : model.text(actor)), (actor) => page.filterBy({ actor })),
        this.ranking("Changes by entity", page.entitiesByCount(), (entity) => (
          model.text(entity)), (entity) => page.filterBy({ entity }))));
  }

  ranking(title, counts, nameOf, choose) {
    const list = make("ol", "ranking");
    const most = counts.length ? counts[0][1] : 1;
    appendSome(list, counts, ([key, count]) => {
      const bar = make("span", "bar");
      bar.style.setProperty("--share", count / most);
      const button = makeButton("", make("span", "name", showingControls(nameOf(key))), () => {
        choose(key);
      });
      button.append(make("span", "count", grouped(count)), bar);
      return make("li", "", button);
    });
    return make("section", "card", make("h3", "", title), list);
  }

  update(redraws) {
    const { model, cursor, byTime } = this.page;
    const isNew = !this.isMade;
    if (isNew) this.make();
    if (isNew || redraws) {
      const isDark = getComputedStyle(document.documentElement).colorScheme.includes("dark");
      for (const entity of this.entities) {
        entity.stroke = `hsl(${entity.hue} 65% ${isDark ? 66 : 44}%)`;
      }
      Object.assign(this, drawGrowth(this.canvas, model, this.entities, byTime));
    }
    this.marker.style.transform = `translateX(${this.left + this.axis.x(cursor)}px)`;
    this.legend.replaceChildren(...this.entities.map(({ place, name, stroke }) => {
      const dot = make("i", "line");
      dot.style.background = stroke;
      const count = model.tables.get(place)?.size ?? 0;
      return make("li", "", dot, showingControls(name), make("span", "count", grouped(count)));
    }));
  }
}
