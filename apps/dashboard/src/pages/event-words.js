/** Stored events in words; they hold ids and figures, never what was said. */
import { number } from './format.js';
import { outcomeWords, plural } from './words.js';

export const eventKinds = {
  'session:compress': { words: 'compacted', tone: 'good' },
  'session:start': { words: 'session began', tone: '' },
  'session:reset': { words: 'begun anew', tone: '' },
  'session:erase': { words: 'erased', tone: 'bad' },
  'session:export': { words: 'exported', tone: 'warn' },
  'model:fallback': { words: 'another model answers', tone: 'warn' },
  'session:end': { words: 'session ended', tone: '' },
  'agent:start': { words: 'turn began', tone: '' },
  'agent:step': { words: 'step of a turn', tone: '' },
  'command:*': { words: 'command', tone: '' },
  'agent:end': { words: 'turn ended', tone: '' },
};

export function describeEvent(event) {
  switch (event.type) {
    case 'session:compress':
      return `#${event.compactionId} by ${event.engine}, ${event.trigger.replaceAll('_', ' ')}: ${outcomeWords(event.outcome)}, ${number(event.figures.tokensBefore)} → ${number(event.figures.tokensAfter)} tokens`;
    case 'session:erase':
      return `a ${event.scope}: ${plural(event.messages, 'message')}, ${plural(event.summaries, 'summary', 'summaries')}`;
    case 'model:fallback':
      return `reads about ${number(event.promptTokens)} tokens anew`;
    case 'agent:end':
      return `${event.outcome} after ${plural(event.steps, 'step')}`;
    default:
      return event.platform ?? '';
  }
}
