// The timeline and the growth, drawn on canvas.

/** The value of a colour of the style sheet. */
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Sizes a canvas for the screen; returns its context and size in CSS pixels. */
function prepareCanvas(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/** Where events are on an axis of a width: by their numbers, or by their times. */
class Axis {
  constructor(model, width, byTime) {
    const start = model.count ? model.times[0] : 0;
    const span = model.count ? model.times[model.count - 1] - start : 0;
    Object.assign(this, { model, width, start, span, byTime: byTime && span > 0 });
  }

  /** The place of the state after `cursor` events. */
  x(cursor) {
    const { model, width } = this;
    if (!model.count) return 0;
    if (!this.byTime) return width * cursor / model.count;
    if (cursor === 0) return 0;
    return width * (model.times[cursor - 1] - this.start) / this.span;
  }

  /** The cursor at a place. */
  cursor(x) {
    const { model, width } = this;
    const share = Math.min(1, Math.max(0, x / width));
    if (!this.byTime) return Math.round(share * model.count);
    return x <= 0 ? 0 : model.indexAt(this.start + share * this.span) + 1;
  }

  /** Up to `count` labels: `{x, text}`. */
  labels(count) {
    const { model, width } = this;
    if (!model.count) return [];
    if (!this.byTime) {
      const step = roundStep(model.count / count);
      const labels = [];
      const start = Math.ceil(model.first / step) * step;
      for (let number = start; number < model.first + model.count; number += step) {
        labels.push({ x: width * (number - model.first + 1) / model.count, text: grouped(number) });
      }
      return labels;
    }
    const labels = [];
    for (let index = 0; index < count; index++) {
      const share = (index + 0.5) / count;
      const text = axisTime(this.start + share * this.span, this.span);
      labels.push({ x: share * width, text });
    }
    return labels;
  }
}

/** A round number that is not below `value`: 1, 2 or 5 and zeros. */
function roundStep(value) {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 5, 10].map((factor) => factor * unit).find((step) => step >= value);
}

/** A time as exact as an axis of a span needs it. */
function axisTime(time, span) {
  const text = isoTime(time);
  const day = 86_400e6;
  if (span > 3 * day) return text.slice(0, 10);
  if (span > 3_600e6) return `${text.slice(5, 10)} ${text.slice(11, 16)}`;
  return span > 10e6 ? text.slice(11, 19) : text.slice(11, 23);
}

/**
 * Draws events as bars, inserted, updated and deleted records on each other. With a filter, these
 * are the events that match, before all events in grey, each with a scale that fits. The line after
 * them is the number of records.
 *
 * @param matches the indexes of the events that match; null if all do
 */
function drawTimeline(canvas, model, byTime, matches) {
  const { context, width, height } = prepareCanvas(canvas);
  const axis = new Axis(model, width, byTime);
  const bottom = height - 18;
  drawLabels(context, axis, height, bottom);
  if (!model.count || width < 1) return axis;
  const barWidth = model.count < width / 5 ? Math.min(14, width / model.count * 0.7) : 3;
  const columns = Math.max(1, Math.floor(width / (barWidth + 1)));
  const bars = Array.from({ length: columns }, () => [0, 0, 0, 0]);
  const place = (index) => {
    const x = axis.byTime ? axis.x(index + 1) : width * (index + 0.5) / model.count;
    return Math.min(columns - 1, Math.floor(x / width * columns));
  };
  let next = 0;
  for (let index = 0; index < model.count; index++) {
    const bar = bars[place(index)];
    const end = model.starts[index + 1];
    bar[3] += end - model.starts[index];
    if (matches && matches[next] !== index) continue;
    next += 1;
    for (let change = model.starts[index]; change < end; change++) {
      bar[Math.min(DELETED, model.kinds.items[change])] += 1;
    }
  }
  drawTotals(context, axis, bottom);
  const draw = (sizes, kinds) => {
    const most = sizes.reduce((a, b) => Math.max(a, b), 1);
    const mean = sizes.reduce((a, b) => a + b, 0) / columns;
    // The square root keeps a usual number visible beside a single large one.
    const isSkewed = most > mean * 10;
    sizes.forEach((size, column) => {
      if (!size) return;
      const share = isSkewed ? Math.sqrt(size / most) : size / most;
      const full = Math.max(2, (bottom - 10) * 0.72 * share);
      const x = column * width / columns, columnWidth = Math.max(1, width / columns - 1);
      let y = bottom;
      for (const [kind, name] of kinds) {
        const part = full * bars[column][kind] / size;
        context.fillStyle = name;
        context.fillRect(x, y - part, columnWidth, part);
        y -= part;
      }
    });
  };
  const [added, changed, removed, faint] = ["added", "changed", "removed", "faint"].map(colour);
  context.globalAlpha = 0.6;
  if (matches) draw(bars.map((bar) => bar[3]), [[3, faint]]);
  context.globalAlpha = 0.8;
  draw(bars.map((bar) => bar[0] + bar[1] + bar[2]), [[0, added], [1, changed], [2, removed]]);
  context.globalAlpha = 1;
  return axis;
}

