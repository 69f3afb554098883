/** Routes about the bot itself: gateway address, user, direct channels, commands. */
import { intentBit } from './intents.ts';
import { idParam, type FakeParts, type RestAnswer, type RestCall, type RestRoute } from './rest-call.ts';
import { invalidField, refuse } from './rest-refusal.ts';
import { showChannel, showUser } from './wire-shape.ts';

type Command = Record<string, unknown>;

const plenty = { limit: 30, windowMs: 30_000 };
const twoPerFive = { limit: 2, windowMs: 5000 };
const globalCommands = '/applications/{application_id}/commands';
const guildCommands = '/applications/{application_id}/guilds/{guild_id}/commands';

export const accountRoutes: readonly RestRoute[] = [
  { method: 'GET', template: '/gateway', size: plenty, open: true, run: getGateway },
  { method: 'GET', template: '/gateway/bot', size: twoPerFive, run: getGatewayBot },
  { method: 'GET', template: '/users/@me', size: plenty, run: getSelf },
  { method: 'GET', template: '/users/{user_id}', size: plenty, run: getUser },
  { method: 'POST', template: '/users/@me/channels', size: plenty, run: openDirectChannel },
  { method: 'GET', template: '/applications/@me', size: plenty, run: getApplication },
  { method: 'GET', template: globalCommands, size: plenty, run: listCommands },
  { method: 'PUT', template: globalCommands, size: plenty, run: replaceCommands },
  { method: 'POST', template: globalCommands, size: plenty, run: addCommand },
  { method: 'GET', template: guildCommands, size: plenty, run: listCommands },
  { method: 'PUT', template: guildCommands, size: plenty, run: replaceCommands },
  { method: 'POST', template: guildCommands, size: plenty, run: addCommand },
];

function getGateway(_call: RestCall, parts: FakeParts): RestAnswer {
  return { status: 200, body: { url: parts.gateway.url } };
}

function getGatewayBot(_call: RestCall, parts: FakeParts): RestAnswer {
  const { settings, gateway } = parts;
  const limit = {
    total: 1000,
    remaining: gateway.identifiesLeft,
    reset_after: 14_400_000,
    max_concurrency: settings.maxConcurrency,
  };
  return { status: 200, body: { url: gateway.url, shards: 1, session_start_limit: limit } };
}

function getSelf(_call: RestCall, parts: FakeParts): RestAnswer {
  return {
    status: 200,
    body: { ...showUser(parts.botUser), verified: true, mfa_enabled: true, email: null, flags: 0 },
  };
}

function getUser(call: RestCall, parts: FakeParts): RestAnswer {
  const user = parts.world.users.get(idParam(call, 'user_id'));
  if (user === undefined) throw refuse.unknownUser();
  return { status: 200, body: showUser(user) };
}

/** Open the direct channel with a user, or return the one that exists. */
function openDirectChannel(call: RestCall, parts: FakeParts): RestAnswer {
  const { recipient_id: recipientId } = (call.body ?? {}) as { recipient_id?: string };
  const user = recipientId === undefined ? undefined : parts.world.users.get(recipientId);
  if (user === undefined) throw invalidField('recipient_id', 'NUMBER_TYPE_COERCE', 'Invalid Recipient(s)');
  if (user.id === parts.botId) throw refuse.cannotMessageUser();
  const known = parts.world.directChannelWith(user.id);
  const channel = known ?? { id: parts.nextId(), type: 1 as const, recipient: user };
  parts.world.channels.set(channel.id, channel);
  return { status: 200, body: showChannel(parts.world, channel) };
}

function getApplication(_call: RestCall, parts: FakeParts): RestAnswer {
  const { applicationId, intentsGranted } = parts.settings;
  const body = {
    id: applicationId,
    name: parts.botUser.username,
    icon: null,
    description: '',
    bot_public: false,
    flags: flagsOf(intentsGranted),
    verify_key: '0'.repeat(64),
  };
  return { status: 200, body };
}

/** The privileged intents as an application's flags, of a bot in less than 100 servers. */
function flagsOf(intents: number): number {
  const granted = (bit: number, flag: number): number => ((intents & bit) === 0 ? 0 : flag);
  return (
    granted(intentBit.guildPresences, 1 << 13) |
    granted(intentBit.guildMembers, 1 << 15) |
    granted(intentBit.messageContent, 1 << 19)
  );
}

function scopeOf(call: RestCall, parts: FakeParts): string {
  if (idParam(call, 'application_id') !== parts.settings.applicationId) throw refuse.missingAccess();
  if (call.params['guild_id'] === undefined) return 'global';
  if (!parts.world.guilds.has(idParam(call, 'guild_id'))) throw refuse.missingAccess();
  return idParam(call, 'guild_id');
}

function listCommands(call: RestCall, parts: FakeParts): RestAnswer {
  return { status: 200, body: parts.commands.get(scopeOf(call, parts)) ?? [] };
}

function replaceCommands(call: RestCall, parts: FakeParts): RestAnswer {
  const scope = scopeOf(call, parts);
  const wishes = (call.body ?? []) as Command[];
  refuseTooMany(wishes);
  const before = parts.commands.get(scope) ?? [];
  const after = wishes.map((wish) => deployed(wish, before, parts));
  parts.commands.set(scope, after);
  return { status: 200, body: after };
}

/** Create a command, or overwrite the one of the same name and type: 201 or 200. */
function addCommand(call: RestCall, parts: FakeParts): RestAnswer {
  const scope = scopeOf(call, parts);
  const before = parts.commands.get(scope) ?? [];
  const command = deployed(call.body as Command, before, parts);
  const others = before.filter((known) => known['id'] !== command['id']);
  refuseTooMany([...others, command]);
  parts.commands.set(scope, [...others, command]);
  return { status: others.length === before.length ? 201 : 200, body: command };
}

function deployed(wish: Command, before: readonly Command[], parts: FakeParts): Command {
  const type = wish['type'] ?? 1;
  const known = before.find((command) => command['name'] === wish['name'] && command['type'] === type);
  if (type === 1 && !/^[-_'\p{L}\p{N}]{1,32}$/u.test(String(wish['name']))) {
    throw invalidField('name', 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
  }
  return {
    ...wish,
    id: known?.['id'] ?? parts.nextId(),
    application_id: parts.settings.applicationId,
    type,
    version: parts.nextId(),
    default_member_permissions: wish['default_member_permissions'] ?? null,
  };
}

/** At most 100 chat-input commands in one scope. */
function refuseTooMany(commands: readonly Command[]): void {
  const count = commands.filter((command) => (command['type'] ?? 1) === 1).length;
  if (count > 100) throw invalidField('commands', 'BASE_TYPE_MAX_LENGTH', 'Must be 100 or fewer in length.');
}
