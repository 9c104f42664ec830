// Values as text, and as elements. Nothing of the data becomes markup: elements get texts only.

/** A value's text: a text without quotes, anything else as JSON. */
function textOf(raw) {
  if (typeof raw === "string") return raw;
  return Array.isArray(raw) ? raw[0] : String(raw);
}

/** A value as JSON, exactly as it was written. */
function jsonOf(raw) {
  if (Array.isArray(raw)) return raw[0];
  return typeof raw === "string" ? JSON.stringify(raw) : String(raw);
}

/** Control characters and invisible marks as escapes, so that a text cannot deceive its reader. */
function showingControls(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u00ad\p{Cf}\u2028\u2029\p{Cs}]/gu, (mark) => {
    const short = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[mark];
    return short ?? `\\u{${mark.codePointAt(0).toString(16).toUpperCase()}}`;
  });
}

const inlineMax = 60;

/** Whether a value is an array or a map that needs more than a line. */
function isNested(raw) {
  return Array.isArray(raw) && /^[[{]/.test(raw[0]) && raw[0].length > inlineMax;
}

/** JSON text with a line for each member. Numbers keep their digits. */
function prettyJSON(json) {
  let text = "", depth = 0, at = 0;
  const line = () => { text += "\n" + "  ".repeat(depth); };
  while (at < json.length) {
    const mark = json[at];
    if (mark === '"') {
      const end = endOfString(json, at);
      text += json.slice(at, end);
      at = end;
      continue;
    }
    const next = json[at + 1];
    if (mark === "{" || mark === "[") {
      text += mark;
      if (next === "}" || next === "]") { text += next; at += 1; } else { depth += 1; line(); }
    } else if (mark === "}" || mark === "]") {
      depth -= 1;
      line();
      text += mark;
    } else if (mark === ",") {
      text += ",";
      line();
    } else {
      text += mark === ":" ? ": " : mark;
    }
    at += 1;
  }
  return text;
}

/** The members of the text of a JSON object: names, and values as JSON. */
function membersOf(json) {
  const members = [];
  let at = 1;
  while (json[at] === '"') {
    const nameEnd = endOfString(json, at);
    const name = JSON.parse(json.slice(at, nameEnd));
    const start = nameEnd + 1;
    let depth = 0;
    for (at = start; depth > 0 || !",}".includes(json[at]); at++) {
      if (json[at] === '"') at = endOfString(json, at) - 1;
      else if ("[{".includes(json[at])) depth += 1;
      else if ("]}".includes(json[at])) depth -= 1;
    }
    members.push([name, json.slice(start, at)]);
    at += 1;
  }
  return members;
}

function endOfString(json, start) {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}

// MARK: Elements

/** An element with a class, and texts and elements in it. */
function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const child of children) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

function makeButton(className, label, action) {
  const button = make("button", className, label);
  button.type = "button";
  button.addEventListener("click", action);
  return button;
}

const groupedFormat = new Intl.NumberFormat("en-US");
function grouped(number) { return groupedFormat.format(number); }

/** ISO 8601 in UTC, from microseconds since 1970. */
function isoTime(microseconds) {
  const date = new Date(Math.floor(microseconds / 1000));
  if (Number.isNaN(date.getTime())) return `${microseconds} µs`;
  const rest = ((microseconds % 1_000_000) + 1_000_000) % 1_000_000;
  return `${date.toISOString().slice(0, -5)}.${String(rest).padStart(6, "0")}Z`;
}

/** A time without its fraction, as `2026-03-01 12:00:00Z`. */
function shortTime(microseconds) {
  return isoTime(microseconds).replace(/\.\d+Z$/, "Z").replace("T", " ");
}

const localFormat = new Intl.DateTimeFormat(undefined, {
  dateStyle: "full", timeStyle: "long",
});
function localTime(microseconds) {
  const date = new Date(Math.floor(microseconds / 1000));
  return Number.isNaN(date.getTime()) ? "" : `${localFormat.format(date)} (your time)`;
}

/** A time, with the reader's local time as its tooltip. */
function timeElement(microseconds, text = isoTime(microseconds)) {
  const element = make("time", "time-text", text);
  element.dateTime = isoTime(microseconds);
  element.title = localTime(microseconds);
  return element;
}

/** An actor with a dot; each of the first actors has a colour unlike the one before it. */
function actorElement(model, place) {
  if (place < 0) return make("span", "actor none", "no actor");
  const dot = make("i", "dot");
  dot.style.setProperty("--hue", (model.actorRanks.get(place) * 137.5 + 225) % 360);
  return make("span", "actor", dot, showingControls(model.text(place)));
}

/** The type of a value, which decides its colour. */
function typeOf(raw) {
  if (raw === undefined) return "absent";
  if (raw === null) return "null";
  return Array.isArray(raw) ? (/^-?\d/.test(raw[0]) ? "number" : "nested") : typeof raw;
}

/** A value in a colour of its type. */
function valueElement(raw, className = "") {
  if (raw === undefined) return make("span", `value absent ${className}`, "–");
  if (isNested(raw)) return make("pre", `value nested ${className}`, prettyJSON(raw[0]));
  return make("span", `value ${typeOf(raw)} ${className}`, showingControls(textOf(raw)) || "“”");
}

// MARK: Differences

/** The rows of a change: each field with its value before and after. */
function diffElement(fields) {
  const list = make("dl", "diff");
  for (const { name, before, after } of fields) {
    const cell = make("dd", "");
    if (before !== undefined && after !== undefined) {
      cell.append(...changedElements(before, after));
    } else if (after !== undefined) {
      cell.append(valueElement(after, "added"));
    } else {
      cell.append(valueElement(before, "removed"));
    }
    list.append(make("dt", "", showingControls(name)), cell);
  }
  return list;
}

function changedElements(before, after) {
  const isLong = isNested(before) || isNested(after);
  if (isLong && typeOf(before) === "nested" && typeOf(after) === "nested") return [lineDiff(before[0], after[0])];
  const old = valueElement(before, "removed");
  const now = valueElement(after, "added");
  const types = [typeOf(before), typeOf(after)];
  if (types[0] === types[1] && (types[0] === "string" || types[0] === "nested")) {
    markDifference(old, now, textOf(before), textOf(after));
  }
  return [old, make("span", "arrow", "→"), now];
}

const markedMin = 10;

/** Marks what differs between two longer texts that have a beginning or an end in common. */
function markDifference(old, now, before, after) {
  const a = Array.from(before), b = Array.from(after);
  const limit = Math.min(a.length, b.length);
  if (limit < markedMin) return;
  let start = 0, end = 0;
  while (start < limit && a[start] === b[start]) start += 1;
  while (end < limit - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  if (start + end < 3) return;
  for (const [element, marks] of [[old, a], [now, b]]) {
    const middle = marks.slice(start, marks.length - end).join("");
    element.replaceChildren(
      showingControls(marks.slice(0, start).join("")),
      ...(middle ? [make("mark", "", showingControls(middle))] : []),
      showingControls(marks.slice(marks.length - end).join("")));
  }
}

const diffLinesMax = 400;

/** Two JSON texts by lines: those in both, those removed and those added. */
function lineDiff(before, after) {
  const a = prettyJSON(before).split("\n"), b = prettyJSON(after).split("\n");
  const element = make("pre", "value nested lines");
  const add = (sign, kind, text) => element.append(make("span", kind, `${sign} ${text}\n`));
  if (a.length > diffLinesMax || b.length > diffLinesMax) {
    for (const text of a) add("−", "removed", text);
    for (const text of b) add("+", "added", text);
    return element;
  }
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j]
        ? common[(i + 1) * width + j + 1] + 1
        : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add(" ", "same", a[i]);
      i += 1;
      j += 1;
    } else if (j === b.length
      || (i < a.length && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      add("−", "removed", a[i++]);
    } else {
      add("+", "added", b[j++]);
    }
  }
  return element;
}
