/** The machine-readable description of the Bot API, as handed in by the test. */
import { readFile } from 'node:fs/promises';

/** One field of a type or one parameter of a method. */
export interface FieldSpec {
  readonly name: string;
  readonly types: readonly string[];
  readonly required: boolean;
  readonly description: string;
}

/** A method and what it gives back. */
export interface MethodSpec {
  readonly name: string;
  readonly returns: readonly string[];
  readonly fields?: readonly FieldSpec[];
}

/** A type: either fields or a union of other types. */
export interface TypeSpec {
  readonly name: string;
  readonly fields?: readonly FieldSpec[];
  readonly subtypes?: readonly string[];
}

/** The whole description, format of PaulSonOfLars/telegram-bot-api-spec. */
export interface BotApiSchema {
  readonly version: string;
  readonly methods: Readonly<Record<string, MethodSpec>>;
  readonly types: Readonly<Record<string, TypeSpec>>;
}

/**
 * Give the schema, read from disk if a path is handed in.
 *
 * throws  an Error naming the path if the file has no methods and types
 */
export async function loadSchema(source: string | BotApiSchema): Promise<BotApiSchema> {
  if (typeof source !== 'string') return source;
  const schema: BotApiSchema = JSON.parse(await readFile(source, 'utf8'));
  if (!schema.methods || !schema.types) {
    throw new Error(`${source} is not a Bot API schema (no methods or types); check the path`);
  }
  return withStopButton(schema);
}

/** The button under drafts is newer (Bot API 10.3, 24 August 2026) than the machine-readable description (10.1). */
function withStopButton(schema: BotApiSchema): BotApiSchema {
  const { sendMessageDraft } = schema.methods;
  const { Update, MessageGenerationStopped } = schema.types;
  if (!sendMessageDraft || !Update || MessageGenerationStopped) return schema;
  const optional = (name: string, type: string): FieldSpec => ({
    name,
    types: [type],
    required: false,
    description: '',
  });
  const stopped: TypeSpec = {
    name: 'MessageGenerationStopped',
    fields: [
      { ...optional('chat', 'Chat'), required: true },
      optional('message_thread_id', 'Integer'),
      { ...optional('draft_id', 'Integer'), required: true },
    ],
  };
  const button = [optional('can_stop', 'Boolean'), optional('keep_on_stop', 'Boolean')];
  const news = optional('stopped_message_generation', stopped.name);
  return {
    ...schema,
    methods: {
      ...schema.methods,
      sendMessageDraft: { ...sendMessageDraft, fields: [...(sendMessageDraft.fields ?? []), ...button] },
    },
    types: {
      ...schema.types,
      [stopped.name]: stopped,
      Update: { ...Update, fields: [...(Update.fields ?? []), news] },
    },
  };
}
