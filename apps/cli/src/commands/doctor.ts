import type { Command } from 'commander';
import { GatewayError, toGatewayError, type ModelInfo, type Store } from '@palimpsest/core';
import { createQueue } from '@palimpsest/queue';
import { createLogger } from '../create-logger.ts';
import type { CliContext } from '../cli-context.ts';
import { engineFinding } from '../engine-finding.ts';
import { fine, problem, warning, type Finding } from '../finding.ts';
import { examineSettings, type Settings, type SettingsProblem } from '../settings.ts';
import { createMainModel } from '../start-parts.ts';
import { toolFindings } from '../tool-findings.ts';
import { withStoreOf } from '../with-store.ts';

/** A model window below this makes long conversations condense very often (warned of, never refused). */
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

/** What is wrong with the settings hides only the part it concerns; every other part is still looked at. */
async function examine(context: CliContext): Promise<Finding[]> {
  const { settings, problems } = examineSettings(context.env, context.folder);
  const isSound = (part: SettingsProblem['part']): boolean => problems.every((one) => one.part !== part);
  return [
    ...(isSound('config') ? [fine('config', settings.configFile ?? 'no config.yaml; defaults hold')] : []),
    ...problems.map(({ part, error }) => problem(part, error.message.replaceAll('\n', ' '))),
    ...modelFindings(settings),
    ...platforms.filter(isSound).map((platform) => platformFinding(settings, platform)),
    ...(isSound('database') ? await databaseFindings(settings) : []),
    ...(isSound('queue') ? [await queueFinding(settings)] : []),
    ...(isSound('config') ? [await engineFinding(settings), ...(await toolFindings(settings))] : []),
  ];
}

function modelFindings(settings: Settings): Finding[] {
  try {
    return [modelFinding(createMainModel(settings).info)];
  } catch (thrown) {
    return [problem('model', toGatewayError(thrown).message)];
  }
}

function modelFinding(info: ModelInfo): Finding {
  const words = `${info.label}, window ${info.windowTokens.toLocaleString('en')} (${info.windowSource})`;
  if (info.provider === 'offline')
    return warning(
      'model',
      `${words}; no key is set: put ANTHROPIC_API_KEY, OPENROUTER_API_KEY or OPENAI_API_KEY into .env`,
    );
  if (info.windowSource === 'default')
    return warning('model', `${words}; the model is unknown: set model.context_length`);
  if (info.windowTokens < smallWindowTokens)
    return warning(
      'model',
      `${words}; below ${smallWindowTokens.toLocaleString('en')} tokens it condenses often`,
    );
  return fine('model', words);
}

const platforms = ['telegram', 'discord'] as const;

function platformFinding(settings: Settings, platform: (typeof platforms)[number]): Finding {
  const token = platform === 'telegram' ? settings.telegramToken : settings.discordToken;
  const { allow_all: open, allowed_users: users } = settings.config.platforms[platform];
  if (!token) return fine(platform, 'off: no token');
  if (open) return warning(platform, 'allow_all: anyone may talk to the bot at your cost');
  return fine(
    platform,
    users.length === 0
      ? 'token set; nobody is allowed by the config yet: whoever writes directly gets a code for access approve, unless pairing is off'
      : `token set, ${users.length} people allowed by the config`,
  );
}

async function databaseFindings(settings: Settings): Promise<Finding[]> {
  try {
    const findings: Finding[] = [];
    const look = async (store: Store): Promise<void> => {
      const { version, migrated } = await store.operators.ping();
      findings.push(
        migrated
          ? fine('database', `Postgres ${version}, migrated`)
          : problem(
              'database',
              `Postgres ${version}, not migrated: run npm start, or npm run -s palimpsest -- migrate`,
            ),
      );
      if (!migrated) return;
      for (const denied of await store.operators.denied(5)) {
        findings.push(
          warning(
            'access',
            `${denied.platform} ${denied.senderId} was turned away ${denied.times} times; to let them in: npm run -s palimpsest -- access allow ${denied.platform} ${denied.senderId}`,
          ),
        );
      }
    };
    await withStoreOf(settings, look, { evenUnmigrated: true });
    return findings;
  } catch (thrown) {
    return [problem('database', thrown instanceof GatewayError ? thrown.message : 'could not be asked')];
  }
}

async function queueFinding(settings: Settings): Promise<Finding> {
  if (!settings.redisUrl) return fine('queue', 'BullMQ on Postgres (REDIS_URL is not set)');
  const queue = await createQueue({
    redisUrl: settings.redisUrl,
    databaseUrl: '',
    logger: createLogger('silent'),
  });
  try {
    await queue.ping();
    return fine('queue', 'Redis answers');
  } catch (thrown) {
    return problem('queue', thrown instanceof GatewayError ? thrown.message : 'Redis does not answer');
  } finally {
    await queue.close();
  }
}
