// Listens to the job, and shows what it tells.

import { element, mark, say } from "/elements.js";
import { QuerySection } from "/query.js";
import { clock } from "/words.js";

const EVERY_MS = 1000;
const link = document.getElementById("link");
const queries = document.getElementById("queries");
let sections = [];
let ahead = 0; // The clock of the job's machine, less that of this one, in milliseconds.
let told = 0;

const now = () => Date.now() + ahead;

function begin(all) {
  document.title = `${all.job} · tvfc`;
  say(document.getElementById("job"), all.job);
  sections = all.queries.map((query) => new QuerySection(query, all.with_rows));
  const roots = sections.map(({ root }) => root);
  queries.replaceChildren(...(roots.length ? roots : [element("p", { class: "note" }, "The job starts.")]));
}

function take(data) {
  ahead = data.now_ms - Date.now();
  told = data.now_ms;
}

function show() {
  for (const each of sections) each.show(now());
}

function connected(isSo) {
  say(link, isSo ? "live" : `not connected: the job has ended, or cannot be reached${told ? `; as of ${clock(told, now())}` : ""}`);
  mark(link, "lost", !isSo);
  mark(document.body, "stale", !isSo);
}

function listen() {
  const stream = new EventSource("/events");
  stream.addEventListener("everything", (event) => {
    const all = JSON.parse(event.data);
    take(all);
    begin(all);
    connected(true);
    show();
  });
  stream.addEventListener("news", (event) => {
    const data = JSON.parse(event.data);
    take(data);
    if (data.queries.length === sections.length) {
      data.queries.forEach((query, place) => sections[place].take(query));
      show();
    } else {
      // A query was started meanwhile: all is told again to those who ask anew.
      stream.close();
      listen();
    }
  });
  stream.addEventListener("error", () => connected(false));
}

listen();
setInterval(() => {
  if (!link.classList.contains("lost")) show();
}, EVERY_MS);
