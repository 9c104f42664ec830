// The page: loads the data, keeps the cursor, and follows pointer, keys and the address.

const TABS = ["events", "changes", "state", "record", "growth"];
const byID = (id) => document.getElementById(id);

class Page {
  constructor(model) {
    this.model = model;
    this.cursor = model.count;
    this.tab = "changes";
    this.record = null;
    this.filter = { actor: null, entity: null, words: "" };
    this.matches = null;
    this.byTime = false;
    this.pending = 0;
    this.events = new EventsView(this, byID("events-list"));
    this.state = new StateView(this, byID("panel-state"));
    this.growth = new GrowthView(this, byID("panel-growth"));
    this.narrow = matchMedia("(max-width: 860px)");
    this.connect();
    this.showSummary();
    this.fillFilters();
  }

  get cursorText() {
    return grouped(this.model.first - 1 + this.cursor);
  }

  // MARK: The cursor

  /** Moves to the state after `cursor` events. */
  moveTo(cursor) {
    const target = Math.min(this.model.count, Math.max(0, Math.round(cursor)));
    if (target === this.cursor) return;
    this.cursor = target;
    this.requestUpdate();
  }

  step(by) { this.moveTo(this.cursor + by); }

  /** Updates the page before it is drawn next. */
  requestUpdate() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => this.update());
  }

  update() {
    cancelAnimationFrame(this.pending);
    this.pending = 0;
    this.model.moveTo(this.cursor);
    this.showCursor();
    this.events.update();
    this.showPanel();
    this.didChange();
  }

  showCursor() {
    const { model, cursor } = this;
    const plot = byID("plot");
    byID("marker").style.transform = `translateX(${this.axis ? this.axis.x(cursor) : 0}px)`;
    const total = `${grouped(model.totals[cursor])} records`;
    const index = cursor - 1;
    plot.setAttribute("aria-valuenow", model.first - 1 + cursor);
    plot.setAttribute("aria-valuetext", index < 0 ? "before the first event"
      : `event ${model.sequence(index)}, ${isoTime(model.times[index])}, ${total}`);
    const number = byID("number");
    if (document.activeElement !== number) number.value = model.first - 1 + cursor;
    byID("when").replaceChildren(index < 0 ? "before the first event"
      : timeElement(model.times[index]));
    byID("total").textContent = total;
    byID("first").disabled = byID("back").disabled = cursor === 0;
    byID("last").disabled = byID("forward").disabled = cursor === model.count;
  }

  // MARK: Panels

  get shownTab() { return this.tab === "events" && !this.narrow.matches ? "changes" : this.tab; }

  openTab(tab) {
    this.tab = tab;
    this.showPanel(true);
    if (tab === "events") this.events.update();
    this.didChange();
  }

  openRecord(entity, id) {
    this.record = { entity, id };
    this.openTab("record");
  }

  showPanel(isNew = false) {
    const shown = this.shownTab;
    document.body.dataset.tab = shown;
    for (const tab of TABS) {
      const button = byID(`tab-${tab}`);
      button.setAttribute("aria-selected", tab === shown);
      button.tabIndex = tab === shown ? 0 : -1;
      if (isNew && tab === shown) button.scrollIntoView({ block: "nearest", inline: "nearest" });
      if (tab !== "events") byID(`panel-${tab}`).hidden = tab !== shown;
    }
    const panel = byID(`panel-${shown}`);
    if (shown === "changes") showChanges(this, panel);
    if (shown === "state") this.state.update();
    if (shown === "growth") this.growth.update(isNew);
    if (shown === "record") this.showRecord(panel, isNew);
    if (isNew && panel && shown !== "record") panel.scrollTop = 0;
  }

  showRecord(panel, isNew) {
    const top = panel.scrollTop;
    showRecord(this, panel);
    panel.scrollTop = isNew ? 0 : top;
    // The changes of a long life begin far before the cursor.
    const newest = panel.querySelector(".newest");
    if (newest && this.life.length > 12) newest.scrollIntoView({ block: "center" });
  }

  // MARK: Filters

  filterBy(change) {
    Object.assign(this.filter, change);
    this.applyFilter();
  }

  applyFilter() {
    const { actor, entity, words } = this.filter;
    const isOn = actor !== null || entity !== null || words !== "";
    this.matches = isOn ? this.model.filtered(this.filter) : null;
    byID("actor").value = actor === null ? "" : String(actor);
    byID("entity").value = entity === null ? "" : String(entity);
    if (document.activeElement !== byID("search")) byID("search").value = words;
    byID("clear").hidden = !isOn;
    const all = grouped(this.model.count);
    byID("found").textContent = isOn ? `${grouped(this.matches.length)} of ${all} events`
      : `${all} events`;
    this.events.show(this.matches);
    this.drawTimeline();
    this.didChange();
  }

  clearFilter() {
    byID("search").value = "";
    this.filterBy({ actor: null, entity: null, words: "" });
  }

  actorsByCount() { return [...this.model.eventsBy].sort((a, b) => b[1] - a[1]); }

  entitiesByCount() {
    const sum = (tally) => tally.reduce((a, b) => a + b, 0);
    return [...this.model.changesOf].map(([entity, tally]) => [entity, sum(tally)])
      .sort((a, b) => b[1] - a[1]);
  }

  fillFilters() {
    const option = (value, text) => {
      const element = make("option", "", text);
      element.value = value;
      return element;
    };
    const { model } = this;
    byID("actor").replaceChildren(option("", "All actors"),
      ...this.actorsByCount().slice(0, 500).map(([actor, count]) => option(String(actor),
        `${actor < 0 ? "no actor" : showingControls(model.text(actor))} (${grouped(count)})`)));
    byID("entity").replaceChildren(option("", "All entities"),
      ...this.entitiesByCount().map(([entity, count]) => option(String(entity),
        `${showingControls(model.text(entity))} (${grouped(count)})`)));
  }

  // MARK: The timeline

  drawTimeline() {
    this.axis = drawTimeline(byID("timeline"), this.model, this.byTime, this.matches);
    this.showCursor();
  }

  redraw() {
    this.drawTimeline();
    if (this.shownTab === "growth") this.growth.update(true);
  }

  setScale(byTime) {
    this.byTime = byTime;
    byID("by-event").setAttribute("aria-pressed", !byTime);
    byID("by-time").setAttribute("aria-pressed", byTime);
    this.redraw();
    this.didChange();
  }

  showSummary() {
    const { model } = this;
    const actors = [...model.eventsBy.keys()].filter((actor) => actor >= 0).length;
    const summary = byID("summary");
    byID("tool").textContent = model.tool.split("\n")[0];
    if (!model.count) {
      summary.textContent = "no events";
      return;
    }
    const ends = [model.times[0], model.times[model.count - 1]];
    const days = ends.map((time) => timeElement(time, isoTime(time).slice(0, 10)));
    const isOneDay = days[0].textContent === days[1].textContent;
    summary.append(model.count === 1 ? "1 event · " : `${grouped(model.count)} events · `,
      ...(isOneDay ? [days[0]] : [days[0], " – ", days[1]]),
      ` · ${actors === 1 ? "1 actor" : `${grouped(actors)} actors`}`);
    const plot = byID("plot");
    plot.setAttribute("aria-valuemin", model.first - 1);
    plot.setAttribute("aria-valuemax", model.first - 1 + model.count);
  }

  // MARK: The address

  /** Puts cursor, tab, record and filters into the address, soon. */
  didChange() {
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => this.writeAddress(), 250);
  }

  writeAddress() {
    const { model, record, filter } = this;
    const parts = new URLSearchParams();
    parts.set("at", model.first - 1 + this.cursor);
    parts.set("tab", this.shownTab);
    if (record) {
      parts.set("entity", model.text(record.entity));
      parts.set("id", jsonOf(model.names.list[record.id]));
    }
    if (filter.actor !== null) {
      parts.set("actor", filter.actor < 0 ? "" : model.text(filter.actor));
    }
    if (filter.entity !== null) parts.set("of", model.text(filter.entity));
    if (filter.words) parts.set("find", filter.words);
    if (this.byTime) parts.set("scale", "time");
    if (document.documentElement.dataset.theme) {
      parts.set("theme", document.documentElement.dataset.theme);
    }
    this.address = `#${parts}`;
    if (this.address !== location.hash) history.replaceState(null, "", this.address);
  }

  readAddress() {
    const { model } = this;
    const parts = new URLSearchParams(location.hash.slice(1));
    if (/^\d+$/.test(parts.get("at") ?? "")) {
      const cursor = Number(parts.get("at")) - model.first + 1;
      this.cursor = Math.min(model.count, Math.max(0, cursor));
    }
    if (TABS.includes(parts.get("tab"))) this.tab = parts.get("tab");
    const entity = model.names.find(parts.get("entity"));
    const id = model.names.find(parsedID(parts.get("id")));
    this.record = entity >= 0 && id >= 0 ? { entity, id } : null;
    if (this.record) this.state.entity = entity;
    const actor = parts.get("actor");
    const actorPlace = actor === null ? -1 : model.names.find(actor);
    const of = model.names.find(parts.get("of"));
    this.filter = {
      actor: actor === "" ? -1 : actorPlace < 0 ? null : actorPlace,
      entity: of < 0 ? null : of,
      words: parts.get("find") ?? "",
    };
    this.byTime = parts.get("scale") === "time";
    if (["light", "dark"].includes(parts.get("theme"))) setTheme(parts.get("theme"));
    byID("search").value = this.filter.words;
  }

  follow() {
    this.readAddress();
    this.model.moveTo(this.cursor);
    this.applyFilter();
    this.setScale(this.byTime);
    this.showPanel(true);
    this.update();
  }
}

