import type { Adapter } from '@palimpsest/gateway';
import type { ModelClient } from '@palimpsest/core';
import { startLine } from '@palimpsest/providers';
import type { Infrastructure } from './open-infrastructure.ts';
import { print } from './print.ts';
import type { Service } from './service.ts';

export interface FirstScreen {
  parts: Infrastructure;
  model: ModelClient;
  services: readonly Service[];
  adapters: readonly Adapter[];
  pagesUrl: string;
  logFile: string | null;
  /** Said once, by `autoraiseNotice`. */
  compactionLines: readonly string[];
}

/** One readable screen: what was found, where to talk to it, who was turned away last. */
export async function printFirstScreen(screen: FirstScreen, json?: boolean): Promise<void> {
  print(json, firstScreenObject(screen), await firstScreenLines(screen));
}

function firstScreenObject({ parts, model, services, adapters, pagesUrl, logFile }: FirstScreen): object {
  const { label, windowTokens, windowSource } = model.info;
  return {
    running: services,
    pages: pagesUrl,
    accounts: adapters.map(({ listener }) => listener.account),
    model: { label, windowTokens, windowSource },
    database: parts.databaseWords,
    queue: parts.queue.backend,
    config: parts.settings.configFile,
    log: logFile,
  };
}

async function firstScreenLines(screen: FirstScreen): Promise<string[]> {
  const { parts, model } = screen;
  const { settings } = parts;
  const lines = [
    '',
    `  Palimpsest is running (${screen.services.join(', ')})`,
    '',
    row(
      'Web chat',
      screen.services.includes('dashboard') ? `${screen.pagesUrl}/chat` : 'in the dashboard service',
    ),
    row('Operators', `${screen.pagesUrl}/   /healthz /readyz /metrics on the same port`),
    row('Telegram', platformWords(screen, 'telegram')),
    row('Discord', platformWords(screen, 'discord')),
    row('Model', modelWords(model)),
    // Nothing of the offline responder is cached.
    ...(model.info.provider === 'offline' ? [] : [row('', startLine(model.info))]),
    ...screen.compactionLines.map((line, index) => row(index === 0 ? 'Compaction' : '', line)),
    row('Database', parts.databaseWords),
    row(
      'Queue',
      parts.queue.backend === 'redis'
        ? 'BullMQ on Redis'
        : 'BullMQ on the same Postgres (REDIS_URL takes Redis)',
    ),
    row('Config', settings.configFile ?? 'defaults (no config.yaml)'),
    ...(screen.logFile ? [row('Log', screen.logFile)] : []),
    ...(await deniedLines(parts)),
    '',
    '  Ctrl-C stops it; nothing is lost, a second start goes on where this one ends.',
    '',
  ];
  return lines;
}

function row(name: string, words: string): string {
  return `  ${name.padEnd(10)} ${words}`.trimEnd();
}

function platformWords(screen: FirstScreen, platform: 'telegram' | 'discord'): string {
  const { settings } = screen.parts;
  const adapter = screen.adapters.find((one) => one.listener.account.platform === platform);
  const variable = platform === 'telegram' ? 'TELEGRAM_BOT_TOKEN' : 'DISCORD_BOT_TOKEN';
  if (!adapter)
    return settings.config.platforms[platform].enabled ? `off (set ${variable})` : 'off in the config';
  const { allow_all: open, allowed_users: users } = settings.config.platforms[platform];
  const who = open ? 'ANYONE may talk to it (allow_all)' : `${users.length} people allowed by the config`;
  return `bot ${adapter.listener.account.id}, ${who}`;
}

function modelWords(model: ModelClient): string {
  const { label, windowTokens, windowSource } = model.info;
  const unsure = windowSource === 'default' ? ', a guess: set model.context_length' : '';
  return `${label}, window ${windowTokens.toLocaleString('en')} tokens (${windowSource}${unsure})`;
}

/** The last people who were turned away, with the line that lets them in. */
async function deniedLines(parts: Infrastructure): Promise<string[]> {
  const denied = await parts.store.operators.denied(3);
  if (denied.length === 0) return [];
  const lines = denied.map(
    (entry) =>
      `    ${entry.platform} ${entry.senderId} (${entry.reason}, ${entry.times} times)   npm run -s palimpsest -- access allow ${entry.platform} ${entry.senderId}`,
  );
  return ['', '  Turned away lately; the line behind each lets them in:', ...lines];
}
