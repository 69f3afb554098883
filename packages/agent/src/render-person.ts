import {
  cleanText,
  estimateParts,
  type MailboxMessage,
  type MailboxRow,
  type NewRow,
  type Part,
} from '@palimpsest/core';
import { asPart } from './long-text.ts';
import { renderMedia } from './render-media.ts';

/** How person's rows are written for the model; fixed when stored, so that a prompt never changes behind a cache. */
export interface PersonStyle {
  timezone: string;
  /** One text over this many tokens is kept as a payload and referenced (a quarter of the window). */
  maxTextTokens: number;
  /** It is a further piece of the message before it, under whose header it stands. */
  goesOn?: boolean;
}

const quoteLimit = 500;
const nameLimit = 240;

/** The transcript row of an accepted message, or of an edit that arrived after its answer. */
export function renderPerson(row: MailboxRow, style: PersonStyle): NewRow {
  const { content } = row;
  if (content.kind === 'operator') return emptyRow();
  const { message } = content;
  const speaker = row.chat.place.kind === 'group' ? ` ${quoteName(message.senderName)}` : '';
  const header = `[${formatTime(message.sentAt, style.timezone)}${speaker}${noteOf(content.kind)}]`;
  const { part, payload } = asPart(cleanText(message.text), style.maxTextTokens);
  const { media = [] } = message;
  const said = media.length > 0 && message.text === '' ? [] : [part];
  const files = media.flatMap((one) => renderMedia(one, style.maxTextTokens));
  const start: Part[] = style.goesOn ? [] : [{ type: 'header', text: header + quoteOf(message) }];
  const parts: Part[] = [...start, ...said, ...files];
  return {
    role: 'user',
    kind: 'person',
    parts,
    tokens: estimateParts(parts),
    sentAt: message.sentAt,
    sender: { id: message.senderId, name: message.senderName },
    platformMessageId:
      content.kind === 'message' || content.kind === 'overheard' ? message.messageId : undefined,
    payloads: payload ? [payload] : undefined,
  };
}

/** What was overheard is information about a talk among others; nobody asked the bot for anything with it. */
function noteOf(kind: 'message' | 'edit' | 'overheard' | 'command'): string {
  if (kind === 'overheard') return ', overheard: said to others, not to you, and no request';
  return kind === 'edit' ? ', corrected an earlier message to' : '';
}

/** Untrusted names are JSON-quoted, so that a name cannot pass for a line of ours. */
function quoteName(name: string): string {
  return JSON.stringify(name.slice(0, nameLimit));
}

function quoteOf(message: MailboxMessage): string {
  if (!message.replyTo) return '';
  const text =
    message.replyTo.text.length > quoteLimit
      ? `${message.replyTo.text.slice(0, quoteLimit).toWellFormed()}…`
      : message.replyTo.text;
  return `\n[answers ${quoteName(message.replyTo.senderName)}: ${JSON.stringify(text)}]`;
}

/** `2026-11-29 19:20` in the configured zone. */
export function formatTime(at: Date, timezone: string): string {
  // Making a format costs more than storing the message (measured: a twentieth of a worker's time).
  if (timezone === 'UTC') return at.toISOString().slice(0, 16).replace('T', ' ');
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  return format.format(at);
}

function emptyRow(): NewRow {
  const parts: Part[] = [];
  return { role: 'user', kind: 'synthetic', parts, tokens: estimateParts(parts) };
}