/** An id of the address, which is JSON. */
function parsedID(json) {
  if (json === null) return null;
  try {
    const id = JSON.parse(json);
    return typeof id === "object" || String(id) !== json && typeof id !== "string"
      ? "\u0000" + json : id;
  } catch {
    return json;
  }
}

// MARK: Pointer and keys

Page.prototype.connect = function () {
  const on = (id, type, action) => byID(id).addEventListener(type, action);
  on("first", "click", () => this.moveTo(0));
  on("back", "click", () => this.step(-1));
  on("forward", "click", () => this.step(1));
  on("last", "click", () => this.moveTo(this.model.count));
  on("play", "click", () => this.togglePlay());
  on("by-event", "click", () => this.setScale(false));
  on("by-time", "click", () => this.setScale(true));
  on("actor", "change", (event) => {
    this.filterBy({ actor: event.target.value === "" ? null : Number(event.target.value) });
  });
  on("entity", "change", (event) => {
    this.filterBy({ entity: event.target.value === "" ? null : Number(event.target.value) });
  });
  on("search", "input", () => {
    clearTimeout(this.searchTimer);
    this.searchTimer = setTimeout(() => {
      const words = byID("search").value.trim();
      if (!/^#\d*$/.test(words)) this.filterBy({ words });
    }, 200);
  });
  on("search", "keydown", (event) => {
    const number = /^#(\d+)$/.exec(byID("search").value.trim());
    if (event.key !== "Enter" || !number) return;
    this.moveTo(Number(number[1]) - this.model.first + 1);
    byID("search").value = this.filter.words;
  });
  on("number", "change", () => {
    this.moveTo(Number(byID("number").value) - this.model.first + 1);
    byID("number").blur();
  });
  on("clear", "click", () => this.clearFilter());
  on("theme", "click", () => { nextTheme(); this.redraw(); this.didChange(); });
  on("help", "click", () => byID("keys").showModal());
  on("keys-close", "click", () => byID("keys").close());
  for (const tab of TABS) on(`tab-${tab}`, "click", () => this.openTab(tab));
  this.connectPlot();
  document.addEventListener("keydown", (event) => this.press(event));
  window.addEventListener("hashchange", () => {
    if (location.hash !== this.address) this.follow();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  this.narrow.addEventListener("change", () => this.showPanel(true));
  new ResizeObserver(() => { if (this.axis) this.redraw(); }).observe(byID("plot"));
};

Page.prototype.connectPlot = function () {
  const plot = byID("plot"), hover = byID("hover");
  const x = (event) => event.clientX - plot.getBoundingClientRect().left;
  plot.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    plot.setPointerCapture(event.pointerId);
    this.moveTo(this.axis.cursor(x(event)));
    event.preventDefault();
    plot.focus({ preventScroll: true });
  });
  plot.addEventListener("pointermove", (event) => {
    const cursor = this.axis.cursor(x(event));
    if (plot.hasPointerCapture(event.pointerId)) this.moveTo(cursor);
    const index = cursor - 1;
    hover.textContent = index < 0 ? "before the first event"
      : `${grouped(this.model.sequence(index))} · ${shortTime(this.model.times[index])}`;
    const half = hover.offsetWidth / 2;
    const place = Math.min(plot.clientWidth - half, Math.max(half, x(event)));
    hover.style.transform = `translateX(${place - half}px)`;
    hover.classList.add("shown");
  });
  plot.addEventListener("pointerleave", () => hover.classList.remove("shown"));
};

const playSeconds = 20;

/** Moves through the whole history in some seconds, or one event after another if there are few. */
Page.prototype.togglePlay = function () {
  const button = byID("play");
  const stop = () => {
    cancelAnimationFrame(this.playing);
    this.playing = 0;
    button.setAttribute("aria-pressed", "false");
  };
  if (this.playing) return stop();
  if (this.cursor === this.model.count) this.moveTo(0);
  button.setAttribute("aria-pressed", "true");
  const rate = Math.max(3, this.model.count / playSeconds);
  let last = performance.now(), exact = this.cursor;
  const tick = (now) => {
    if (Math.abs(exact - this.cursor) > 1) exact = this.cursor;
    exact += rate * Math.min(100, now - last) / 1000;
    last = now;
    this.moveTo(Math.floor(exact));
    if (exact >= this.model.count) return stop();
    this.playing = requestAnimationFrame(tick);
  };
  this.playing = requestAnimationFrame(tick);
};

Page.prototype.press = function (event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byID("keys").open) return;
  const target = event.target;
  if (event.key === "Escape") return this.escape(target);
  if (target.closest("input, select, textarea")) return;
  if (target.closest("[role=tab]") && this.pressOnTab(event)) return;
  const far = event.shiftKey ? 100 : 1;
  const actions = {
    ArrowLeft: () => this.step(-far),
    ArrowRight: () => this.step(far),
    ArrowDown: () => this.step(far),
    ArrowUp: () => this.step(-far),
    PageDown: () => this.step(Math.ceil(this.model.count / 20)),
    PageUp: () => this.step(-Math.ceil(this.model.count / 20)),
    Home: () => this.moveTo(0),
    End: () => this.moveTo(this.model.count),
    j: () => this.stepInList(1),
    k: () => this.stepInList(-1),
    "/": () => this.focusFilter("search"),
    f: () => this.focusFilter("actor"),
    "?": () => byID("keys").showModal(),
    t: () => { nextTheme(); this.redraw(); this.didChange(); },
    s: () => this.setScale(!this.byTime),
  };
  if (!target.closest("button")) actions[" "] = () => this.togglePlay();
  if (target.closest("#records")) actions.Enter = () => this.openSelected();
  TABS.slice(1).forEach((tab, index) => { actions[index + 1] = () => this.openTab(tab); });
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
};

