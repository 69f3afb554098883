import {
  GatewayError,
  type ActRefusal,
  type DeadHookDelivery,
  type DeadMessage,
  type TroubledReply,
} from '@palimpsest/core';
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
const letterWords = 'reply:ID, message:SESSION:SEQ or hook:NAME:EVENT, as `dead list` prints it';

/** dead list | retry | drop: what was given up or has no receipt; each act leaves a row that says who did it. */
export function addDeadCommands(program: Command, context: CliContext): void {
  const dead = program
    .command('dead')
    .description('replies, messages and events that were given up: look, try again, drop');
  dead
    .command('list')
    .description(
      'newest first: replies without a receipt, refused or given up, messages that no turn could take, and events that a hook did not take',
    )
    .option(...json)
    .action((flags: Flags) => list(context, flags));
  dead
    .command('retry')
    .argument(letter, letterWords)
    .description('send or answer it again; of a reply only the parts without a receipt')
    .option(...json)
    .action((which: string, flags: Flags) => settle(context, { which, wish: 'retry' }, flags));
  dead
    .command('drop')
    .argument(letter, letterWords)
    .description('nobody will send or answer it')
    .option(...json)
    .action((which: string, flags: Flags) => settle(context, { which, wish: 'drop' }, flags));
}

function list(context: CliContext, flags: Flags): Promise<void> {
  return withStore(context, async (store) => {
    const replies = await store.boards.deliveries({ limit: listed });
    const messages = await store.boards.deadMessages(listed);
    const hooks = await store.hooks.dead(listed);
    const lines = [...replies.map(replyLine), ...messages.map(messageLine), ...hooks.map(hookLine)];
    print(flags.json, { replies, messages, hooks }, lines.length > 0 ? lines : ['Nothing was given up.']);
  });
}

function replyLine(reply: TroubledReply): string {
  const { id, createdAt, state, platform, attempts, partsSent, parts, problem } = reply;
  return `reply:${id}  ${createdAt.toISOString()}  ${state}  ${platform}  ${partsSent} of ${parts} parts sent, ${attempts} attempts${problem === null ? '' : `; ${problem}`}`;
}

function messageLine({ sessionId, seq, acceptedAt, kind, platform, attempts }: DeadMessage): string {
  return `message:${sessionId}:${seq}  ${acceptedAt.toISOString()}  ${kind}  ${platform}  ${attempts} attempts`;
}

function hookLine({ subscriber, eventId, createdAt, type, attempts, problem }: DeadHookDelivery): string {
  return `hook:${subscriber}:${eventId}  ${createdAt.toISOString()}  ${type}  ${attempts} attempts${problem === null ? '' : `; ${problem}`}`;
}

/** Exit code 1 when there is no such letter, or it cannot be done now. */
function settle(
  context: CliContext,
  { which, wish }: { which: string; wish: Wish },
  flags: Flags,
): Promise<void> {
  const kind = kinds.find(({ shape }) => shape.test(which));
  if (!kind)
    throw new GatewayError('input_invalid', `${JSON.stringify(which)} names no letter: ${letterWords}.`);
  const parts = kind.shape.exec(which)?.slice(1) ?? [];
  return withStoreAndQueue(context, async (services) => {
    const refusal = await kind.settle(services, parts, wish);
    if (refusal) throw refusalError(which, refusal);
    print(flags.json, { letter: which, done: wish }, [
      wish === 'retry' ? `${which} is tried again` : `${which} is dropped`,
    ]);
  });
}

type Wish = 'retry' | 'drop';
type Services = Parameters<Parameters<typeof withStoreAndQueue>[1]>[0];

interface LetterKind {
  shape: RegExp;
  /** `parts`: what the shape's groups found. */
  settle(services: Services, parts: readonly string[], wish: Wish): Promise<ActRefusal | null>;
}

/** A wake-up that is lost is made good by the sweeper. */
const kinds: readonly LetterKind[] = [
  {
    shape: /^hook:([a-z][a-z0-9_-]*):(\d+)$/,
    async settle({ store }, [subscriber = '', eventId], wish) {
      const key = { subscriber, eventId: Number(eventId) };
      return (await store.hooks.settleDead(key, wish, operator())) ? null : 'missing';
    },
  },
  {
    shape: /^reply:(\d+)$/,
    async settle({ store, queue }, [id], wish) {
      if (wish === 'drop') return store.actions.dropDelivery(Number(id), operator());
      const end = await store.actions.retryDelivery(Number(id), operator());
      if (typeof end === 'string') return end;
      await queue.deliver(end.account).catch(() => {});
      return null;
    },
  },
  {
    shape: /^message:([\w-]+):(\d+)$/,
    async settle({ store, queue }, [sessionId = '', seq], wish) {
      const key = { sessionId, seq: Number(seq) };
      if (wish === 'drop') return store.actions.dropMessage(key, operator());
      const refusal = await store.actions.retryMessage(key, operator());
      if (refusal === null) await queue.wake(sessionId).catch(() => {});
      return refusal;
    },
  },
];

function refusalError(which: string, refusal: ActRefusal): GatewayError {
  if (refusal === 'busy')
    return new GatewayError('input_invalid', `${which}: a worker holds its session just now; try again.`);
  if (refusal === 'nothing_to_do')
    return new GatewayError(
      'input_invalid',
      `${which}: nothing is left to do for it (every part has its receipt, or its session has ended); drop it.`,
    );
  return new GatewayError('row_missing', `${which} waits for nobody (any more); dead list shows what does.`);
}
