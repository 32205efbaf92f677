// Tables of sources, of what is held, and examples of rows that are lost.

import { element } from "/elements.js";
import { clock, count, length, rows } from "/words.js";

function table(caption, heads, lines) {
  const cell = (text, tag, place) =>
    element(tag, heads[place].number ? { class: "number" } : {}, ...[text].flat());
  return element(
    "div",
    { class: "scroll" },
    element(
      "table",
      {},
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...heads.map(({ name }, at) => cell(name, "th", at)))),
      element("tbody", {}, ...lines.map((line) => element("tr", {}, ...line.map((text, at) => cell(text, "td", at))))),
    ),
  );
}

const text = (name) => ({ name });
const number = (name) => ({ name, number: true });

export function sourceTable(state, now) {
  const heads = [text("source"), number("rows"), number("late"), number("bad"), number("no time"), text("last rows"), text("watermark")];
  const lines = state.sources.map((each) => [
    each.holds_clock ? [each.name, " ", element("span", { class: "chip" }, "holds the clock back")] : each.name,
    count(each.rows),
    lost(each.late),
    lost(each.bad),
    lost(each.without_time),
    each.arrived_ms === null ? "none yet" : `${length(now - each.arrived_ms)} ago`,
    each.has_watermark ? clock(each.watermark_ms, now) : "none",
  ]);
  return table("Sources", heads, lines);
}

function lost(number_) {
  return number_ ? element("strong", { class: "lost" }, count(number_)) : "0";
}

export function heldTable(query) {
  const { state, graph } = query;
  const titles = new Map(graph.nodes.map((node) => [node.place, node.title]));
  const heads = [text("operator"), text("of"), text("in the plan"), number("rows")];
  const lines = state.held.map((each) => [
    each.operator,
    each.output ?? "",
    each.node === null ? "one of several" : titles.get(each.node) ?? "",
    count(each.rows),
  ]);
  return lines.length
    ? table("Rows held now, by operator", heads, lines)
    : element("p", { class: "hint" }, "No operator holds rows.");
}

export function examples(state, withRows) {
  const found = state.sources.flatMap((each) => [
    ...(each.late ? [lostRows(each.name, "late", each.late, withRows ? [["row", each.late_example]] : [])] : []),
    ...(each.bad ? [lostRows(each.name, "bad", each.bad, Object.entries(each.bad_example ?? {}))] : []),
  ]);
  const values = withRows ? "" : " Values of rows are shown by jobs that were started with --ui-rows.";
  const hint = found.length ? `The latest example of each.${values}` : "No row was late or bad.";
  return element("div", {}, ...found, element("p", { class: "hint" }, hint));
}

function lostRows(source, how, number_, facts) {
  const known = facts.filter(([, value]) => value !== null && value !== undefined);
  return element(
    "section",
    { class: "example" },
    element("h4", {}, `${source}: ${rows(number_)} ${how}`),
    element(
      "dl",
      { class: "facts" },
      ...known.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
    ),
  );
}
