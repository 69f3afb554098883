/** Messages that are neither text nor file, in words for the model: a place, a contact, a poll, a throw of dice. */
import { objectIn, objectsIn, textIn, type JsonObject } from './read-json.ts';
import { nameOf } from './read-sender.ts';

/** `(location: 52.52, 13.405)`; null for anything else. A venue comes with a location too, so it is looked for first. */
export function shownIn(message: JsonObject): string | null {
  const venue = objectIn(message.venue);
  if (venue) return inWords('venue', [venue.title, venue.address, placeOf(objectIn(venue.location))]);
  const location = objectIn(message.location);
  if (location) return inWords('location', [placeOf(location)]);
  const contact = objectIn(message.contact);
  if (contact) return inWords('contact', [nameOf(contact), contact.phone_number]);
  const poll = objectIn(message.poll);
  if (poll) return inWords('poll', [poll.question, ...objectsIn(poll.options).map(({ text }) => text)]);
  const dice = objectIn(message.dice);
  return dice ? inWords('throw', [dice.emoji, String(dice.value)]) : null;
}

function inWords(what: string, parts: readonly unknown[]): string {
  return `(${what}: ${parts.flatMap((part) => textIn(part) ?? []).join(', ')})`;
}

function placeOf(location: JsonObject | null): string | null {
  return location && `${Number(location.latitude)}, ${Number(location.longitude)}`;
}
