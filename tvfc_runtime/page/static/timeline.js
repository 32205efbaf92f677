// The clock of a query and the watermarks of its sources against the wall clock, as lines.

import { element, say } from "/elements.js";
import { columns } from "/rates.js";
import { clock, length, moment } from "/words.js";

const HEIGHT = 230;
const COLOURS = 6;
const STEPS_S = [
  ...[0.001, 0.01, 0.1, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800],
  ...[21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000, 31_536_000, 315_360_000],
];

export class Timeline {
  constructor(query) {
    this.query = query;
    this.chart = element("div", { class: "chart", role: "img" });
    this.legend = element("ul", { class: "legend" });
    this.caption = element("figcaption");
    this.root = element("figure", {}, this.chart, this.legend, this.caption);
    this.timed = query.state.sources
      .map((source, place) => ({ name: source.name, place }))
      .filter(({ place }) => query.state.sources[place].has_watermark);
    this.values = this.legendOf();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.restart());
    new ResizeObserver(() => this.resize()).observe(this.chart);
  }

  legendOf() {
    const names = ["clock", ...this.timed.map(({ name }) => name), "wall clock"];
    return names.map((name, place) => {
      const value = element("span", { class: "value" });
      const kind = place === 0 ? "clock" : place === names.length - 1 ? "wall" : colourOf(place);
      const swatch = element("span", { class: `swatch ${kind}` });
      this.legend.append(element("li", {}, swatch, element("span", {}, name), value));
      return value;
    });
  }

  show(now) {
    this.now = now;
    const { state, history } = this.query;
    const data = this.data(now);
    const reach = this.reach(data);
    if (!reach) data[data.length - 1].fill(null);
    this.last = data;
    if (!this.plot) this.restart();
    else this.plot.setData(data);
    const values = [
      state.on_wall_clock ? Math.floor(now / 1000) * 1000 : state.clock_ms,
      ...this.timed.map(({ place }) => state.sources[place].watermark_ms),
      Math.floor(now / 1000) * 1000,
    ];
    values.forEach((value, place) => say(this.values[place], clock(value, now)));
    const text = captionOf(state, now, history.length, reach);
    say(this.caption, text);
    this.chart.setAttribute("aria-label", `Clock and watermarks over time. ${text}`);
  }

  // Columns for the chart, in seconds; the last point is now, where all is as it was.
  data(now) {
    const { history } = this.query;
    const column = columns(this.query);
    const wanted = [column.clock, ...this.timed.map(({ place }) => column.watermark(place))];
    const seconds = (value) => (value === null ? null : value / 1000);
    const points = history.length ? [...history, [now, ...history[history.length - 1].slice(1)]] : [];
    const times = points.map((point) => point[0] / 1000);
    return [times, ...wanted.map((at) => points.map((point) => seconds(point[at]))), [...times]];
  }

  // Whether the wall clock is so near that the lines can be seen beside it.
  reach(data) {
    const [times, ...lines] = data;
    const known = lines.slice(0, -1).flat().filter((value) => value !== null);
    if (!known.length) return true;
    const low = Math.min(...known);
    const high = Math.max(...known);
    return Math.abs(times[times.length - 1] - high) < 4 * Math.max(high - low, 600);
  }

  restart() {
    if (!this.last) return;
    this.plot?.destroy();
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const stepped = globalThis.uPlot.paths.stepped({ align: 1 });
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { show: false } };
    const line = (label, stroke, width, more = {}) => ({ label, stroke, width, points: { show: false }, paths: stepped, ...more });
    this.plot = new globalThis.uPlot(
      {
        width: this.chart.clientWidth || 600,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, points: { show: false } },
        tzDate: (seconds) => globalThis.uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
        scales: { y: { auto: true } },
        series: [
          {},
          line("clock", colour("--clock"), 3),
          ...this.timed.map(({ name }, place) => line(name, colour(`--${colourOf(place + 1)}`), 1.5)),
          line("wall clock", colour("--quiet"), 1, { dash: [4, 4], paths: globalThis.uPlot.paths.linear() }),
        ],
        axes: [
          { ...axis, values: HOURS },
          { ...axis, size: 76, incrs: STEPS_S, values: (_plot, splits) => splits.map((each) => short(each, splits)) },
        ],
      },
      this.last,
      this.chart,
    );
  }

  resize() {
    const width = this.chart.clientWidth;
    if (this.plot && width && width !== this.plot.width) this.plot.setSize({ width, height: HEIGHT });
  }
}

const HOURS = [
  [86_400, "{YYYY}-{MM}-{DD}", null, null, null, null, null, null, 1],
  [3600, "{HH}:{mm}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}", null, null, null, 1],
  [60, "{HH}:{mm}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}", null, null, null, 1],
  [1, "{HH}:{mm}:{ss}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}", null, null, null, 1],
  [0.001, "{ss}.{fff}", "\n{HH}:{mm}", null, null, null, null, null, 1],
];

function colourOf(place) {
  return `s${(place - 1) % COLOURS}`;
}

// A moment as a label of the axis: the day if there are several, else the time.
function short(seconds, splits) {
  const whole = moment(Math.round(seconds * 1000));
  const step = splits.length > 1 ? splits[1] - splits[0] : 1;
  if (step >= 86_400) return whole.slice(0, 10);
  const days = new Set(splits.map((each) => moment(Math.round(each * 1000)).slice(0, 10)));
  return step >= 60 ? whole.slice(days.size > 1 ? 5 : 11, 16) : whole.slice(11, step < 1 ? 23 : 19);
}

function captionOf(state, now, points, reach) {
  if (!points) return "No batch has ended yet.";
  if (state.on_wall_clock) return "The clock of this query is the wall clock.";
  if (state.clock_ms === null) return "The clock has no value yet.";
  const behind = now - state.clock_ms;
  const where = behind >= 0 ? `${length(behind)} behind` : `${length(-behind)} ahead of`;
  const far = reach ? "" : ", too far to be drawn";
  return `The clock stands at ${moment(state.clock_ms)}, ${where} the wall clock${far}.`;
}
