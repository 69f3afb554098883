import { GatewayError, type DeadHookDelivery, type TroubledReply } from '@palimpsest/core';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { operator } from '../operator.ts';
import { print } from '../print.ts';
import { withStore, withStoreAndQueue } from '../with-store.ts';

interface Flags {
  json?: boolean;
}

const json = ['--json', 'one JSON object'] as const;
const listed = 100;
const letter = '<letter>';
const letterWords = 'reply:ID or hook:NAME:EVENT, as `dead list` prints it';

/** dead list | retry | drop: what was given up or has no receipt; each act leaves a row that says who did it. */
export function addDeadCommands(program: Command, context: CliContext): void {
  const dead = program
    .command('dead')
    .description('replies and events that were given up: look, try again, drop');
  dead
    .command('list')
    .description(
      'newest first: replies without a receipt, refused or given up, and events that a hook did not take',
    )
    .option(...json)
    .action((flags: Flags) => list(context, flags));
  dead
    .command('retry')
    .argument(letter, letterWords)
    .description('send it again; of a reply only the parts without a receipt')
    .option(...json)
    .action((which: string, flags: Flags) => settle(context, { which, wish: 'retry' }, flags));
  dead
    .command('drop')
    .argument(letter, letterWords)
    .description('nobody will send it')
    .option(...json)
    .action((which: string, flags: Flags) => settle(context, { which, wish: 'drop' }, flags));
}

function list(context: CliContext, flags: Flags): Promise<void> {
  return withStore(context, async (store) => {
    const replies = await store.boards.deliveries({ limit: listed });
    const hooks = await store.hooks.dead(listed);
    const lines = [...replies.map(replyLine), ...hooks.map(hookLine)];
    print(flags.json, { replies, hooks }, lines.length > 0 ? lines : ['Nothing was given up.']);
  });
}

function replyLine(reply: TroubledReply): string {
  const { id, createdAt, state, platform, attempts, partsSent, parts, problem } = reply;
  return `reply:${id}  ${createdAt.toISOString()}  ${state}  ${platform}  ${partsSent} of ${parts} parts sent, ${attempts} attempts${problem === null ? '' : `; ${problem}`}`;
}

function hookLine({ subscriber, eventId, createdAt, type, attempts, problem }: DeadHookDelivery): string {
  return `hook:${subscriber}:${eventId}  ${createdAt.toISOString()}  ${type}  ${attempts} attempts${problem === null ? '' : `; ${problem}`}`;
}

/** Exit code 1 when there is no such letter. */
function settle(
  context: CliContext,
  { which, wish }: { which: string; wish: 'retry' | 'drop' },
  flags: Flags,
): Promise<void> {
  const actor = operator();
  return withStoreAndQueue(context, async ({ store, queue }) => {
    const hook = /^hook:([a-z][a-z0-9_-]*):(\d+)$/.exec(which);
    const reply = /^reply:(\d+)$/.exec(which);
    let isDone = false;
    if (hook) {
      const key = { subscriber: hook[1] ?? '', eventId: Number(hook[2]) };
      isDone = await store.hooks.settleDead(key, wish, actor);
    } else if (reply && wish === 'drop') {
      isDone = (await store.actions.dropDelivery(Number(reply[1]), actor)) === null;
    } else if (reply) {
      const end = await store.actions.retryDelivery(Number(reply[1]), actor);
      isDone = typeof end === 'object';
      // A wake-up that is lost is made good by the sweeper.
      if (typeof end === 'object') await queue.deliver(end.account).catch(() => {});
    } else
      throw new GatewayError('input_invalid', `${JSON.stringify(which)} names no letter: ${letterWords}.`);
    if (!isDone)
      throw new GatewayError(
        'row_missing',
        `${which} waits for nobody (any more); dead list shows what does.`,
      );
    print(flags.json, { letter: which, done: wish }, [
      wish === 'retry' ? `${which} is tried again` : `${which} is dropped`,
    ]);
  });
}
