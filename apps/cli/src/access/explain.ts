import {
  accessListsOf,
  adminsOf,
  groupRulesOf,
  offersPairing,
  passGate,
  traceAccess,
  type Config,
  type Platform,
  type Store,
  type UpdateFate,
} from '@palimpsest/core';
import { reasonWords } from './reason-words.ts';

export interface ExplainWish {
  platform: Platform;
  messageId?: string;
  userId?: string;
  chatId?: string;
}

type ExplainStore = Pick<Store, 'access' | 'operators'>;

/** Why messages were answered or not, and what would become of the next one: a line a step. */
export async function explainAccess(
  store: ExplainStore,
  config: Config,
  wish: ExplainWish,
): Promise<string[]> {
  const { platform, messageId, userId: senderId, chatId } = wish;
  const fates = await store.access.fates({ platform, messageId, senderId, chatId });
  const last = fates[0];
  const userId = senderId ?? last?.senderId ?? undefined;
  const lines = fates.length > 0 ? fates.flatMap(fateLines) : [nothingWords(wish)];
  if (userId === undefined) return lines;
  const inChat = chatId ?? last?.chatId ?? userId;
  const kind = last?.chatKind ?? (inChat === userId ? 'direct' : guessKind(platform, inChat));
  const place = { chatId: inChat, threadId: last?.threadId ?? '', kind };
  return [
    ...lines,
    '',
    `The next message of person ${userId} in chat ${inChat} (${kind === 'direct' ? 'direct messages' : 'a group'}):`,
    ...(await nextLines(store, config, { platform, userId, place })),
  ];
}

function nothingWords({ platform, messageId, userId }: ExplainWish): string {
  const what = messageId === undefined ? `of person ${userId}` : `with the message id ${messageId}`;
  return `Nothing ${what} came in from ${platform} in the days that are kept. In a group a bot with privacy mode is only given what mentions it; make it an admin there, or switch the mode off with @BotFather and add it to the group anew.`;
}

/** Ids of groups are negative on Telegram; Discord's tell nothing. */
function guessKind(platform: Platform, chatId: string): 'direct' | 'group' {
  return platform === 'telegram' && !chatId.startsWith('-') ? 'direct' : 'group';
}

function fateLines(fate: UpdateFate): string[] {
  const at = fate.receivedAt.toISOString().slice(0, 19).replace('T', ' ');
  const where = [
    fate.chatId === null ? null : `chat ${fate.chatId}`,
    fate.threadId ? `thread ${fate.threadId}` : null,
  ];
  const who = fate.senderId === null ? null : `person ${fate.senderId}`;
  const head = [`${at} UTC`, who, ...where].filter((word) => word !== null).join(', ');
  const why = fate.reason === null ? '' : ` (${fate.reason}): ${reasonWords(fate.reason)}`;
  return [`${head}: ${fate.status}${why}`, ...afterwards(fate)];
}

function afterwards({ mailbox, turn, sessionId, status }: UpdateFate): string[] {
  if (status !== 'stored') return [];
  if (mailbox === null)
    return [`  session ${sessionId ?? 'none'}: it acted at once or changed an older message`];
  const why = mailbox.reason === null ? '' : ` (${mailbox.reason}): ${reasonWords(mailbox.reason)}`;
  return [`  session ${sessionId}: ${mailbox.state}${why}${turn === null ? '' : `, its turn is ${turn}`}`];
}

interface Next {
  platform: Platform;
  userId: string;
  place: { chatId: string; threadId: string; kind: 'direct' | 'group' };
}

/** The same gate and authoriser that intake asks. */
async function nextLines(
  { operators }: Pick<ExplainStore, 'operators'>,
  config: Config,
  { platform, userId, place }: Next,
): Promise<string[]> {
  const gate = passGate(groupRulesOf(config, platform), {
    place,
    sender: { id: userId, name: '', isBot: false },
    text: '',
    addressed: false,
    botId: '',
    botStreak: 0,
  });
  const { decision, steps } = traceAccess({
    platform,
    sender: { id: userId },
    place,
    lists: accessListsOf(config, platform),
    grants: await operators.grants(platform, userId, place.chatId),
  });
  const isAdmin = adminsOf(config, platform).includes(userId);
  const offer = decision.kind === 'deny' && decision.reason === 'not_allowlisted' && place.kind === 'direct';
  return [
    `  1. ${gateWords(gate)}`,
    ...steps.map((step, index) => `  ${index + 2}. ${step}`),
    `  → ${decision.kind === 'allow' ? `taken, with the rights of ${isAdmin ? 'an admin' : 'a user'}` : `turned away (${decision.reason})`}`,
    ...(offer ? [`  ${offersPairing(config, platform) ? offeredWords : silentWords}`] : []),
  ];
}

function gateWords(gate: ReturnType<typeof passGate>): string {
  if (gate.kind === 'take') return 'it need not mention the bot there';
  if (gate.kind === 'not_addressed')
    return 'it must mention or answer the bot or be a command, else it is ignored (not_addressed)';
  return `ignored whatever it says (${gate.reason}): ${reasonWords(gate.reason)}`;
}

const offeredWords = 'a stranger gets a pairing code, at most one in 10 minutes, at most three open at once';
const silentWords = 'no pairing code is offered: there is an allow-list, or platforms.….pairing is off';
