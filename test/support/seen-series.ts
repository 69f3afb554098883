/** What came out of running code: series of a strict meter, as the text of /metrics tells them. */
import { createMeter, exportFigures, exportViolations, type PrometheusMeter } from '@palimpsest/metrics';
import { expect } from 'vitest';
import type { TurnWorld } from './turn-world.ts';

/** One meter for all worlds of a test file; what it ever showed is kept. */
export class SeenSeries {
  readonly meter: PrometheusMeter = createMeter({ strict: true });
  readonly #seen = new Set<string>();

  /** Each of these, as `name label=value …` with the labels in the order of the alphabet, came out by now. */
  async expectSeries(...wanted: readonly string[]): Promise<void> {
    for (const series of seriesIn(await this.meter.text())) this.#seen.add(series);
    expect(wanted.filter((series) => !this.#seen.has(series))).toEqual([]);
  }

  /** Report the figures of the world's database, as its one exporter does. */
  async exportFrom({ store }: TurnWorld): Promise<void> {
    const { operators, leases, lcm } = store;
    const figures = await exportFigures(this.meter, { operators, leases, owner: 'test' });
    await exportViolations(this.meter, lcm, figures!.lcmSessions);
  }

  names(): ReadonlySet<string> {
    return new Set([...this.#seen].map((series) => series.split(' ')[0]!));
  }
}

/** Histograms by their count. What is only begun, at 0, is nothing yet; a gauge at 0 says something. */
function seriesIn(text: string): string[] {
  const types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name!, type!]));
  return [...text.matchAll(/^(gateway_\w+)(?:\{(.*)\})? (\S+)$/gm)].flatMap(
    ([, line, labels = '', value]) => {
      const name = types.has(line!) ? line! : line!.replace(/_count$/, '');
      const type = types.get(name);
      if (type === undefined || (type !== 'gauge' && Number(value) === 0)) return [];
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, of]) => `${label}=${of}`);
      return [[name, ...pairs.toSorted()].join(' ')];
    },
  );
}
