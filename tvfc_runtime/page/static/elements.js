// Makes elements. Whatever is said in them is set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(found, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
  found.append(...children.map((each) => (each instanceof Node ? each : String(each))));
  return found;
}

// Changes text only if it is another one, so that a reader of the screen is left in peace.
export function say(found, text) {
  if (found.textContent !== text) found.textContent = text;
}

export function mark(found, name, isOn) {
  found.classList.toggle(name, Boolean(isOn));
}
