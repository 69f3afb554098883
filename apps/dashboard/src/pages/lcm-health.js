import { html } from 'htm/preact';
import { ago, exactly, number, timeOf } from './format.js';
import { useJson } from './use-json.js';
import { checkWords, plural, reasonWords } from './words.js';

/** What is owed, what is switched off, and what a doctor finds; one line each. */
export function LcmHealth({ lcm, path }) {
  const now = new Date(lcm.now);
  return html`<dl class="health">
    <dt>Owed work</dt>
    <dd><${Debt} debt=${lcm.status.debt} now=${now} /></dd>
    <dt>Summary models</dt>
    <dd><${Breakers} breakers=${lcm.breakers} now=${now} /></dd>
    <dt>Summary calls</dt>
    <dd>${spendWords(lcm.spend, now)}</dd>
    <dt>Prompt cache</dt>
    <dd>${cacheWords(lcm.telemetry)}</dd>
    <dt>Doctor</dt>
    <dd><${Doctor} path=${path} /></dd>
  </dl>`;
}

function Debt({ debt, now }) {
  if (!debt) return 'none';
  if (debt.running) return html`<span class="chip warn">running</span> ${debtWords(debt)}`;
  if (!debt.pending)
    return `none; the last one was settled ${debt.finishedAt ? ago(debt.finishedAt, now) : ''}${debt.resolutionReason ? ` (${debt.resolutionReason.replaceAll('_', ' ')})` : ''}`;
  const due = new Date(debt.nextAttemptAfter ?? debt.dueAt);
  return html`<span class="chip warn">${due > now ? 'waiting' : 'due'}</span> ${debtWords(debt)}
    ${due > now ? `, due ${exactly(due)}` : ''}
    ${debt.retryAttempts > 0 && html` · <span class="bad">${plural(debt.retryAttempts, 'failed attempt')}</span>`}
    ${debt.lastFailure && ` (${reasonWords(debt.lastFailure)})`}`;
}

function debtWords(debt) {
  return `${debt.reason.replaceAll('_', ' ')}: ${number(debt.currentTokens)} tokens against a threshold of ${number(debt.thresholdTokens)}, asked for ${ago(debt.requestedAt)}`;
}

function Breakers({ breakers, now }) {
  const failing = breakers.filter(({ failures }) => failures > 0);
  if (failing.length === 0) return 'all answer';
  return failing.map(({ provider, model, failures, openUntil }) => {
    const isOpen = openUntil !== null && new Date(openUntil) > now;
    return html`<div key=${`${provider}/${model}`}>
      <span class=${`chip ${isOpen ? 'bad' : 'warn'}`}
        >${isOpen ? `off until ${timeOf(openUntil)}` : 'in use'}</span
      >
      ${provider}/${model}: ${plural(failures, 'failure')} in a row
    </div>`;
  });
}

function spendWords(spend, now) {
  if (!spend) return 'none counted';
  const rest = spend.backoffUntil && new Date(spend.backoffUntil) > now;
  return `${number(spend.calls)} since ${timeOf(spend.windowStartedAt)}${rest ? `; no more before ${timeOf(spend.backoffUntil)}` : ''}`;
}

function cacheWords(telemetry) {
  if (telemetry.length === 0) return 'nothing seen yet';
  return telemetry.map(({ model, cacheState }) => `${cacheState} for ${model}`).join(', ');
}

function Doctor({ path }) {
  const { data, problem } = useJson(`${path}/lcm/doctor`);
  if (problem) return html`<span class="bad">${problem}</span>`;
  if (!data) return 'looking …';
  if (data.problems.length === 0)
    return html`<span class="chip good">sound</span> every message is reached once`;
  return html`<ul class="findings">
    ${data.problems.slice(0, 50).map(
      ({ check, severity, summaryId, messageId }) =>
        html`<li>
          <span class=${`chip ${severity === 'broken' ? 'bad' : 'warn'}`}>${severity}</span>
          ${checkWords(check)} ${summaryId && html` <code>${summaryId}</code>`}
          ${messageId !== null && ` row ${messageId}`}
        </li>`,
    )}
    ${data.problems.length > 50 && html`<li>${number(data.problems.length - 50)} more</li>`}
  </ul>`;
}
