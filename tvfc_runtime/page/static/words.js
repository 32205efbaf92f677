// Numbers, moments and lengths of time in words. Times are milliseconds since the epoch.

const UNITS = [["d", 86_400_000], ["h", 3_600_000], ["min", 60_000]];

export function count(number) {
  return number === null || number === undefined ? "?" : number.toLocaleString("en-US");
}

export function rows(number) {
  return `${count(number)} ${number === 1 ? "row" : "rows"}`;
}

export function length(ms) {
  const whole = Math.max(0, ms);
  for (const [unit, size] of UNITS) {
    if (whole >= 2 * size) return `${(whole / size).toFixed(0)} ${unit}`;
  }
  return whole >= 10_000 ? `${(whole / 1000).toFixed(0)} s` : `${(whole / 1000).toFixed(1)} s`;
}

export function moment(ms) {
  if (ms === null || ms === undefined) return "no value yet";
  const found = new Date(ms);
  if (Number.isNaN(found.getTime())) return `${ms} ms`;
  return found.toISOString().replace("T", " ").replace(/(\.000)?Z$/, "");
}

// The time of day alone if that says enough.
export function clock(ms, now) {
  const whole = moment(ms);
  return whole.slice(0, 10) === moment(now).slice(0, 10) ? whole.slice(11) : whole;
}

export function rate(perSecond) {
  if (perSecond === null) return "";
  if (perSecond > 0 && perSecond < 0.1) return "< 0.1/s";
  return `${perSecond >= 10 ? count(Math.round(perSecond)) : perSecond.toFixed(1)}/s`;
}

export function bytes(number) {
  for (const [unit, size] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) {
    if (number >= size) return `${(number / size).toFixed(number < 10 * size ? 1 : 0)} ${unit}`;
  }
  return `${number} bytes`;
}

export function cut(text, most) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}
