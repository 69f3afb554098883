import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { databaseFindings } from '../doctor/database-findings.ts';
import { engineFinding } from '../doctor/engine-finding.ts';
import { counted, fine, problem, type Finding } from '../doctor/finding.ts';
import { modelFindings } from '../doctor/model-findings.ts';
import { platformFindings, type ChatPlatform } from '../doctor/platform-findings.ts';
import { queueFindings } from '../doctor/queue-finding.ts';
import { toolFindings } from '../doctor/tool-findings.ts';
import { examineSettings, type SettingsProblem } from '../settings.ts';

/** doctor: each part with what was found and, where it is not fine, what to do. Exit code 1 when something is broken. */
export function addDoctorCommand(program: Command, context: CliContext): void {
  program
    .command('doctor')
    .description(
      'check config, tokens, intents, database, queue, models, clock and access, and say what to do',
    )
    .option('--json', 'one JSON object')
    .action(async (options: { json?: boolean }) => {
      const findings = await examine(context);
      if (options.json) process.stdout.write(`${JSON.stringify({ findings })}\n`);
      else process.stdout.write(screen(findings));
      if (findings.some((finding) => finding.state === 'problem')) process.exitCode = 1;
    });
}

/** A line a finding, and at the end what somebody reads who is tired. */
function screen(findings: readonly Finding[]): string {
  const count = (wanted: Finding['state']): number => findings.filter(({ state }) => state === wanted).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const end =
    problems + warnings === 0
      ? 'Everything is fine.'
      : `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}${problems > 0 ? '; begin with the problems' : '; it works as it is'}.`;
  const lines = findings.map(
    ({ state, what, words }) =>
      `${state === 'problem' ? 'PROBLEM' : state.padEnd(7)}  ${what.padEnd(10)} ${words}`,
  );
  return [...lines, '', end, ''].join('\n');
}

const platforms: readonly ChatPlatform[] = ['telegram', 'discord'];

/** What is wrong with the settings hides only the part it concerns; every other part is still looked at. */
async function examine(context: CliContext): Promise<Finding[]> {
  const { settings, problems } = examineSettings(context.env, context.folder);
  const isSound = (part: SettingsProblem['part']): boolean => problems.every((one) => one.part !== part);
  // With a config that cannot be read it is not known which server a token belongs to.
  const ask = isSound('config');
  const asked = platforms.filter(isSound).map((platform) => platformFindings(settings, platform, ask));
  return [
    ...(isSound('config') ? [fine('config', settings.configFile ?? 'no config.yaml; defaults hold')] : []),
    ...problems.map(({ part, error }) => problem(part, error.message.replaceAll('\n', ' '))),
    ...modelFindings(settings),
    ...(await Promise.all(asked)).flat(),
    ...(isSound('database') ? await databaseFindings(settings) : []),
    ...(isSound('queue') ? await queueFindings(settings) : []),
    ...(isSound('config') ? [await engineFinding(settings), ...(await toolFindings(settings))] : []),
  ];
}
