/** Pictures of a request: which of them go along, read once a turn. */
import { isImageMime, type PromptImage, type PromptMessage } from '@palimpsest/core';

/** Services take hundreds; beyond these every picture makes a request slower and dearer. */
const mostImages = 20;
/** Older ones go in such numbers at once, so that the prompt before them does not change with each new picture. */
const droppedAtOnce = 10;
/** Half of what the strictest service takes as a whole request. */
const mostBytes = 12_000_000;

/** Contents of payloads by id. */
export type LoadImages = (
  payloadIds: readonly string[],
) => Promise<ReadonlyMap<string, { mime: string; bytes: Uint8Array }>>;

/** Gives the pictures of a request; what was read stays as long as the turn. */
export class PromptImages {
  readonly #load: LoadImages;
  readonly #known = new Map<string, PromptImage | null>();
  #wereSent = false;
  #areHidden = false;

  constructor(load: LoadImages) {
    this.#load = load;
  }

  /** Undefined where the messages hold no picture. The newest ones, within limits. */
  async of(messages: readonly PromptMessage[]): Promise<ReadonlyMap<string, PromptImage> | undefined> {
    const wanted = this.#areHidden ? [] : newestImages(messages);
    if (wanted.length === 0) return undefined;
    await this.#read(wanted.filter((id) => !this.#known.has(id)));
    const images = new Map(
      wanted.flatMap((id) => {
        const image = this.#known.get(id);
        return image ? [[id, image] as const] : [];
      }),
    );
    this.#wereSent = images.size > 0;
    return images;
  }

  /** From now on they are only named; false where that changes nothing. */
  hide(): boolean {
    if (this.#areHidden || !this.#wereSent) return false;
    this.#areHidden = true;
    return true;
  }

  async #read(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const contents = await this.#load(ids);
    for (const id of ids) {
      const content = contents.get(id);
      const base64 = content && Buffer.from(content.bytes).toString('base64');
      this.#known.set(id, content && base64 ? { mime: content.mime, base64 } : null);
    }
  }
}

/** Payload ids in order, each once. */
export function newestImages(messages: readonly PromptMessage[]): readonly string[] {
  const images = new Map<string, number>();
  for (const { parts } of messages) {
    for (const part of parts)
      if (part.type === 'payload' && isImageMime(part.mime)) images.set(part.payloadId, part.bytes);
  }
  const ids = [...images.keys()];
  let dropped = droppedBy(ids.length - mostImages);
  let bytes = ids.slice(dropped).reduce((sum, id) => sum + (images.get(id) ?? 0), 0);
  while (bytes > mostBytes && dropped < ids.length) {
    bytes -= images.get(ids[dropped]!) ?? 0;
    dropped += 1;
  }
  return ids.slice(dropped);
}

function droppedBy(over: number): number {
  return over <= 0 ? 0 : Math.ceil(over / droppedAtOnce) * droppedAtOnce;
}
