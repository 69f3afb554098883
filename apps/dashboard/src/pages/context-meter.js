import { html } from 'htm/preact';
import { number, percent } from './format.js';

/** How full the window is, as a bar with the 85 % line of hygiene; counted by the model or estimated. */
export function ContextMeter({ session }) {
  const share = percent(session.contextTokens, session.windowTokens);
  const heat = share >= 85 ? 'full' : share >= 60 ? 'warm' : '';
  const words = `${share} % · ${number(session.contextTokens)} of ${number(session.windowTokens)} tokens`;
  return html`<div>
    <div
      class=${`meter ${heat}`}
      role="meter"
      aria-label="Context in use"
      aria-valuemin="0"
      aria-valuemax="100"
      aria-valuenow=${Math.min(100, share)}
      aria-valuetext=${words}
    >
      <i style=${{ width: `${Math.min(100, share)}%` }}></i>
    </div>
    <span class="minor">${words}${session.contextSource === 'estimated' ? ', estimated' : ''}</span>
  </div>`;
}
