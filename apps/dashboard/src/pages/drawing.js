import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { next } from './walk-drawing.js';

/**
 * A drawing of things that can be opened. It is one stop of the Tab key; arrows walk through it, Enter opens, Escape
 * closes what is open and comes back.
 *
 * label     what it shows, for those who do not see it
 * drawn     `{ width, height, boxes }`, each box with `id, x, y, width, height, up, down, state`
 * nameOf    a box in words; inside  its short text, if it fits
 * children  behind the boxes, as SVG
 * open      (id) => what is shown below while it is open
 */
export function Drawing({ label, drawn, nameOf, inside, open, children }) {
  const { width, height, boxes } = drawn;
  const { frame, panel, at, opened, openAt, close, onKeyDown } = useWalk(boxes);
  // What happened last stands at the right end.
  useEffect(() => frame.current?.scrollTo({ left: width }), []);
  return html`<div class="drawing" ref=${frame}>
      <svg
        role="group"
        aria-label=${label}
        width=${width}
        height=${height + 8}
        viewBox=${`0 -4 ${width} ${height + 8}`}
        onKeyDown=${onKeyDown}
      >
        ${children}
        ${boxes.map(
          (box) =>
            html`<${Box}
              key=${box.id}
              box=${box}
              name=${nameOf(box)}
              inside=${inside(box)}
              isStop=${box.id === at.id}
              isOpen=${box.id === opened}
              onOpen=${() => openAt(box.id)}
            />`,
        )}
      </svg>
    </div>
    ${
      opened !== null &&
      html`<div
        class="opened"
        role="group"
        aria-label="Opened in the drawing"
        tabindex="-1"
        ref=${panel}
        onKeyDown=${(event) => event.key === 'Escape' && close()}
      >
        ${open(opened)}
        <p><button type="button" onClick=${close}>Close</button></p>
      </div>`
    }`;
}

function Box({ box: { id, x, y, width, height, state }, name, inside, isStop, isOpen, onOpen }) {
  return html`<g
    data-id=${id}
    class=${`drawn ${state}`}
    role="button"
    tabindex=${isStop ? 0 : -1}
    aria-label=${name}
    aria-expanded=${String(isOpen)}
    onClick=${onOpen}
  >
    <rect x=${x} y=${y} width=${width} height=${height} rx="5" />
    ${inside.length * 8 < width && html`<text x=${x + width / 2} y=${y + height / 2}>${inside}</text>`}
  </g>`;
}

/** Which box the Tab key stops at, which one is open, and where the focus goes. */
function useWalk(boxes) {
  const [opened, setOpened] = useState(null);
  const [stop, setStop] = useState(null);
  const frame = useRef(null);
  const panel = useRef(null);
  const at = boxes.find(({ id }) => id === stop) ?? boxes.at(-1);
  const focusOn = (id) => {
    setStop(id);
    frame.current?.querySelector(`[data-id="${CSS.escape(id)}"]`)?.focus();
  };
  const openAt = (id) => {
    setStop(id);
    setOpened(id);
  };
  const close = () => {
    setOpened(null);
    focusOn(opened);
  };
  const onKeyDown = (event) => {
    // The one with the focus: keys come faster than pages are drawn.
    const here = boxes.find(({ id }) => id === event.target.dataset.id) ?? at;
    const to = next(boxes, here, event.key);
    if (event.key === 'Enter' || event.key === ' ') openAt(here.id);
    else if (event.key === 'Escape' && opened !== null) close();
    else if (to) focusOn(to.id);
    else return;
    event.preventDefault();
  };
  useEffect(() => panel.current?.focus(), [opened]);
  return { frame, panel, at, opened, openAt, close, onKeyDown };
}
