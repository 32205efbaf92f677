// The plan of a query as a graph: sources, operators, sinks, and what each of them does just now.

import { Graph, layout } from "/vendor/dagre.js";
import { drawn, element, mark, say } from "/elements.js";
import { columns, rateOf } from "/rates.js";
import { clock, count, cut, rate, rows } from "/words.js";

const WIDTH = 216;
const HEIGHT = 86;
const BASELINES = [22, 39, 58, 75];
const NARROW = 700;
const TELLING = ["due", "on", "conditions", "key", "order", "totals", "functions", "size", "pattern", "query"];

export class Plan {
  constructor(query) {
    this.query = query;
    this.nodes = new Map();
    this.drawing = drawn("svg", { class: "plan", role: "group", "aria-label": "plan of the query" });
    this.details = element("dl", { class: "facts", "aria-live": "polite" });
    this.hint = element("p", { class: "hint" }, "Select a node to see what it does.");
    const pane = element("div", { class: "scroll" }, this.drawing);
    this.root = element("div", {}, pane, this.hint, this.details);
    this.direction = "";
    this.draw();
    new ResizeObserver(() => this.draw()).observe(this.root);
  }

  // Lays the graph out: from left to right, in a narrow window from top to bottom.
  draw() {
    const direction = this.root.clientWidth && this.root.clientWidth < NARROW ? "TB" : "LR";
    if (direction === this.direction) return;
    this.direction = direction;
    const graph = new Graph();
    graph.setGraph({ rankdir: direction, nodesep: 22, ranksep: 44, marginx: 6, marginy: 6 });
    graph.setDefaultEdgeLabel(() => ({}));
    const { nodes, edges } = this.query.graph;
    for (const each of nodes) graph.setNode(String(each.place), { width: WIDTH, height: HEIGHT });
    for (const [from, to] of edges) graph.setEdge(String(from), String(to));
    layout(graph);
    const { width = 0, height = 0 } = graph.graph();
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.drawing.setAttribute("width", width);
    this.drawing.setAttribute("height", height);
    this.drawing.replaceChildren(arrow());
    for (const each of graph.edges()) this.drawing.append(line(graph.edge(each).points));
    for (const each of nodes) this.drawing.append(this.box(each, graph.node(String(each.place))));
    if (this.now) this.show(this.now);
  }

  box(node, { x, y }) {
    const texts = BASELINES.map((at, place) => drawn("text", { class: `line${place}`, x: 12, y: at }));
    const whole = drawn("title");
    const found = drawn(
      "svg",
      { class: `node ${node.role}`, x: x - WIDTH / 2, y: y - HEIGHT / 2, width: WIDTH, height: HEIGHT },
      drawn("rect", { x: 1, y: 1, width: WIDTH - 2, height: HEIGHT - 2, rx: 9 }),
      whole,
      ...texts,
    );
    found.setAttribute("tabindex", "0");
    found.setAttribute("role", "button");
    found.addEventListener("click", () => this.select(node));
    found.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.select(node);
    });
    this.nodes.set(node.place, { found, texts, whole });
    return found;
  }

  select(node) {
    for (const [place, { found }] of this.nodes) mark(found, "selected", place === node.place);
    this.hint.hidden = true;
    const facts = [["is", `${node.title}: ${node.kind}`], ...node.lines];
    this.details.replaceChildren(
      ...facts.map(([name, text]) =>
        element("div", {}, element("dt", {}, name), element("dd", {}, text)),
      ),
    );
  }

  show(now) {
    this.now = now;
    const { graph, state, history } = this.query;
    const held = new Map();
    for (const each of state.held) {
      if (each.node !== null) held.set(each.node, (held.get(each.node) ?? 0) + each.rows);
    }
    for (const node of graph.nodes) {
      const { found, texts, whole } = this.nodes.get(node.place);
      const told = this.told(node, held.get(node.place), now, history);
      [cut(node.title, 27), ...told.lines].forEach((text, place) => say(texts[place], text));
      const spoken = [`${node.title} (${node.role})`, ...told.lines].filter(Boolean).join(", ");
      say(whole, spoken);
      if (found.getAttribute("aria-label") !== spoken) found.setAttribute("aria-label", spoken);
      mark(found, "holding", told.holding);
      mark(found, "losing", told.losing);
    }
    say(this.hint, hintOf(graph));
  }

  // Three lines: what it is, how many rows, and how far its clock has come.
  told(node, held, now, history) {
    const { state, sinks } = this.query;
    const column = columns(this.query);
    const source = state.sources.findIndex((each) => each.name === node.title);
    if (node.role === "sink") {
      const place = sinks.indexOf(node.title);
      const speed = rate(rateOf(history, column.out(place), now));
      return { lines: [`into ${node.kind}`, joined(rows(state.out[place]), speed), holdsText(held)] };
    }
    if (source >= 0 && (node.role === "source" || node.kind === "watermark")) {
      const each = state.sources[source];
      const speed = rate(rateOf(history, column.rows(source), now));
      const lost = [each.late && `${count(each.late)} late`, each.bad && `${count(each.bad)} bad`];
      return {
        lines: [
          joined(`${node.role} ${node.kind}`, ...lost),
          each.rows === null ? "no batch yet" : joined(rows(each.rows), speed),
          each.has_watermark ? `watermark ${clock(each.watermark_ms, now)}` : "no watermark",
        ],
        holding: each.holds_clock,
        losing: each.late || each.bad,
      };
    }
    const fact = node.lines.find(([name]) => TELLING.includes(name));
    const time = node.waits && state.clock_ms !== null ? `clock ${clock(state.clock_ms, now)}` : "";
    const first = node.title === node.kind ? "" : node.kind;
    const about = cut(fact ? `${fact[0]} ${fact[1]}` : first, 34);
    return { lines: [about, holdsText(held), time] };
  }
}

function hintOf(graph) {
  return graph.nodes.length
    ? "Select a node to see what it does."
    : "The job was compiled by an earlier version, which does not describe its plan.";
}

function joined(...texts) {
  return texts.filter(Boolean).join(" · ");
}

function holdsText(held) {
  return held === undefined ? "" : `holds ${rows(held)}`;
}

function arrow() {
  const head = drawn("path", { d: "M0 0 L8 4 L0 8 z" });
  const size = { markerWidth: 8, markerHeight: 8, refX: 7, refY: 4, orient: "auto" };
  return drawn("defs", {}, drawn("marker", { id: "arrow", ...size }, head));
}

function line(points) {
  const [first, ...others] = points;
  const middle = others.slice(0, -1);
  const last = others[others.length - 1];
  const path = [`M${first.x} ${first.y}`];
  middle.forEach((each, place) => {
    const next = middle[place + 1];
    const end = next ? { x: (each.x + next.x) / 2, y: (each.y + next.y) / 2 } : last;
    path.push(`Q${each.x} ${each.y} ${end.x} ${end.y}`);
  });
  if (!middle.length) path.push(`L${last.x} ${last.y}`);
  return drawn("path", { class: "edge", d: path.join(" "), "marker-end": "url(#arrow)" });
}
