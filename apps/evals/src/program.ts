import { parseArgs } from 'node:util';
import { GatewayError } from '@palimpsest/core';
import { benchNames, runBench } from './bench/run-bench.ts';
import type { QueueBackend } from './bench/figures.ts';
import type { EvalContext } from './context.ts';
import { tailModes, type TailMode } from './recall/recall-result.ts';
import { runRecall } from './recall/run-recall.ts';
import { matrixEngines, type MatrixEngine } from './replay-all/matrix.ts';
import { runChaos } from './chaos/run-chaos.ts';
import { runReplayAll } from './replay-all/run-replay-all.ts';
import { runScale } from './scale/run-scale.ts';

const usage = `usage:
  bench ${benchNames.join('|')} [--json] [--sessions N] [--messages N] [--rate N] [--queue redis|postgres] [--speed N]
        load: [--seconds N of a step] [--minutes M of the memory run] [--rows N of the large database, such as 10000000]
        search: [--rows N of other sessions] [--searches N]
        dashboard: [--rows N of the long session] [--seconds N, half of the time that 50 pages are open]
  recall --transcript FILE [--transcript FILE …] [--qa FILE] [--engine compressor|lcm|dcp] [--tail-mode lean|legacy] [--window N] [--budget TOKENS] [--identifiers N] [--answers N questions for the configured model] [--json]
  chaos [--minutes M] [--seed S] [--json] [--logs FOLDER]
  scale [--seconds N of a step] [--postgres-cores N] [--model-seconds N] [--json]
  replay-all [--engine compressor|lcm|dcp] [--json] [--only TEXT] [--at-once N]
`;

/** Run one command of this program; its exit code. */
export async function runProgram(argv: readonly string[], context: EvalContext): Promise<number> {
  const { values, positionals } = parse(argv);
  const [command, name] = positionals;
  if (command === 'bench' && name !== undefined) {
    return runBench(name, context, {
      json: values.json,
      sessions: wholeNumber(values.sessions, 'sessions'),
      messages: wholeNumber(values.messages, 'messages'),
      perSecond: wholeNumber(values.rate, 'rate'),
      queues: queuesNamed(values.queue),
      speed: wholeNumber(values.speed, 'speed'),
      seconds: wholeNumber(values.seconds, 'seconds'),
      minutes: minutesNamed(values.minutes ?? '30'),
      searches: wholeNumber(values.searches, 'searches'),
      rows: values.rows === '' ? 0 : wholeNumber(values.rows, 'rows'),
    });
  }
  if (command === 'replay-all') {
    const atOnce = wholeNumber(values['at-once'], 'at-once');
    const engine = engineNamed(values.engine);
    return runReplayAll(context, { engine, json: values.json, only: values.only, atOnce });
  }
  if (command === 'recall') {
    return runRecall(context, {
      transcripts: values.transcript,
      questions: values.qa === '' ? null : values.qa,
      engine: engineNamed(values.engine),
      tailMode: values['tail-mode'] === '' ? null : tailModeNamed(values['tail-mode']),
      window: wholeNumber(values.window, 'window'),
      budget: wholeNumber(values.budget, 'budget'),
      identifiers: wholeNumber(values.identifiers, 'identifiers'),
      answers: values.answers === '' ? 0 : wholeNumber(values.answers, 'answers'),
      json: values.json,
    });
  }
  if (command === 'scale') {
    return runScale(context, {
      json: values.json,
      seconds: wholeNumber(values.seconds, 'seconds'),
      postgresCores: wholeNumber(values['postgres-cores'], 'postgres-cores'),
      modelSeconds: wholeNumber(values['model-seconds'], 'model-seconds'),
    });
  }
  if (command === 'chaos') {
    const seed = wholeNumber(values.seed, 'seed');
    return runChaos(context, {
      minutes: minutesNamed(values.minutes ?? '3'),
      seed,
      json: values.json,
      logs: values.logs,
    });
  }
  context.progress(usage);
  return 2;
}

function parse(argv: readonly string[]) {
  const options = {
    json: { type: 'boolean', default: false },
    sessions: { type: 'string', default: '1000' },
    messages: { type: 'string', default: '10' },
    rate: { type: 'string', default: '200' },
    queue: { type: 'string', default: 'both' },
    speed: { type: 'string', default: '5' },
    engine: { type: 'string', default: 'compressor' },
    only: { type: 'string', default: '' },
    minutes: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    rows: { type: 'string', default: '' },
    'postgres-cores': { type: 'string', default: '8' },
    'model-seconds': { type: 'string', default: '5' },
    searches: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    logs: { type: 'string', default: '' },
    'at-once': { type: 'string', default: '2' },
    transcript: { type: 'string', multiple: true, default: [] as string[] },
    qa: { type: 'string', default: '' },
    'tail-mode': { type: 'string', default: '' },
    window: { type: 'string', default: '16000' },
    budget: { type: 'string', default: '1500' },
    identifiers: { type: 'string', default: '400' },
    answers: { type: 'string', default: '' },
  } as const;
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (cause) {
    const seen = cause instanceof Error ? cause.message : String(cause);
    throw new GatewayError('input_invalid', `${seen}\n${usage}`, { cause });
  }
}

function queuesNamed(text: string): readonly QueueBackend[] {
  if (text === 'both') return ['redis', 'postgres'];
  if (text === 'redis' || text === 'postgres') return [text];
  throw new GatewayError(
    'input_invalid',
    `--queue is ${JSON.stringify(text)}; allowed: redis, postgres, both`,
  );
}

function engineNamed(text: string): MatrixEngine {
  const engine = matrixEngines.find((name) => name === text);
  if (engine) return engine;
  throw new GatewayError(
    'input_invalid',
    `--engine is ${JSON.stringify(text)}; allowed: ${matrixEngines.join(', ')}`,
  );
}

function tailModeNamed(text: string): TailMode {
  const mode = tailModes.find((name) => name === text);
  if (mode) return mode;
  throw new GatewayError(
    'input_invalid',
    `--tail-mode is ${JSON.stringify(text)}; allowed: ${tailModes.join(', ')}`,
  );
}

function minutesNamed(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && minutes <= 24 * 60) return minutes;
  throw new GatewayError(
    'input_invalid',
    `--minutes is ${JSON.stringify(text)}; a number above 0 is allowed, such as 0.5`,
  );
}

function wholeNumber(text: string, option: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1) return number;
  throw new GatewayError(
    'input_invalid',
    `--${option} is ${JSON.stringify(text)}; a whole number from 1 on is allowed`,
  );
}