Page.prototype.stepInList = function (by) {
  if (document.activeElement !== byID("records")) return this.events.step(by);
  const { list, ids } = this.state;
  list.select(Math.min(ids.length - 1, Math.max(0, list.selected + by)));
};

Page.prototype.openSelected = function () {
  const { list, ids, entity } = this.state;
  if (list.selected >= 0 && list.selected < ids.length) this.openRecord(entity, ids[list.selected]);
};

Page.prototype.focusFilter = function (id) {
  if (this.narrow.matches) this.openTab("events");
  byID(id).focus();
};

Page.prototype.escape = function (target) {
  if (target.closest("input, select")) target.blur();
  else if (this.matches) this.clearFilter();
  else if (this.shownTab === "record") this.openTab("changes");
};

Page.prototype.pressOnTab = function (event) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by) return false;
  const tabs = TABS.filter((tab) => byID(`tab-${tab}`).offsetParent);
  const next = tabs[(tabs.indexOf(this.shownTab) + by + tabs.length) % tabs.length];
  this.openTab(next);
  byID(`tab-${next}`).focus();
  event.preventDefault();
  return true;
};

// MARK: Light and dark

const THEMES = ["", "light", "dark"];

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  const names = { "": "like the system", light: "light", dark: "dark" };
  byID("theme").title = `Colours: ${names[theme]} (t)`;
}

