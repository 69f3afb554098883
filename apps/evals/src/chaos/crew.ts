/** The processes of a run: which one lives, and a new one for each that was killed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { programs, type ProgramName } from './faults.ts';
import { launch, untilRunning, type Program } from './program.ts';

const clockModule = new URL('./shifted-clock.ts', import.meta.url).href;

export interface CrewOptions {
  /** Working folder of the programs; their clocks stand there. */
  folder: string;
  /** The whole environment of the n-th start of a program. */
  envOf(name: ProgramName, start: number): Readonly<Record<string, string>>;
}

/** Two gateways and three workers that are killed, frozen and started again. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #running = new Map<ProgramName, Program>();
  readonly #starts = new Map<ProgramName, number>();
  readonly #all: { name: ProgramName; program: Program }[] = [];
  #isOver = false;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  /** Start all of them, and wait until all run. */
  async start(): Promise<void> {
    for (const name of programs) this.#begin(name);
    await Promise.all(programs.map((name) => this.#untilOneRuns(name)));
  }

  async kill(name: ProgramName): Promise<void> {
    await this.#running.get(name)?.kill();
  }

  freeze(name: ProgramName): void {
    this.#running.get(name)?.freeze();
  }

  thaw(name: ProgramName): void {
    this.#running.get(name)?.thaw();
  }

  shiftClock(name: ProgramName, byMs: number): void {
    writeFileSync(this.#clockFile(name), String(byMs));
  }

  /** Everything runs, at the right time. */
  async heal(): Promise<void> {
    for (const name of programs) {
      this.thaw(name);
      this.shiftClock(name, 0);
    }
    await Promise.all(programs.map((name) => this.#untilOneRuns(name)));
  }

  /** SIGTERM to all; the names of those that did not end well, with how. */
  async stop(): Promise<string[]> {
    this.#isOver = true;
    const ends = [...this.#running].map(async ([name, program]) => {
      const { code, signal } = await program.stop('SIGTERM');
      return code === 0 ? [] : [`${name} ended with code ${code}, signal ${signal} when told to stop`];
    });
    return (await Promise.all(ends)).flat();
  }

  async killAll(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#running.values()].map((program) => program.kill()));
  }

  /** What each start of each program wrote. */
  logs(): { name: string; text: string }[] {
    return this.#all.map(({ name, program }, index) => ({
      name: `${String(index).padStart(3, '0')}-${name}-${program.pid}`,
      text: `${program.output()}\n${program.log()}`,
    }));
  }

  /** One that died, whoever killed it, is replaced at once, as an operator's supervisor would do. */
  #begin(name: ProgramName): void {
    const start = (this.#starts.get(name) ?? 0) + 1;
    this.#starts.set(name, start);
    const program = launch({
      command: ['apps/cli/src/main.ts', name.startsWith('gateway') ? 'gateway' : 'worker'],
      env: this.#options.envOf(name, start),
      folder: this.#options.folder,
      imports: [`${clockModule}?${encodeURIComponent(this.#clockFile(name))}`],
    });
    this.#running.set(name, program);
    this.#all.push({ name, program });
    void program.ended.then(() => !this.#isOver && this.#begin(name));
  }

  async #untilOneRuns(name: ProgramName): Promise<void> {
    for (;;) {
      const program = this.#running.get(name)!;
      try {
        await untilRunning(program);
        return;
      } catch (thrown) {
        // It ended while it started, and another was started in its place.
        if (this.#isOver || this.#running.get(name) === program) throw thrown;
      }
    }
  }

  #clockFile(name: ProgramName): string {
    return join(this.#options.folder, `${name}.clock`);
  }
}
