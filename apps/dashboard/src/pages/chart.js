import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';

const dark = matchMedia('(prefers-color-scheme: dark)');
/** Counts and tokens are whole, so no line of the grid stands between two of them. */
const wholeSteps = [1, 2, 5]
  .flatMap((step) => Array.from({ length: 12 }, (_, zeros) => step * 10 ** zeros))
  .sort((a, b) => a - b);
const noSync = { show: true, x: true, y: false, points: { show: false }, drag: { x: false, y: false } };

/**
 * A time line. Everything it shows can also be read as a table.
 *
 * label   what it shows, in one sentence with the figures that matter
 * at      times, oldest first
 * series  `{ name, tone, values, kind }`; tone: a colour of base.css; kind: bars, line or points. Bars are stacked.
 * words   how a value is written
 * marks   times drawn as upright lines
 * top     highest value of the scale; left out: what the values need
 */
export function Chart({ label, at, series, words, marks = [], top, height = 150 }) {
  const box = useRef(null);
  const [isDark, setDark] = useState(dark.matches);
  useEffect(() => {
    const onChange = () => setDark(dark.matches);
    dark.addEventListener('change', onChange);
    return () => dark.removeEventListener('change', onChange);
  }, []);
  // A share of nothing is a figure, nothing at all is none.
  const isThere = (value) => (top === undefined ? Boolean(value) : value !== null);
  const isEmpty = !series.some(({ values }) => values.some(isThere));
  useEffect(() => {
    if (isEmpty) return undefined;
    const plot = draw(box.current, { at, series, words, marks, top, height });
    const seen = new ResizeObserver(() => plot.setSize({ width: box.current.clientWidth, height }));
    seen.observe(box.current);
    return () => {
      seen.disconnect();
      plot.destroy();
    };
  }, [isDark, isEmpty, JSON.stringify([at, series.map(({ values }) => values), marks])]);
  if (isEmpty) return html`<div class="sheet"><p class="empty">Nothing in this time.</p></div>`;
  return html`<figure class="chart">
    <ul class="legend" aria-hidden="true">
      ${series.map(({ name, tone }) => html`<li key=${name}><i class=${`swatch tone-${tone}`}></i>${name}</li>`)}
      ${marks.length > 0 && html`<li><i class="swatch dashes"></i>compaction</li>`}
    </ul>
    <div class="plot" role="img" aria-label=${label} ref=${box}></div>
    <${AsTable} at=${at} series=${series} words=${words} label=${label} />
  </figure>`;
}

function AsTable({ at, series, words, label }) {
  const [open, setOpen] = useState(false);
  const filled = at
    .map((time, index) => ({ time, index }))
    .filter(({ index }) => series.some(({ values }) => values[index]));
  return html`<details class="as-table" onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary>As a table</summary>
    ${
      open &&
      html`<div class="sheet short" tabindex="0" role="region" aria-label=${label}>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">When</th>
              ${series.map(({ name }) => html`<th scope="col" class="number" key=${name}>${name}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${filled.map(
              ({ time, index }) =>
                html`<tr key=${index}>
                  <th scope="row">${new Date(time).toLocaleString()}</th>
                  ${series.map(
                    ({ name, values }) =>
                      html`<td class="number" key=${name}>
                        ${values[index] === null ? '–' : words(values[index])}
                      </td>`,
                  )}
                </tr>`,
            )}
          </tbody>
        </table>
        ${filled.length === 0 && html`<p class="empty">Nothing in this time.</p>`}
      </div>`
    }
  </details>`;
}

function draw(element, { at, series, words, marks, top, height }) {
  const colours = coloursOf(element);
  const axis = {
    stroke: colours.faint,
    font: '12px system-ui, sans-serif',
    grid: { stroke: colours.line, width: 1 },
    ticks: { show: false },
  };
  const stacked = stack(series);
  const seconds = at.map((time) => new Date(time).getTime() / 1000);
  const options = {
    width: element.clientWidth,
    height,
    padding: [8, 8, 0, 0],
    cursor: noSync,
    legend: { show: false },
    scales: {
      // Half a step of room, so that no bar and no point is cut in two.
      x: { range: (_plot, first, last) => [first - room(seconds), last + room(seconds)] },
      y: { range: (_plot, _least, most) => [0, top ?? Math.max(1, most * 1.08)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 70,
        size: 28,
        values: (_plot, splits) => splits.map(timeWords(splits)),
      },
      {
        ...axis,
        size: 58,
        incrs: wholeSteps,
        values: (_plot, values) => values.map((value) => words(value)),
      },
    ],
    series: [{}, ...stacked.map((one) => seriesOf(one, colours))],
    hooks: { drawAxes: [(plot) => drawMarks(plot, marks, colours.ink)] },
  };
  return new uPlot(options, [seconds, ...stacked.map(({ heights }) => heights)], element);
}

function room(seconds) {
  return seconds.length > 1 ? (seconds.at(-1) - seconds[0]) / (seconds.length - 1) / 2 : 1_800;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** The day where it is another than that of the label before, and where labels are days apart. */
function timeWords(splits) {
  const isDays = splits.length > 1 && splits[1] - splits[0] >= 86_400;
  return (seconds, index) => {
    const date = new Date(seconds * 1000);
    if (isDays) return day.format(date);
    const isNew = index > 0 && new Date(splits[index - 1] * 1000).getDate() !== date.getDate();
    return isNew ? day.format(date) : clock.format(date);
  };
}

function seriesOf({ tone, kind }, colours) {
  const stroke = colours[tone];
  if (kind === 'bars')
    return {
      stroke,
      fill: stroke,
      width: 0,
      paths: uPlot.paths.bars({ size: [0.8, 40] }),
      points: { show: false },
    };
  if (kind === 'points')
    return { stroke, paths: () => null, points: { show: true, size: 7, stroke, fill: stroke } };
  return { stroke, width: 2, spanGaps: true, points: { show: false } };
}

/** The highest bar is drawn first and the others over it. */
function stack(series) {
  const sums = series[0]?.values.map(() => 0) ?? [];
  const piled = series.map((one) => {
    if (one.kind !== 'bars') return { ...one, heights: one.values };
    return { ...one, heights: one.values.map((value, index) => (sums[index] += value ?? 0)) };
  });
  return [
    ...piled.filter(({ kind }) => kind === 'bars').reverse(),
    ...piled.filter(({ kind }) => kind !== 'bars'),
  ];
}

function drawMarks(plot, marks, colour) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.globalAlpha = 0.55;
  ctx.setLineDash([4, 4]);
  for (const time of marks) {
    const x = plot.valToPos(new Date(time).getTime() / 1000, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

/** A canvas knows no custom properties, so each is asked for through an element's own colour. */
function coloursOf(element) {
  const names = ['ink', 'faint', 'line', 'accent', 'good', 'warn', 'bad', 'cool'];
  const found = {};
  for (const name of names) {
    element.style.color = `var(--${name})`;
    found[name] = getComputedStyle(element).color;
  }
  element.style.color = '';
  return found;
}
