/** Lets one planned fault happen, and ends it when its time is over. */
import { setTimeout as wait } from 'node:timers/promises';
import type { FakeDiscord, FakeTelegram } from '@palimpsest/testkit';
import type { Fault } from './faults.ts';
import type { Stage } from './stage.ts';

const discordSend = 'POST /channels/{channel_id}/messages';

/** Resolves when the fault is over; what it broke may take longer to be well again. */
export async function playFault(stage: Stage, fault: Fault): Promise<void> {
  const { crew, redis, lines, model } = stage;
  switch (fault.kind) {
    case 'kill':
      return crew.kill(fault.program);
    case 'freeze':
      crew.freeze(fault.program);
      await wait(fault.forMs);
      return crew.thaw(fault.program);
    case 'redis_emptied':
      return redis.flush().catch(() => {});
    case 'redis_stopped':
      await redis.kill();
      await wait(fault.forMs);
      return redis.restart();
    case 'redis_frozen':
      redis.freeze();
      await wait(fault.forMs);
      return redis.thaw();
    case 'postgres_crash':
      return crashPostgres(stage);
    case 'cut':
    case 'slow':
    case 'half':
      lines.set(
        fault.server,
        fault.program,
        fault.kind === 'cut'
          ? { kind: 'shut' }
          : fault.kind === 'slow'
            ? { kind: 'slow', delayMs: fault.delayMs }
            : { kind: 'half' },
      );
      await wait(fault.forMs);
      return lines.set(fault.server, fault.program, { kind: 'open' });
    case 'telegram':
      return repeat(fault.times, () => failTelegram(stage.telegram, fault));
    case 'discord':
      return repeat(fault.times, () => failDiscord(stage.discord, fault.how));
    case 'discord_gone':
      stage.discord.muteSocket();
      await wait(fault.forMs);
      return stage.discord.unmuteSocket(fault.resumable);
    case 'model':
      return model.faults.failNext(fault.how, fault.times);
    case 'clock':
      return crew.shiftClock(fault.program, fault.byMs);
    case 'repeated_update':
      return repeatUpdate(stage.telegram);
    default:
      return fault satisfies never;
  }
}

/** SIGQUIT is Postgres's immediate shutdown; its supervisor starts it again. */
function crashPostgres(stage: Stage): void {
  const pid = stage.postmaster();
  if (pid === null) return;
  try {
    process.kill(pid, 'SIGQUIT');
  } catch {
    // Gone already: the crash before this one.
  }
}

function repeat(times: number, act: () => void): void {
  for (let done = 0; done < times; done += 1) act();
}

function failTelegram(telegram: FakeTelegram, { how, method }: Fault & { kind: 'telegram' }): void {
  switch (how) {
    case 'conflict':
      return telegram.failNext(method, {
        error_code: 409,
        description:
          'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
      });
    case 'flood':
      return telegram.failNext(method, {
        error_code: 429,
        description: 'Too Many Requests: retry after 1',
        parameters: { retry_after: 1 },
      });
    case 'error':
      return telegram.failNext(method, { error_code: 502, description: 'Bad Gateway' });
    case 'page':
      return telegram.answerRawNext(method, 502, '<html><title>502 Bad Gateway</title></html>');
    case 'lost_answer':
      return telegram.dropAnswerNext(method);
    case 'cut':
      return telegram.refuseAnswerNext(method);
    case 'slow':
      return telegram.delayNext(method, 3_000);
    default:
      return how satisfies never;
  }
}

function failDiscord(discord: FakeDiscord, how: (Fault & { kind: 'discord' })['how']): void {
  switch (how) {
    case 'limit':
      return discord.limitNext(discordSend, 0.7);
    case 'error':
      return discord.failNext(discordSend, { status: 502, body: '<html>502</html>' });
    case 'lost_answer':
      return discord.dropAnswerNext(discordSend);
    default:
      return how satisfies never;
  }
}

/** The newest one that waits, once more: a server that forgets what it has confirmed looks like this. */
function repeatUpdate(telegram: FakeTelegram): void {
  const update = telegram.pendingUpdates().at(-1);
  if (update !== undefined) telegram.pushUpdate(update);
}
