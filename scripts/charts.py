"""Draws what `scripts/benchmark --json` has written; see scripts/charts."""

import json
import re
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

# The same input gives the same file.
matplotlib.rcParams.update({"svg.hashsalt": "skyros", "svg.fonttype": "none", "font.size": 8})
COLORS = {
    "skyros": "#c23b22", "sqlite": "#3b76af", "sqlite-exclusive": "#8fb8dc",
    "sqlite-audit": "#ef8536", "sqlite-audit-exclusive": "#f6bd8f", "floor": "#9a9a9a",
}
# Longer bars are cut; their label has the whole number.
RATIO_MAX = 1000
ROWS = re.compile(r"(\d+) (k|M) rows(?:, )?(.*)")


def number(value):
    return f"{value:.3g}" if value < 100 else f"{value:,.0f}"


def ratios(figures):
    """A bar for each peer: to the right of 1, Skyros is better."""
    labels, values, colors = [], [], []
    last = None
    for figure in figures:
        label = f"{figure['workload']} {figure['variant'] or figure['unit']}"
        for side in COLORS:
            ratio = figure["sides"].get(side, {}).get("ratio")
            if ratio is None:
                continue
            labels.append("" if label == last else label)
            last = label
            values.append(ratio)
            colors.append(COLORS[side])
    chart, axes = plt.subplots(figsize=(10, 1 + 0.17 * len(values)))
    cut = [min(max(value, 1 / RATIO_MAX), RATIO_MAX) for value in values]
    axes.barh(range(len(cut)), [value - 1 for value in cut], left=1, color=colors)
    for index, (value, end) in enumerate(zip(values, cut)):
        text = number(value) if value >= 0.1 else "1/" + number(1 / value)
        axes.annotate(
            text, (end, index), xytext=(3 if end >= 1 else -3, 0), textcoords="offset points",
            ha="left" if end >= 1 else "right", va="center", fontsize=7)
    axes.set_xscale("log")
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.axvline(1, color="#222222", linewidth=1)
    axes.grid(axis="x", color="#dddddd")
    axes.set_axisbelow(True)
    axes.xaxis.tick_top()
    axes.margins(x=0.1)
    axes.set_title("Skyros beside its peers: to the right of 1, Skyros is better", loc="left")
    handles = [plt.Rectangle((0, 0), 1, 1, color=COLORS[p]) for p in list(COLORS)[1:]]
    axes.legend(handles, list(COLORS)[1:], loc="lower left")
    return chart


def cost(value, unit, rows):
    """What one piece of work costs: the time of one, or a row's share; None if it is no cost."""
    if unit.endswith("/s"):
        return 1e6 / value, "µs for one"
    return {"ms": (value * 1e3 / rows, "µs a row"), "bytes/row": (value, "bytes a row")}.get(unit)


def growth(figures):
    """A panel for each workload: a level line says that the cost does not depend on the rows."""
    panels = {}
    for figure in figures:
        found = ROWS.fullmatch(figure["variant"])
        if not found:
            continue
        rows = int(found[1]) * {"k": 1_000, "M": 1_000_000}[found[2]]
        title = f"{figure['workload']} {found[3]}"
        for side, reached in figure["sides"].items():
            if point := cost(reached["median"], figure["unit"], rows):
                lines = panels.setdefault((title, point[1]), {})
                lines.setdefault(side, {})[rows] = point[0]
    chart, grid = plt.subplots(
        -(-len(panels) // 3), 3, figsize=(10, 2.2 * -(-len(panels) // 3)), squeeze=False)
    for axes in list(grid.flat)[len(panels):]:
        axes.axis("off")
    for axes, ((title, unit), lines) in zip(grid.flat, panels.items()):
        for side, points in lines.items():
            axes.plot(
                points.keys(), points.values(), "o-", color=COLORS[side], label=side, markersize=3)
        axes.set_xscale("log")
        axes.set_yscale("log")
        least = min(value for points in lines.values() for value in points.values())
        most = max(value for points in lines.values() for value in points.values())
        axes.set_ylim(least / 1.2, max(most, 10 * least) * 1.2)
        axes.set_title(f"{title}, {unit}", loc="left", fontsize=8)
        axes.grid(color="#dddddd")
    shown = {side for figure in figures for side in figure["sides"]}
    handles = [
        plt.Line2D([], [], color=color, label=side)
        for side, color in COLORS.items() if side in shown]
    chart.legend(handles=handles, loc="upper right", ncols=4)
    chart.suptitle("The cost of one, by the number of rows", x=0.02, ha="left")
    return chart


def main():
    words = sys.argv[1:]
    draw = growth if words[:1] == ["--growth"] else ratios
    if draw is growth:
        words = words[1:]
    if len(words) != 2:
        sys.exit("usage: scripts/charts [--growth] FIGURES.json CHART.svg")
    with open(words[0]) as file:
        chart = draw(json.load(file))
    chart.tight_layout()
    chart.savefig(words[1], metadata={"Date": None})


main()
