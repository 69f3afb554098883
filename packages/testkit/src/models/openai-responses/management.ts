import type { Refusal } from '../dialect.ts';
import type { FakeModelOptions } from '../fake-model.ts';
import { textOf } from '../json.ts';
import type { Json } from '../json.ts';

type Management = NonNullable<FakeModelOptions['contextManagement']>;

/** What a request to condense meets here. */
export function managementOf(body: Json, options: FakeModelOptions): Management {
  return options.contextManagement ?? byModel(textOf(body['model']));
}

function byModel(model: string): Management {
  if (/^gpt-5\.6(-|$)/.test(model)) return 'take';
  return /^gpt-5\.[12](-|$)/.test(model) ? 'fail' : 'refuse';
}

/** Refused by the model's nature it is the client's fault, refused by the test's wish it is nobody's. */
export function managementRefusal(body: Json, options: FakeModelOptions): Refusal | undefined {
  if (body['context_management'] === undefined) return undefined;
  const counts = options.contextManagement === undefined ? 'violation' : 'nothing';
  switch (managementOf(body, options)) {
    case 'take':
    case 'stall':
      return undefined;
    case 'fail':
      return {
        status: 500,
        type: 'server_error',
        message: 'The server had an error while processing your request. Sorry about that!',
        counts,
      };
    case 'refuse':
      return {
        status: 400,
        type: 'invalid_request_error',
        message: "Unsupported parameter: 'context_management' is not supported with this model.",
        param: 'context_management',
        code: 'unsupported_parameter',
        counts,
      };
  }
}
