// A list of any length, of which only the visible rows are elements.

/** Browsers limit an element's height; longer lists are scrolled in proportion. */
const listHeightMax = 8_000_000;
const overscanRows = 6;

class VirtualList {
  /**
   * @param box the element that scrolls; it is a listbox
   * @param rowHeight the height of a row in pixels
   * @param fill fills the element of a row: `fill(element, item, position)`
   * @param headHeight the height of what stays above the rows
   * @param choose is called with the position that was clicked, or chosen with a key
   */
  constructor(box, rowHeight, { fill, choose, label, headHeight = 0 }) {
    Object.assign(this, { box, rowHeight, fill, choose, headHeight });
    this.count = 0;
    this.selected = -1;
    this.rows = new Map();
    this.spare = [];
    this.item = (position) => position;
    box.setAttribute("role", "listbox");
    box.setAttribute("aria-label", label);
    box.tabIndex = 0;
    this.space = make("div", "space");
    this.layer = make("div", "layer");
    box.append(this.space, this.layer);
    box.addEventListener("scroll", () => this.draw(), { passive: true });
    box.addEventListener("click", (event) => {
      const row = event.target.closest("[data-position]");
      if (row && this.layer.contains(row)) this.choose(Number(row.dataset.position));
    });
    new ResizeObserver(() => this.draw()).observe(box);
  }

  /** Shows `count` items. */
  show(count, item) {
    this.count = count;
    this.item = item;
    const height = Math.min(listHeightMax, count * this.rowHeight);
    this.space.style.height = `${height}px`;
    this.draw(true);
  }

  /** Selects a position, -1 for none, and scrolls to it. */
  select(position, scrolls = true) {
    this.selected = position;
    if (scrolls && position >= 0) this.scrollTo(position);
    this.draw(true);
  }

  get viewHeight() { return this.box.clientHeight - this.headHeight; }
  get viewRows() { return this.viewHeight / this.rowHeight; }
  get scrollMax() { return this.space.offsetHeight - this.viewHeight; }

  /** The position at the top edge, with a fraction. */
  get top() {
    if (this.count * this.rowHeight <= listHeightMax) return this.box.scrollTop / this.rowHeight;
    const rest = this.count - this.viewRows;
    return this.scrollMax > 0 ? rest * this.box.scrollTop / this.scrollMax : 0;
  }

  set top(position) {
    if (this.count * this.rowHeight <= listHeightMax) {
      this.box.scrollTop = position * this.rowHeight;
    } else {
      this.box.scrollTop = this.scrollMax * position / (this.count - this.viewRows);
    }
  }

  scrollTo(position) {
    const rows = this.viewRows;
    if (rows < 1) return;
    const top = this.top;
    if (position < top) {
      this.top = position > top - rows ? position : Math.max(0, position - rows / 2);
    } else if (position > top + rows - 1) {
      const isNear = position < top + rows * 2;
      this.top = isNear ? position - rows + 1 : position - rows / 2;
    }
  }

  draw(refills = false) {
    const top = this.top;
    const from = Math.max(0, Math.floor(top) - overscanRows);
    const to = Math.min(this.count, Math.ceil(top + this.viewRows) + overscanRows);
    for (const [position, row] of this.rows) {
      if (position >= from && position < to) continue;
      this.rows.delete(position);
      this.spare.push(row);
    }
    const shift = this.box.scrollTop - top * this.rowHeight;
    for (let position = from; position < to; position++) {
      let row = this.rows.get(position);
      const isNew = !row;
      if (isNew) {
        row = this.spare.pop() ?? this.layer.appendChild(make("div", "row"));
        row.hidden = false;
        this.rows.set(position, row);
      }
      if (isNew || refills) this.fillRow(row, position);
      row.style.transform = `translateY(${position * this.rowHeight + shift}px)`;
    }
    for (const row of this.spare) row.hidden = true;
    const active = this.rows.get(this.selected);
    if (active) this.box.setAttribute("aria-activedescendant", active.id);
    else this.box.removeAttribute("aria-activedescendant");
  }

  fillRow(row, position) {
    row.className = "row";
    row.id = `${this.box.id}-${position}`;
    row.dataset.position = position;
    row.setAttribute("role", "option");
    row.setAttribute("aria-setsize", this.count);
    row.setAttribute("aria-posinset", position + 1);
    row.setAttribute("aria-selected", position === this.selected);
    this.fill(row, this.item(position), position);
  }
}
