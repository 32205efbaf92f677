// Rows a second over the last half minute, from the points of a query's history.
// A point is [began, clock, held, late, bad, …watermarks, …rows read, …rows written].

const WINDOW_MS = 30_000;
const FIRST = 5;

export function columns(query) {
  const sources = query.state.sources.length;
  return {
    began: 0,
    clock: 1,
    held: 2,
    late: 3,
    bad: 4,
    watermark: (source) => FIRST + source,
    rows: (source) => FIRST + sources + source,
    out: (sink) => FIRST + 2 * sources + sink,
  };
}

// Null where it is not known yet.
export function rateOf(points, column, now) {
  if (!points.length) return null;
  const begin = now - WINDOW_MS;
  let base = points[0];
  for (const point of points) {
    if (point[0] > begin) break;
    base = point;
  }
  const elapsed = Math.min(now - base[0], WINDOW_MS);
  const last = points[points.length - 1];
  if (base === last && base[0] > begin) return null;
  return elapsed > 0 ? ((last[column] - base[column]) * 1000) / elapsed : null;
}