function nextTheme() {
  const now = THEMES.indexOf(document.documentElement.dataset.theme ?? "");
  setTheme(THEMES[(now + 1) % THEMES.length]);
}

// MARK: Loading

function pause() { return new Promise((resolve) => setTimeout(resolve)); }

async function load() {
  const blocks = Array.from(document.querySelectorAll("script.data"));
  const takeText = (block) => {
    const text = block.textContent;
    block.remove();
    return text;
  };
  const model = new Model(JSON.parse(takeText(blocks.shift())));
  let last = performance.now();
  for (const [number, block] of blocks.entries()) {
    model.add(JSON.parse(takeText(block)));
    if (performance.now() - last < 40) continue;
    byID("progress").value = (number + 1) / blocks.length;
    await pause();
    last = performance.now();
  }
  model.finish();
  const page = new Page(model);
  document.body.classList.remove("loading");
  page.follow();
  return page;
}

/** For the console: `skyros.stateAt(4711)` and `skyros.page`. */
const skyros = {
  ready: false,
  /** All records after an event: `[{entity, id, record}]`, each value as JSON text. */
  stateAt(sequence) {
    const { model, cursor } = skyros.page;
    model.moveTo(sequence - model.first + 1);
    const records = [];
    for (const [entity, table] of model.tables) {
      for (const id of model.sortedIDs(entity)) {
        const fields = [...model.fields(table.get(id))].map(([name, value]) => (
          [model.text(name), jsonOf(model.value(value))]));
        records.push({
          entity: model.text(entity), id: jsonOf(model.names.list[id]),
          record: Object.fromEntries(fields),
        });
      }
    }
    model.moveTo(cursor);
    return records;
  },
};
window.skyros = skyros;

setTheme("");
load().then((page) => {
  skyros.page = page;
  skyros.ready = true;
}).catch((error) => {
  byID("loading").textContent = `The report cannot be shown: ${error.message}`;
  throw error;
});
