import { join } from 'node:path';

export type MatrixPlatform = 'telegram' | 'discord' | 'local';

/** One replay of the matrix. */
export interface Cell {
  kind: 'chat' | 'agent';
  /** Relative to the folder of transcripts. */
  file: string;
  platform: MatrixPlatform;
  window: number;
  queue: 'redis' | 'postgres';
  engine: MatrixEngine;
  /** Under dcp: whether the model compresses when asked. */
  nudges: 'follow' | 'ignore';
}

export const matrixEngines = ['compressor', 'lcm', 'dcp'] as const;
export type MatrixEngine = (typeof matrixEngines)[number];

const chatFiles = [26, 41, 43, 47, 49].map((number) => join('chat', `locomo-conv-${number}.jsonl`));
const shortAgentFile = join('agent', 'swe-gym_openhands_sampled_trajectories.jsonl');
export const longAgentFile = join('agent', 'swe-play-trajectories.jsonl');
const queues = ['redis', 'postgres'] as const;

/** Every chat on both platforms, every agent's work in the local chat (its lines are too long for a platform). */
export function matrix(engine: MatrixEngine): Cell[] {
  const chats = chatFiles.flatMap((file) =>
    [8_000, 16_000].flatMap((window) =>
      (['telegram', 'discord'] as const).map(
        (platform) => ({ kind: 'chat', file, platform, window }) as const,
      ),
    ),
  );
  const agents = [shortAgentFile, longAgentFile].flatMap((file) =>
    [32_000, 128_000].map((window) => ({ kind: 'agent', file, platform: 'local', window }) as const),
  );
  const follow = [...chats, ...agents].flatMap((cell) =>
    queues.map((queue) => ({ ...cell, queue, engine, nudges: 'follow' }) as const),
  );
  // Only this engine asks the model; one that never listens must fare as well.
  if (engine !== 'dcp') return follow;
  const ignore = follow.filter(({ kind }) => kind === 'agent');
  return [...follow, ...ignore.map((cell) => ({ ...cell, nudges: 'ignore' }) as const)];
}

export function nameOf(cell: Cell): string {
  const nudges = cell.nudges === 'ignore' ? ' nudges ignored' : '';
  return `${cell.file} ${cell.engine}${nudges} ${cell.platform} ${cell.window} ${cell.queue}`;
}