function drawLabels(context, axis, height, bottom) {
  const { width } = axis;
  context.fillStyle = colour("muted");
  context.font = `11px ${colour("mono")}`;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  for (const { x, text } of axis.labels(Math.max(2, Math.floor(width / 130)))) {
    const half = context.measureText(text).width / 2;
    if (x > half && x < width - half) context.fillText(text, x, height - 4);
  }
  context.fillStyle = colour("line");
  context.fillRect(0, bottom, width, 1);
}

/** The number of records, as a line with an area. */
function drawTotals(context, axis, bottom) {
  const { model, width } = axis;
  const most = model.totals.reduce((a, b) => Math.max(a, b), 1);
  context.strokeStyle = colour("accent");
  context.lineWidth = 1.5;
  context.beginPath();
  const y = (count) => bottom - 1 - (bottom - 6) * count / most;
  context.moveTo(0, y(model.totals[0]));
  const step = Math.max(1, Math.floor(model.count / (width * 2)));
  let last = model.totals[0];
  for (let cursor = step; ; cursor += step) {
    const end = Math.min(cursor, model.count);
    context.lineTo(axis.x(end), y(last));
    last = model.totals[end];
    context.lineTo(axis.x(end), y(last));
    if (end === model.count) break;
  }
  context.stroke();
  context.lineTo(axis.x(model.count), bottom);
  context.lineTo(0, bottom);
  context.globalAlpha = 0.1;
  context.fillStyle = colour("accent");
  context.fill();
  context.globalAlpha = 1;
}

/** Draws the number of records of each entity; `entities` have a name, a place and a colour. */
function drawGrowth(canvas, model, entities, byTime) {
  const { context, width, height } = prepareCanvas(canvas);
  const left = 56, bottom = height - 18;
  const axis = new Axis(model, width - left - 4, byTime);
  let most = 1;
  for (const { counts } of model.samples) {
    for (const { place } of entities) most = Math.max(most, counts.get(place) ?? 0);
  }
  const step = roundStep(most / 4);
  const top = Math.max(step, Math.ceil(most / step) * step);
  const y = (count) => bottom - (bottom - 10) * count / top;
  context.font = `11px ${colour("mono")}`;
  context.textAlign = "right";
  for (let count = 0; count <= top; count += step) {
    context.fillStyle = colour("line");
    context.fillRect(left, Math.round(y(count)), width - left, 1);
    context.fillStyle = colour("muted");
    context.fillText(grouped(count), left - 8, y(count) + 4);
  }
  context.translate(left, 0);
  context.textAlign = "center";
  context.fillStyle = colour("muted");
  for (const { x, text } of axis.labels(Math.max(2, Math.floor(width / 150)))) {
    const half = context.measureText(text).width / 2;
    if (x > half && x < axis.width - half) context.fillText(text, x, height - 3);
  }
  context.lineWidth = 2;
  context.lineJoin = "round";
  for (const { place, stroke } of entities) {
    context.strokeStyle = stroke;
    context.beginPath();
    let last = null;
    for (const { index, counts } of model.samples) {
      const x = axis.x(index), now = y(counts.get(place) ?? 0);
      if (last === null) context.moveTo(x, now); else context.lineTo(x, last);
      context.lineTo(x, now);
      last = now;
    }
    context.stroke();
  }
  return { axis, left };
}
