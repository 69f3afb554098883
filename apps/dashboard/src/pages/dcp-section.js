import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { BlockSheet } from './dcp-block.js';
import { DcpMap } from './dcp-map.js';
import { DcpEvents } from './dcp-events.js';
import { number } from './format.js';
import { More } from './more.js';
import { useJson } from './use-json.js';
import { usePaged } from './use-paged.js';
import { markReasons, plural } from './words.js';

/** What the model-guided engine did: savings, blocks, marks, history. */
export function DcpSection({ path, tick }) {
  const { data, problem } = useJson(`${path}/dcp`, tick);
  const blocks = usePaged(`${path}/dcp/blocks`, { list: 'blocks', tick });
  return html`<section aria-labelledby="blocks">
    <h2 id="blocks">Blocks</h2>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${data && html`<${Figures} dcp=${data} />`}
    <${DcpMap} path=${path} tick=${tick} />
    <ol class="sheets">
      ${blocks.items.map((block) => html`<li key=${block.number}><${BlockSheet} block=${block} path=${path} /></li>`)}
    </ol>
    <${More} paged=${blocks} empty="No block yet: nothing was condensed." />
    ${data && data.marks > 0 && html`<${Marks} path=${path} tick=${tick} count=${data.marks} />`}
    <${DcpEvents} path=${path} tick=${tick} />
  </section>`;
}

function Figures({ dcp }) {
  const { savings, counters, nudge } = dcp;
  const figure = (value, words, tone = '') =>
    html`<li class=${tone}><strong>${value}</strong><span>${words}</span></li>`;
  const quiet = [
    dcp.manualMode && 'Manual mode: it condenses only when a person asks.',
    dcp.asked && 'A person asked for a compression; the model is told with the next message.',
    nudge.failedAttempts > 0 && `${plural(nudge.failedAttempts, 'compress call')} in a row failed.`,
    nudge.restCalls > 0 && `No reminder for the next ${plural(nudge.restCalls, 'model call')}.`,
  ].filter(Boolean);
  return html`<ul class="figures">
      ${figure(number(savings.netTokens), 'tokens saved, net of summaries', savings.netTokens < 0 ? 'trouble' : '')}
      ${figure(number(savings.removedTokens), 'tokens removed')}
      ${figure(number(savings.summaryTokens), 'tokens of summaries')}
      ${figure(number(savings.markTokens), 'tokens saved by marks')}
      ${figure(`${number(savings.activeBlocks)} of ${number(savings.allBlocks)}`, 'blocks shown')}
      ${figure(number(counters.nudges), counters.nudges === 1 ? 'reminder' : 'reminders')}
      ${figure(`${number(counters.compressCalls)} / ${number(counters.compressFailures)}`, 'compress calls / refused')}
      ${figure(number(counters.emergencies), 'emergencies', counters.emergencies > 0 ? 'trouble' : '')}
    </ul>
    ${quiet.map((words) => html`<p class="note">${words}</p>`)}`;
}

function Marks({ path, tick, count }) {
  const [open, setOpen] = useState(false);
  return html`<details class="under-text" onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary>${plural(count, 'mark')} on tool calls</summary>
    ${open && html`<${MarkTable} path=${path} tick=${tick} />`}
  </details>`;
}

function MarkTable({ path, tick }) {
  const paged = usePaged(`${path}/dcp/marks`, { list: 'marks', tick });
  return html`<div class="sheet">
      <table>
        <thead>
          <tr>
            <th scope="col">Unit</th>
            <th scope="col">Call</th>
            <th scope="col">Why</th>
            <th scope="col" class="number">Tokens saved</th>
          </tr>
        </thead>
        <tbody>
          ${paged.items.map(
            (mark) =>
              html`<tr key=${`${mark.unitId}-${mark.callId}`}>
                <td data-name="Unit">
                  ${mark.ref === null ? `row ${mark.unitId}` : `m${String(mark.ref).padStart(4, '0')}`}
                </td>
                <td class="double" data-name="Call"><code>${mark.callId}</code></td>
                <td class="double" data-name="Why">${markReasons[mark.reason]}</td>
                <td class="number" data-name="Tokens saved">${number(mark.tokens)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <${More} paged=${paged} />`;
}
