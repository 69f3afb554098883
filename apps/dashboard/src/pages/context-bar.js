import { html } from 'htm/preact';
import { number, percent } from './format.js';
import { toneOf, verdict } from './verdict.js';

const divided = [
  { key: 'systemTokens', name: 'System text', tone: 'system' },
  { key: 'toolTokens', name: 'Tools', tone: 'tools' },
  { key: 'headTokens', name: 'Head, kept', tone: 'kept-head' },
  { key: 'summaryTokens', name: 'Summaries', tone: 'summaries' },
  { key: 'middleTokens', name: 'Middle, condensed next', tone: 'rows' },
  { key: 'resultTokens', name: 'Middle, tool results', tone: 'results' },
  { key: 'tailTokens', name: 'Tail, kept', tone: 'kept-tail' },
];
const whole = [
  ...divided.slice(0, 2),
  { key: 'summaryTokens', name: 'Summaries', tone: 'summaries' },
  { key: 'middleTokens', name: 'Messages', tone: 'rows' },
  { key: 'resultTokens', name: 'Tool results', tone: 'results' },
];

/** The window by part, with the trigger and the hard limit marked, and in words what comes next. */
export function ContextBar({ context }) {
  const { windowTokens: window, promptTokens, promptSource, triggerTokens, hardLimitTokens } = context;
  const parts = partsOf(context);
  const share = (tokens) => Math.min(100, (tokens / window) * 100);
  const estimated = parts.reduce((sum, part) => sum + context[part.key], 0);
  // The model counts the whole, the parts are estimates: drawn so that they fill what was counted.
  const scale = estimated > 0 ? promptTokens / estimated : 1;
  const filled = `${number(promptTokens)} of ${number(window)} tokens, ${percent(promptTokens, window)} %`;
  return html`<div class="context-bar">
    <p class="verdict ${toneOf(context)}">${verdict(context)}</p>
    <div class="scale top" aria-hidden="true">
      <span class="at ${side(share(triggerTokens))}" style=${{ left: `${share(triggerTokens)}%` }}
        >trigger ${number(triggerTokens)}</span
      >
    </div>
    <div class="bar-of-parts" role="img" aria-label=${`Context: ${filled}. ${wordsOfParts(context)}`}>
      ${parts.map(({ key, tone }) => html`<i class=${`part ${tone}`} style=${{ width: `${share(context[key] * scale)}%` }}></i>`)}
      <b class="mark trigger" style=${{ left: `${share(triggerTokens)}%` }}></b>
      <b class="mark limit" style=${{ left: `${share(hardLimitTokens)}%` }}></b>
    </div>
    <div class="scale" aria-hidden="true">
      <span class="at ${side(share(hardLimitTokens))}" style=${{ left: `${share(hardLimitTokens)}%` }}
        >hard limit ${number(hardLimitTokens)}</span
      >
    </div>
    <ul class="legend">
      <li>
        <strong>${filled}</strong
        ><small>${promptSource === 'api' ? 'counted by the model' : 'estimated'}</small>
      </li>
      ${parts.map(
        ({ key, name, tone }) =>
          html`<li>
            <i class=${`swatch ${tone}`}></i>${name} <strong>${number(context[key])}</strong>
            ${key === 'toolTokens' && html`<small>${number(context.tools)} of them</small>`}
          </li>`,
      )}
    </ul>
    ${
      !context.isDivided &&
      html`<p class="minor">
        The engine “${context.engine}” does not tell which messages a compaction would leave word for word, so
        no borders are drawn.
      </p>`
    }
  </div>`;
}

function partsOf({ isDivided }) {
  return isDivided ? divided : whole;
}

/** Labels near the right end hang to the left of their mark. */
function side(share) {
  return share > 50 ? 'leftward' : '';
}

function wordsOfParts(context) {
  const { triggerTokens, hardLimitTokens } = context;
  const each = partsOf(context)
    .map(({ key, name }) => `${name} ${number(context[key])}`)
    .join(', ');
  return `${each}. Trigger ${number(triggerTokens)}, hard limit ${number(hardLimitTokens)}.`;
}
