import { notice, type Turn, type WaitingMail } from '@palimpsest/core';
import { counted, durationWords } from './duration-words.ts';

/** The answer to /queue: what waits behind the answer being written, never what it says. */
export function queueText({ messages, oldestMs, commands }: WaitingMail, running: Turn | null): string {
  const now = running ? 'An answer is being written; /stop ends it.' : 'Nothing is running.';
  if (messages === 0 && commands.length === 0) return notice(`${now} Nothing waits.`);
  const what = [
    ...(messages > 0 ? [counted(messages, 'message')] : []),
    ...(commands.length > 0 ? [commands.map((name) => `/${name}`).join(', ')] : []),
  ];
  const verb = messages + commands.length === 1 ? 'waits' : 'wait';
  return notice(`${now} ${what.join(' and ')} ${verb}, the oldest for ${durationWords(oldestMs)}.`);
}
