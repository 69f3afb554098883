/** Kills workers at random times and starts others in their place. */
import { setTimeout as wait } from 'node:timers/promises';
import { untilRunning, type Program } from './program.ts';

export interface Storm {
  /** Workers killed so far. */
  readonly kills: number;
  /** End the killing; the workers that run now stay. */
  stop(): Promise<void>;
}

/**
 * Keep `workers` alive by starting a new one for every one killed; about `everyMs` between two kills, half to one and a
 * half times that. Only workers that run are killed: one that is still starting does no work.
 */
export function startStorm(options: { workers: Program[]; everyMs: number; start(): Program }): Storm {
  const { everyMs } = options;
  const workers = options.workers.map((program) => ({ program, running: Promise.resolve(program) }));
  const state = { kills: 0, over: false };
  const storming = (async () => {
    while (!state.over) {
      await wait(everyMs * (0.5 + Math.random()));
      const index = Math.floor(Math.random() * workers.length);
      const victim = workers[index];
      if (state.over || victim === undefined) return;
      await victim.running;
      await victim.program.kill();
      state.kills += 1;
      const program = options.start();
      const running = untilRunning(program);
      running.catch(() => {});
      workers[index] = { program, running };
    }
  })();
  return {
    get kills() {
      return state.kills;
    },
    async stop() {
      state.over = true;
      await storming;
      await Promise.all(workers.map(({ running }) => running));
    },
  };
}
