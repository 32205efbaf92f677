// When the rows that are held are due: bars, from now on the clock to the last of them.

import { drawn, element } from "/elements.js";
import { count, length, moment, rows } from "/words.js";

const WIDTH = 600;
const HEIGHT = 130;
const BARS = 30;

export function dueTimes(state) {
  const bins = state.due;
  const known = bins.reduce((all, [, number]) => all + number, 0);
  if (!known) return element("p", { class: "hint" }, hintOf(state, 0));
  const bars = barsOf(bins);
  const most = Math.max(...bars.map(({ number }) => number));
  const wide = WIDTH / BARS;
  const shapes = bars.map(({ number, from, to }, place) => {
    const high = number ? Math.max(2, (number / most) * HEIGHT) : 0;
    const shape = drawn("rect", { x: place * wide + 1, y: HEIGHT - high, width: wide - 2, height: high, rx: 2 });
    shape.append(drawn("title", {}, `${rows(number)} due from ${moment(from)} to ${moment(to)}`));
    return shape;
  });
  const first = bins[0][0];
  const last = bins[bins.length - 1][0];
  const label = `About ${rows(known)} due from ${moment(first)} to ${moment(last)}, at most ${count(most)} within ${length(bars[0].to - bars[0].from)}.`;
  return element(
    "figure",
    { class: "due" },
    drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, ...shapes),
    element("div", { class: "ends" }, element("span", {}, moment(first)), element("span", {}, moment(last))),
    element("figcaption", {}, `${label} ${hintOf(state, known)}`),
  );
}

// Bars of one width; a bin counts where its middle is.
function barsOf(bins) {
  const first = bins[0][0];
  const step = Math.max(1, Math.ceil((bins[bins.length - 1][0] - first + 1) / BARS));
  const bars = Array.from({ length: BARS }, (_each, place) => ({ number: 0, from: first + place * step, to: first + (place + 1) * step }));
  for (const [due, number] of bins) bars[Math.floor((due - first) / step)].number += number;
  return bars;
}

function hintOf(state, known) {
  const waiting = state.rows_waiting;
  if (!waiting) return "No row waits for a due time of its own.";
  return waiting - known > waiting / 20
    ? `Of ${rows(waiting)} that wait; the others came while no page was served.`
    : "";
}
