import type { Command } from 'commander';
import { GatewayError, type Store } from '@palimpsest/core';
import { createQueue } from '@palimpsest/queue';
import { createLogger } from '../create-logger.ts';
import type { CliContext } from '../cli-context.ts';
import { readSettings, type Settings } from '../settings.ts';
import { createMainModel } from '../start-parts.ts';
import { withStore } from '../with-store.ts';

interface Finding {
  what: string;
  state: 'fine' | 'warning' | 'problem';
  words: string;
}

/** A model window below this makes long conversations condense very often (decision 2: warned of, never refused). */
const smallWindowTokens = 64_000;

/** doctor: each part with what was found and, where it is not fine, what to do. Exit code 1 when something is broken. */
export function addDoctorCommand(program: Command, context: CliContext): void {
  program
    .command('doctor')
    .description('check config, database, queue, model and access')
    .option('--json', 'one JSON object')
    .action(async (options: { json?: boolean }) => {
      const findings = await examine(context);
      if (options.json) process.stdout.write(`${JSON.stringify({ findings })}\n`);
      else
        for (const finding of findings)
          process.stdout.write(`${finding.state.padEnd(8)} ${finding.what.padEnd(10)} ${finding.words}\n`);
      if (findings.some((finding) => finding.state === 'problem')) process.exitCode = 1;
    });
}

async function examine(context: CliContext): Promise<Finding[]> {
  const settings = readSettings(context.env, context.folder);
  const findings: Finding[] = [
    { what: 'config', state: 'fine', words: settings.configFile ?? 'no config.yaml; defaults hold' },
  ];
  findings.push(...modelFindings(settings), ...platformFindings(settings));
  findings.push(...(await databaseFindings(context)), await queueFinding(settings));
  return findings;
}

function modelFindings(settings: Settings): Finding[] {
  const { info } = createMainModel(settings);
  const words = `${info.label}, window ${info.windowTokens} (${info.windowSource})`;
  if (info.provider === 'offline') {
    return [
      {
        what: 'model',
        state: 'warning',
        words: `${words}; no key is set: put ANTHROPIC_API_KEY, OPENROUTER_API_KEY or OPENAI_API_KEY into .env`,
      },
    ];
  }
  if (info.windowSource === 'default')
    return [
      { what: 'model', state: 'warning', words: `${words}; the model is unknown: set model.context_length` },
    ];
  if (info.windowTokens < smallWindowTokens)
    return [
      {
        what: 'model',
        state: 'warning',
        words: `${words}; below ${smallWindowTokens} tokens it condenses often`,
      },
    ];
  return [{ what: 'model', state: 'fine', words }];
}

function platformFindings(settings: Settings): Finding[] {
  const tokens = { telegram: settings.telegramToken, discord: settings.discordToken };
  return (['telegram', 'discord'] as const).map((platform): Finding => {
    const { allow_all: open, allowed_users: users } = settings.config.platforms[platform];
    if (!tokens[platform]) return { what: platform, state: 'fine', words: 'off: no token' };
    if (open)
      return {
        what: platform,
        state: 'warning',
        words: 'allow_all: anyone may talk to the bot at your cost',
      };
    const words =
      users.length === 0
        ? 'token set; nobody is allowed by the config yet (access allow lets people in)'
        : `token set, ${users.length} people allowed by the config`;
    return { what: platform, state: 'fine', words };
  });
}

async function databaseFindings(context: CliContext): Promise<Finding[]> {
  try {
    const findings: Finding[] = [];
    const look = async (store: Store): Promise<void> => {
      const { version, migrated } = await store.operators.ping();
      findings.push({
        what: 'database',
        state: migrated ? 'fine' : 'problem',
        words: migrated
          ? `Postgres ${version}, migrated`
          : `Postgres ${version}, not migrated: run npm start, or npm run -s palimpsest -- migrate`,
      });
      if (!migrated) return;
      for (const denied of await store.operators.denied(5)) {
        findings.push({
          what: 'access',
          state: 'warning',
          words: `${denied.platform} ${denied.senderId} was turned away ${denied.times} times; to let them in: npm run -s palimpsest -- access allow ${denied.platform} ${denied.senderId}`,
        });
      }
    };
    await withStore(context, look, { evenUnmigrated: true });
    return findings;
  } catch (thrown) {
    return [
      {
        what: 'database',
        state: 'problem',
        words: thrown instanceof GatewayError ? thrown.message : 'could not be asked',
      },
    ];
  }
}

async function queueFinding(settings: Settings): Promise<Finding> {
  if (!settings.redisUrl)
    return { what: 'queue', state: 'fine', words: 'BullMQ on Postgres (REDIS_URL is not set)' };
  const queue = await createQueue({
    redisUrl: settings.redisUrl,
    databaseUrl: '',
    logger: createLogger('silent'),
  });
  try {
    await queue.ping();
    return { what: 'queue', state: 'fine', words: 'Redis answers' };
  } catch (thrown) {
    return {
      what: 'queue',
      state: 'problem',
      words: thrown instanceof GatewayError ? thrown.message : 'Redis does not answer',
    };
  } finally {
    await queue.close();
  }
}
