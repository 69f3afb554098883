/** How breakers and nodes name the model that wrote a summary. */
export interface ModelKey {
  provider: string;
  model: string;
}

/** `openrouter/x/y` is x/y of openrouter; a bare name has no provider. */
export function modelKey(name: string): ModelKey {
  const slash = name.indexOf('/');
  return slash === -1
    ? { provider: '', model: name }
    : { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}
