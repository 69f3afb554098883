import { listOfFields, optionalFields, type Fields } from './read-fields.ts';

/** Messages that this one passes on, as they were then. */
export function snapshotsOf(data: Fields): readonly Fields[] {
  return listOfFields(data, 'message_snapshots').flatMap((snapshot) => {
    const message = optionalFields(snapshot, 'message');
    return message ? [message] : [];
  });
}
