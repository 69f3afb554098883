import type { Counterpart } from './counterpart.ts';
import { showProgress } from '../progress.ts';
import { hear } from './hear.ts';
import { finalTexts, notedText } from './recorded-model.ts';
import type { Recording } from './recording.ts';

export type Speed = 'normal' | 'max' | 'burst';

/** One run's answer may take this long before the replay goes on without it and counts it as lost. */
const answerTimeoutMs = 180_000;

export interface Played {
  /** User lines sent, in order. */
  sent: readonly string[];
  /** Lines of runs whose answer was not heard in time. */
  unheard: number;
}

/** Say the user's lines: a run without waiting, the next run after the answer; `burst` never waits. */
export async function play(recording: Recording, counterpart: Counterpart, speed: Speed): Promise<Played> {
  const sent: string[] = [];
  let heardUpTo = 0;
  let unheard = 0;
  const total = recording.exchanges.reduce((sum, { user }) => sum + user.length, 0);
  using progress = showProgress('messages said', total);
  for (const exchange of recording.exchanges) {
    for (const line of exchange.user) {
      await counterpart.say(line.content, sent.length);
      sent.push(line.content);
      progress.at(sent.length);
    }
    if (speed === 'burst') continue;
    const texts = finalTexts(exchange);
    const text = texts.length > 0 ? texts.join('\n\n') : notedText;
    const position = await hear(counterpart, { text, from: heardUpTo, timeoutMs: answerTimeoutMs });
    if (position === null) unheard += exchange.user.length;
    else heardUpTo = position;
  }
  return { sent, unheard };
}
