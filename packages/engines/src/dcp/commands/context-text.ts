import { estimateTokens, type EngineCommandEnd } from '@palimpsest/core';
import { counted, inWords } from './change-end.ts';
import type { CommandGround } from './command-ground.ts';

/** /dcp context: estimated tokens of the next prompt by kind, and its real size if the provider has counted it. */
export function contextText({ desk, view, model }: CommandGround): EngineCommandEnd {
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
  const lines = [
    `System prompt: ${inWords(system)}`,
    `Your messages: ${inWords(kinds.person)}`,
    `Answers: ${inWords(kinds.assistant)}`,
    `Tool results: ${inWords(kinds.tools)}${cleared > 0 ? ` (${inWords(cleared)} of it cleared)` : ''}`,
    `Condensed parts: ${inWords(sizes.summaryTokens)} in ${counted(layout.active.length, 'block')}`,
    `In all about ${inWords(system + sizes.tokens)} of ${inWords(model.windowTokens)} tokens.`,
  ];
  // After a compression no answer has told the real size yet.
  if (lastPromptTokens > 0) lines.push(`The provider counted ${inWords(lastPromptTokens)} at the last step.`);
  return { text: lines.join('\n') };
}
