import { html } from 'htm/preact';
import { isOperator, postJson } from './api.js';
import { number, percent, shortId, timeOf } from './format.js';
import { platformName } from './sessions-table.js';
import { ActEnd, useAct } from './use-act.js';
import { plural, reasonWords } from './words.js';

const states = {
  open: { words: 'breaker open', tone: 'bad' },
  cooldown: { words: 'cooling down', tone: 'warn' },
  hold: { words: 'no message held', tone: 'warn' },
  spend: { words: 'summary calls used up', tone: 'warn' },
};

/** Who stands over the trigger, who rests from compaction, which summary models are off. */
export function Brakes({ brakes, onChange }) {
  const act = useAct();
  const press = (path, body) =>
    act.run(async () => {
      const answer = await postJson(path, body);
      onChange();
      return answer;
    });
  return html`<section aria-labelledby="full">
      <h2 id="full">Sessions over their trigger</h2>
      <${Full} brakes=${brakes} />
    </section>
    <section aria-labelledby="resting">
      <h2 id="resting">Breakers and rests</h2>
      <${ActEnd} act=${act} />
      <${Resting} brakes=${brakes} act=${act} press=${press} />
      <${Models} models=${brakes.models} act=${act} press=${press} />
    </section>`;
}

function Full({ brakes: { full, fullSessions } }) {
  if (full.length === 0) return html`<p class="minor">None: every prompt is below the trigger.</p>`;
  return html`<ul class="lines">
      ${full.map(
        (one) =>
          html`<li key=${one.sessionId}>
            <a class="name" href=${`/sessions/${one.sessionId}`}>${nameOf(one)}</a>
            <span>${number(one.promptTokens)} of ${number(one.triggerTokens)} tokens</span>
            <span class="chip warn">${percent(one.promptTokens, one.triggerTokens)} % of the trigger</span>
          </li>`,
      )}
    </ul>
    ${fullSessions > full.length && html`<p class="minor">and ${number(fullSessions - full.length)} more</p>`}`;
}

function Resting({ brakes: { resting, restingSessions }, act, press }) {
  if (resting.length === 0)
    return html`<p class="minor">Every session may be compacted: no breaker is open, none rests.</p>`;
  return html`<ul class="lines">
      ${resting.map(({ sessionId, state, reason, until, ...one }) => {
        const { words, tone } = states[state];
        return html`<li key=${sessionId}>
          <a class="name" href=${`/sessions/${sessionId}`}>${nameOf({ sessionId, ...one })}</a>
          <span class=${`chip ${tone}`}>${words}</span>
          <span>
            ${reason ? reasonWords(reason) : 'the last compactions did not help'}${until ? `, until ${timeOf(until)}` : ''}
          </span>
          ${
            isOperator() &&
            html`<button
              type="button"
              disabled=${act.busy}
              aria-label=${`Reset ${nameOf({ sessionId, ...one })}`}
              onClick=${() => press(`/api/sessions/${sessionId}/act`, { act: 'reset_rests' })}
            >
              Reset
            </button>`
          }
        </li>`;
      })}
    </ul>
    ${restingSessions > resting.length && html`<p class="minor">and ${number(restingSessions - resting.length)} more</p>`}`;
}

function Models({ models, act, press }) {
  if (models.length === 0) return null;
  return html`<h3>Summary models of the lossless engine</h3>
    <ul class="lines">
      ${models.map(({ provider, model, failures, openUntil }) => {
        const isOff = openUntil !== null && new Date(openUntil) > new Date();
        return html`<li key=${`${provider}/${model}`}>
          <strong>${provider}/${model}</strong>
          <span class=${`chip ${isOff ? 'bad' : 'warn'}`}
            >${isOff ? `off until ${timeOf(openUntil)}` : 'in use'}</span
          >
          <span>${plural(failures, 'failure')} in a row</span>
          ${
            isOperator() &&
            html`<button
              type="button"
              disabled=${act.busy}
              aria-label=${`Reset ${provider}/${model}`}
              onClick=${() => press('/api/breakers/reset', { provider, model })}
            >
              Reset
            </button>`
          }
        </li>`;
      })}
    </ul>`;
}

function nameOf({ title, chatTitle, platform, sessionId }) {
  return title ?? chatTitle ?? `${platformName(platform)} ${shortId(sessionId)}`;
}
