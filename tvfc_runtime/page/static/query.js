// The section of one streaming query.

import { element, mark, say } from "/elements.js";
import { dueTimes } from "/due.js";
import { Plan } from "/plan.js";
import { columns, rateOf } from "/rates.js";
import { examples, heldTable, sourceTable } from "/tables.js";
import { Timeline } from "/timeline.js";
import { bytes, count, length, moment, rate } from "/words.js";

const TILES = ["clock", "read", "held", "written", "late", "bad"];
const MOST = 1000;

export class QuerySection {
  constructor(query, withRows) {
    this.query = query;
    this.withRows = withRows;
    this.state = element("span", { class: "chip" });
    this.batch = element("p", { class: "batch" });
    this.tiles = Object.fromEntries(TILES.map((name) => [name, tile(name)]));
    this.why = element("ul", { class: "why", "aria-live": "polite" });
    this.plan = new Plan(query);
    this.timeline = new Timeline(query);
    this.sources = element("div");
    this.held = element("div");
    this.due = element("div");
    this.examples = element("div");
    const title = element("h2", {}, query.sinks.join(" + ") || query.name, " ", this.state);
    this.root = element(
      "section",
      { class: "query", "aria-label": query.name },
      title,
      this.batch,
      element("dl", { class: "tiles" }, ...Object.values(this.tiles).map(({ root }) => root)),
      this.why,
      panel("Plan", this.plan.root, "wide"),
      panel("Clock", this.timeline.root),
      panel("Sources", this.sources),
      panel("Held", this.held),
      panel("Due", this.due),
      panel("Late and bad rows", this.examples),
    );
  }

  // Takes what is new; `show` draws it.
  take({ state, point }) {
    this.query.state = state;
    const last = this.query.history[this.query.history.length - 1];
    if (point && (!last || last[0] !== point[0])) this.query.history.push(point);
    this.query.history = thinned(this.query.history);
    this.changed = true;
  }

  // Ages and rates change with the time, all else with news.
  show(now) {
    const { state } = this.query;
    say(this.state, state.runs ? "running" : "ended");
    mark(this.state, "ended", !state.runs);
    say(this.batch, batchText(state, now));
    this.showTiles(now);
    this.plan.show(now);
    this.timeline.show(now);
    this.sources.replaceChildren(sourceTable(state, now));
    if (this.changed === false) return;
    this.changed = false;
    this.showWhy(state.why);
    this.held.replaceChildren(heldTable(this.query));
    this.due.replaceChildren(dueTimes(state));
    this.examples.replaceChildren(examples(state, this.withRows));
  }

  showWhy(sentences) {
    const known = [...this.why.children].map((each) => each.textContent);
    if (known.join("\n") === sentences.join("\n")) return;
    this.why.replaceChildren(...sentences.map((each) => element("li", {}, each)));
  }

  showTiles(now) {
    const { state, history } = this.query;
    const column = columns(this.query);
    const total = (places, at) => sum(places.map((_each, place) => rateOf(history, at(place), now)));
    const behind = state.clock_ms === null ? "" : now - state.clock_ms;
    const late = sum(state.sources.map((each) => each.late));
    const bad = sum(state.sources.map((each) => each.bad));
    const files = state.state_bytes ? `${bytes(state.state_bytes)} in files` : "";
    const all = {
      clock: state.on_wall_clock
        ? [moment(now).slice(0, 19), "the wall clock"]
        : [moment(state.clock_ms), behind === "" ? "" : behind < 0 ? `${length(-behind)} ahead` : `${length(behind)} behind the wall clock`],
      read: [count(state.rows_in), rate(total(state.sources, column.rows))],
      held: [count(state.rows_held), files],
      written: [count(state.rows_out), rate(total(this.query.sinks, column.out))],
      late: [count(late), share(late, state.rows_in)],
      bad: [count(bad), state.never_due ? `${count(state.never_due)} never due` : ""],
    };
    for (const [name, [value, more]] of Object.entries(all)) {
      say(this.tiles[name].value, value);
      say(this.tiles[name].more, more);
    }
    mark(this.tiles.late.root, "lost", late);
    mark(this.tiles.bad.root, "lost", bad || state.never_due);
  }
}

// As the job does, a page that is open for days keeps fewer points of the older half.
function thinned(points) {
  if (points.length <= MOST) return points;
  const half = points.length >> 1;
  return points.filter((_point, place) => place >= half || place % 2 === 0);
}

function tile(name) {
  const value = element("dd", { class: "value", "data-tile": name });
  const more = element("dd", { class: "more" });
  return { value, more, root: element("div", { class: `tile ${name}` }, element("dt", {}, name), value, more) };
}

function panel(title, content, kind = "") {
  return element("section", { class: `panel ${kind}` }, element("h3", {}, title), content);
}

function sum(numbers) {
  return numbers.some((each) => each === null) ? null : numbers.reduce((all, each) => all + each, 0);
}

function share(part, whole) {
  return part && whole ? `${((100 * part) / whole).toFixed(1)} % of all` : "";
}

function batchText(state, now) {
  if (state.batch < 0) return "No batch has ended yet.";
  const began = state.began_ms === null ? "" : ` began ${length(now - state.began_ms)} ago`;
  const took = state.took_ms === null ? "" : `, took ${length(state.took_ms)}`;
  const phases = Object.entries(state.phases_ms)
    .filter(([, ms]) => ms >= 50)
    .sort(([, one], [, other]) => other - one)
    .slice(0, 3)
    .map(([name, ms]) => `${name} ${length(ms)}`);
  return `Batch ${count(state.batch)}${began}${took}${phases.length ? ` (${phases.join(", ")})` : ""}.`;
}
