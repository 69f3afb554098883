import { estimateTokens, type EngineCommandEnd } from '@palimpsest/core';
import type { CommandGround } from './command-ground.ts';

/** /dcp context: estimated tokens of the next prompt by kind, and its real size if the provider has counted it. */
export function contextText({ desk, view, model, say }: CommandGround): EngineCommandEnd {
  const { layout, sizes } = desk.look(view);
  const kinds = { person: 0, assistant: 0, tools: 0 };
  for (const item of layout.items) {
    if (item.kind === 'block') continue;
    for (const row of item.unit.rows) {
      if (row.role === 'tool') kinds.tools += row.tokens;
      else if (row.role === 'assistant') kinds.assistant += row.tokens;
      else kinds.person += row.tokens;
    }
  }
  const cleared = desk.state.marks.reduce((sum, mark) => sum + mark.tokens, 0);
  const { systemPrompt, systemNote, lastPromptTokens } = view.session;
  const system = estimateTokens(systemPrompt ?? '') + estimateTokens(systemNote ?? '');
  const { number } = say;
  const lines = [
    say('dcpSystem', { tokens: number(system) }),
    say('dcpYours', { tokens: number(kinds.person) }),
    say('dcpAnswers', { tokens: number(kinds.assistant) }),
    say('dcpResults', {
      tokens: number(kinds.tools),
      cleared: cleared > 0 ? say('dcpCleared', { tokens: number(cleared) }) : '',
    }),
    say('dcpParts', {
      tokens: number(sizes.summaryTokens),
      blocks: say.counted(layout.active.length, 'block'),
    }),
    say('dcpInAll', {
      tokens: number(Math.round(system + sizes.tokens)),
      window: number(model.windowTokens),
    }),
  ];
  // After a compression no answer has told the real size yet.
  if (lastPromptTokens > 0) lines.push(say('dcpCounted', { tokens: number(lastPromptTokens) }));
  return { text: lines.join('\n') };
}
