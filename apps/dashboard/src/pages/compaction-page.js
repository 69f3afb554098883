import { html, render } from 'htm/preact';
import { useState } from 'preact/hooks';
import { AttemptTable } from './attempt-table.js';
import { Brakes } from './brakes.js';
import { Chart } from './chart.js';
import { CostTable } from './cost-table.js';
import { duration, number, percent } from './format.js';
import { Choice, Figure, PageHead } from './page-head.js';
import { useJson } from './use-json.js';
import { useTick } from './use-tick.js';
import { dollars, plural } from './words.js';

const ranges = [
  [24, '24 hours'],
  [168, '7 days'],
  [720, '30 days'],
];

function CompactionPage() {
  const { tick, live } = useTick('/api/events');
  const [hours, setHours] = useState(24);
  const { data, problem } = useJson(`/api/board/compactions?hours=${hours}`, tick);
  const [turn, setTurn] = useState(0);
  const { data: brakes } = useJson('/api/board/brakes', `${tick}-${turn}`);
  return html`<main>
    <${PageHead} title="Compaction" live=${live && !problem}>
      <${Choice} label="Time" options=${ranges} value=${hours} onChoose=${setHours} />
    <//>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${
      data && brakes
        ? html`<${Content} board=${data} brakes=${brakes} onChange=${() => setTurn((old) => old + 1)} />`
        : !problem && html`<p class="empty">Reading …</p>`
    }
  </main>`;
}

function Content({ board, brakes, onChange }) {
  const { steps, applied, groups, spending } = board;
  return html`<${Figures} board=${board} brakes=${brakes} />
    <${Attempts} steps=${steps} />
    <${Cache} steps=${steps} applied=${applied} />
    <${BeforeAfter} applied=${applied} />
    <section aria-labelledby="attempts">
      <h2 id="attempts">Attempts by layer, trigger and outcome</h2>
      <${AttemptTable} groups=${groups} />
    </section>
    <section aria-labelledby="cost">
      <h2 id="cost">Cost against saving</h2>
      <${CostTable} rows=${spending} />
    </section>
    <${Brakes} brakes=${brakes} onChange=${onChange} />`;
}

const isChange = ({ outcome }) =>
  ['success', 'deterministic', 'fallback_trim', 'ineffective'].includes(outcome);
const isFailure = ({ outcome }) => outcome === 'failed' || outcome === 'aborted';

function Figures({ board: { groups, spending, steps }, brakes }) {
  const count = (which) => groups.filter(which).reduce((sum, group) => sum + group.attempts, 0);
  const changed = groups.filter(isChange);
  const before = changed.reduce((sum, { tokensBefore }) => sum + tokensBefore, 0);
  const after = changed.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0);
  const all = count(() => true);
  const failed = count(isFailure);
  const longest = Math.max(0, ...groups.map(({ longestMs }) => longestMs ?? 0));
  const total = (key) => steps.reduce((sum, step) => sum + step[key], 0);
  const money = spending.flatMap(({ economy }) => (economy ? [economy] : []));
  const net = money.reduce(
    (sum, { savedDollars, summaryDollars, rewriteDollars }) =>
      sum + savedDollars - summaryDollars - rewriteDollars,
    0,
  );
  return html`<ul class="figures" aria-label="In this time">
    <${Figure} value=${number(all)} words=${all === 1 ? 'attempt' : 'attempts'} />
    <${Figure} value=${number(count(isChange))} words="changed something" />
    <${Figure}
      value=${number(failed)}
      words=${`failed, ${percent(failed, all)} %`}
      tone=${failed > 0 ? 'trouble' : ''}
    />
    <${Figure} value=${number(before - after)} words="tokens reclaimed" />
    <${Figure} value=${before > 0 ? `${percent(after, before)} %` : '–'} words="left of what was there" />
    <${Figure} value=${longest > 0 ? duration(longest) : '–'} words="the longest took" />
    <${Figure}
      value=${total('promptTokens') > 0 ? `${percent(total('cacheReadTokens'), total('promptTokens'))} %` : '–'}
      words="of prompts read from cache"
    />
    <${Figure}
      value=${money.length > 0 ? signed(net) : '–'}
      words="saved, less what it cost"
      tone=${net < 0 ? 'trouble' : ''}
    />
    <${Figure}
      value=${number(brakes.fullSessions)}
      words=${brakes.fullSessions === 1 ? 'session over its trigger' : 'sessions over their trigger'}
    />
    <${Figure}
      value=${number(brakes.restingSessions)}
      words=${brakes.restingSessions === 1 ? 'session at rest' : 'sessions at rest'}
    />
  </ul>`;
}

function signed(value) {
  return value < 0 ? `−${dollars(-value)}` : dollars(value);
}

function Attempts({ steps }) {
  const sum = (key) => steps.reduce((all, step) => all + step[key], 0);
  const label = `Attempts over time: ${number(sum('applied'))} changed something, ${number(sum('declined'))} declined, ${number(sum('failed'))} failed.`;
  const bars = (name, tone, key) => ({ name, tone, kind: 'bars', values: steps.map((step) => step[key]) });
  return html`<section aria-labelledby="over-time">
    <h2 id="over-time">Attempts over time</h2>
    <${Chart}
      label=${label}
      at=${steps.map(({ at }) => at)}
      words=${number}
      series=${[
        bars('changed something', 'good', 'applied'),
        bars('declined', 'faint', 'declined'),
        bars('failed', 'bad', 'failed'),
      ]}
    />
  </section>`;
}

/** Never "any read is a hit": the share of the tokens. */
function Cache({ steps, applied }) {
  const shares = steps.map(({ promptTokens, cacheReadTokens }) =>
    promptTokens > 0 ? (cacheReadTokens / promptTokens) * 100 : null,
  );
  const known = shares.filter((share) => share !== null);
  const label =
    known.length === 0
      ? 'Cache-hit ratio: no model call in this time.'
      : `Cache-hit ratio: between ${number(Math.min(...known))} and ${number(Math.max(...known))} percent, with ${plural(applied.length, 'compaction')} marked.`;
  return html`<section aria-labelledby="cache">
    <h2 id="cache">Share of the prompts that was read from the cache</h2>
    <${Chart}
      label=${label}
      at=${steps.map(({ at }) => at)}
      words=${(value) => `${number(value)} %`}
      top=${100}
      marks=${applied.map(({ at }) => at)}
      series=${[{ name: 'read from cache', tone: 'cool', kind: 'line', values: shares }]}
    />
  </section>`;
}

function BeforeAfter({ applied }) {
  const points = [...applied].reverse();
  const label = `Tokens before and after each of ${plural(points.length, 'compaction')}.`;
  const line = (name, tone, key) => ({
    name,
    tone,
    kind: 'points',
    values: points.map((point) => point[key]),
  });
  return html`<section aria-labelledby="before-after">
    <h2 id="before-after">Tokens before and after</h2>
    <${Chart}
      label=${label}
      at=${points.map(({ at }) => at)}
      words=${short}
      series=${[line('before', 'warn', 'tokensBefore'), line('after', 'good', 'tokensAfter')]}
    />
  </section>`;
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

function short(value) {
  return compact.format(value);
}

const root = document.getElementById('app');
root.replaceChildren();
render(html`<${CompactionPage} />`, root);
