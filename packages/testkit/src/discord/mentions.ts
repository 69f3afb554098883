/** Who a text pings: everything in it, unless allowed_mentions says less. */
import { invalidField, type RestRefusal } from './rest-refusal.ts';
import type { FakeUser, World } from './world.ts';

/** The field of a message body; every part may be missing. */
export interface AllowedMentions {
  parse?: string[] | null;
  users?: string[] | null;
  roles?: string[] | null;
  replied_user?: boolean | null;
}

export interface Pings {
  mentions: FakeUser[];
  mentionRoles: string[];
  mentionEveryone: boolean;
}

/** Everybody the text names, before any restriction; unknown users are left out, as Discord does. */
export function namedIn(content: string, world: World): Pings {
  const userIds = new Set([...content.matchAll(/<@!?(\d+)>/g)].map((match) => match[1] ?? ''));
  const mentions = [...userIds].flatMap((id) => world.users.get(id) ?? []);
  const mentionRoles = [...new Set([...content.matchAll(/<@&(\d+)>/g)].map((match) => match[1] ?? ''))];
  return { mentions, mentionRoles, mentionEveryone: /@(everyone|here)\b/.test(content) };
}

/** Those the text really pings under `allowed`; absent means no restriction at all. */
export function pingedBy(content: string, allowed: AllowedMentions | undefined, world: World): Pings {
  const named = namedIn(content, world);
  if (allowed === undefined) return named;
  const parse = new Set(allowed.parse ?? []);
  const users = new Set(allowed.users ?? []);
  const roles = new Set(allowed.roles ?? []);
  refuseDoubled(parse, users, roles);
  return {
    mentions: named.mentions.filter((user) => parse.has('users') || users.has(user.id)),
    mentionRoles: named.mentionRoles.filter((id) => parse.has('roles') || roles.has(id)),
    mentionEveryone: named.mentionEveryone && parse.has('everyone'),
  };
}

/** `parse: ["users"]` together with `users: [...]` is refused, and likewise for roles. */
function refuseDoubled(parse: Set<string>, users: Set<string>, roles: Set<string>): void {
  for (const [kind, ids] of [
    ['users', users],
    ['roles', roles],
  ] as const) {
    if (parse.has(kind) && ids.size > 0) throw doubled(kind);
  }
}

function doubled(kind: string): RestRefusal {
  const text = `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`;
  return invalidField('allowed_mentions', 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', text);
}
