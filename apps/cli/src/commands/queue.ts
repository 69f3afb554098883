import { toGatewayError, type GaugeFigures, type Queue, type WaitingFigures } from '@palimpsest/core';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { print } from '../print.ts';
import { withStoreAndQueue } from '../with-store.ts';

/** queue: what waits and what runs. The tables are the truth; jobs only wake. */
export function addQueueCommand(program: Command, context: CliContext): void {
  program
    .command('queue')
    .description(
      'what waits: messages, replies, hooks, work of the lossless engine; and the jobs that wake it',
    )
    .option('--json', 'one JSON object')
    .action(({ json }: { json?: boolean }) =>
      withStoreAndQueue(context, async ({ store, queue }) => {
        const figures = await store.operators.gauges();
        const jobs = await jobsOf(queue);
        print(json, { figures, backend: queue.backend, jobs }, [
          ...figureLines(figures),
          ...jobLines(queue, jobs),
        ]);
      }),
    );
}

/** Null with Redis away: what the tables say is still worth a look. */
async function jobsOf(queue: Queue): Promise<Record<string, number> | string> {
  try {
    await queue.ping();
    return await queue.counts();
  } catch (thrown) {
    return toGatewayError(thrown).message;
  }
}

function figureLines(figures: GaugeFigures): string[] {
  const { mailbox, delivery, deliveryUnknown, dead, turnsRunning, lcmDebts } = figures;
  return [
    `messages    ${waitingWords(mailbox)}`,
    `turns       ${turnsRunning} running`,
    `replies     ${waitingWords(delivery)}${deliveryUnknown > 0 ? `; ${deliveryUnknown} without a receipt` : ''}`,
    `owed work   ${lcmDebts.length === 0 ? 'none' : lcmDebts.map(({ reason, sessions, oldestSeconds }) => `${sessions} sessions (${reason}), oldest ${ageWords(oldestSeconds)}`).join('; ')}`,
    `given up    ${dead.mailbox} messages, ${dead.outbox} replies, ${dead.hook} hook deliveries${dead.outbox + dead.hook > 0 ? '; palimpsest dead list shows them' : ''}`,
  ];
}

function waitingWords(waiting: readonly WaitingFigures[]): string {
  const some = waiting.filter(({ pending }) => pending > 0);
  if (some.length === 0) return 'none waits';
  return some
    .map(
      ({ platform, pending, oldestSeconds }) =>
        `${pending} on ${platform}, oldest ${ageWords(oldestSeconds)}`,
    )
    .join('; ');
}

function ageWords(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

function jobLines({ backend }: Queue, jobs: Record<string, number> | string): string[] {
  if (typeof jobs === 'string') return [`jobs        ${jobs}`];
  const words = Object.entries(jobs).map(([state, count]) => `${state} ${count}`);
  return [`jobs        BullMQ on ${backend}: ${words.join(', ') || 'none'}`];
}
