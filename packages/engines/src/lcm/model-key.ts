import type { Summariser } from '@palimpsest/core';

/** How breakers and nodes name the model that wrote a summary. */
export interface ModelKey {
  provider: string;
  model: string;
}

/** Of a model whose provider is not told, `openrouter/x/y` is x/y of openrouter; a bare name has no provider. */
export function modelKey({ provider, model }: Pick<Summariser, 'provider' | 'model'>): ModelKey {
  if (provider !== undefined) return { provider, model };
  const slash = model.indexOf('/');
  return slash === -1
    ? { provider: '', model }
    : { provider: model.slice(0, slash), model: model.slice(slash + 1) };
}
